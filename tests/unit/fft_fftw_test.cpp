// A second reference that shares no line with ours: FFTW, in tests only.
#include "fft/reference.h"

#include <gtest/gtest.h>
#include <random>
#ifdef SPINDRIFT_HAS_FFTW
#include <fftw3.h>
#endif

namespace spindrift {
namespace {

TEST(FftReference, AgreesWithFftw) {
#ifdef SPINDRIFT_HAS_FFTW
    using fft::reference::Complex;
    std::mt19937_64 generator(12);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    for (int size = 16; size <= 1024; size *= 4)
        for (const fft::Direction direction : fft::all_directions) {
            std::vector<Complex> ours(static_cast<std::size_t>(size) * size);
            for (Complex& value : ours) value = {uniform(generator), uniform(generator)};
            std::vector<Complex> theirs = ours;
            // std::complex<double> and fftw_complex have the same layout by both standards' guarantee.
            auto* data = reinterpret_cast<fftw_complex*>(theirs.data());
            fftw_plan plan =
                fftw_plan_dft_2d(size, size, data, data,
                                 direction == fft::Direction::forward ? FFTW_FORWARD : FFTW_BACKWARD, FFTW_ESTIMATE);
            ASSERT_NE(plan, nullptr);
            fftw_execute(plan);
            fftw_destroy_plan(plan);
            fft::reference::transform_square(ours, size, direction);
            const auto norms = fft::reference::error_norms(ours, theirs);
            EXPECT_LT(norms.relative_l2, 1e-14) << size;
            EXPECT_LT(norms.max_over_rms, 1e-14) << size;
        }
#else
    GTEST_SKIP() << "built without FFTW (package libfftw3-dev)";
#endif
}

} // namespace
} // namespace spindrift
