namespace spindrift::fft {}
