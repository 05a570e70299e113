#version 450 core
// Radix-2 Stockham, all stages of an axis in one dispatch. Each stage leaves its results where the next one reads them in
// natural order, so nothing is bit-reversed.
#include "fft/line.glsl"

void main() {
    for (int stage = 0; stage < LOG2_SIZE; ++stage) {
        int stride = 1 << stage; // interleaved sub-transforms so far
        for (int turn = 0; turn < BUTTERFLIES; ++turn) {
            int butterfly = int(gl_LocalInvocationID.x) + turn * INVOCATIONS;
            int offset = butterfly & (stride - 1);
            int position = butterfly - offset; // p * stride: also the twiddle's exponent, as W_n^p = W_N^(p * stride)
            Complex a = read(stage, butterfly);
            Complex b = read(stage, butterfly + SIZE / 2);
            int target = offset + 2 * position;
            if (stage == LOG2_SIZE - 1) {
                // The last stage's only twiddle is 1.
                write_last(stage, target, a + b);
                write_last(stage, target + stride, a - b);
            } else {
                write(stage, target, a + b);
                write(stage, target + stride, complex_multiply(twiddle(position), a - b));
            }
        }
        if (stage < LOG2_SIZE - 1) {
            end_stage();
        }
    }
}
