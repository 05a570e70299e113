#version 450 core
// Radix-2 decimation in time, all stages of an axis in one dispatch. The input is read in bit-reversed order.
#include "fft/line.glsl"

int bit_reverse(int element) {
    return int(bitfieldReverse(uint(element)) >> uint(32 - LOG2_SIZE));
}

void main() {
    for (int stage = 0; stage < LOG2_SIZE; ++stage) {
        int half_span = 1 << stage; // of the sub-transforms that this stage completes
        for (int turn = 0; turn < BUTTERFLIES; ++turn) {
            int butterfly = int(gl_LocalInvocationID.x) + turn * INVOCATIONS;
            int k = butterfly & (half_span - 1);
            int top = 2 * (butterfly - k) + k;
            int bottom = top + half_span;
            Complex a = read(stage, stage == 0 ? bit_reverse(top) : top);
            Complex b = read(stage, stage == 0 ? bit_reverse(bottom) : bottom);
            Complex wb = complex_multiply(twiddle(k << (LOG2_SIZE - 1 - stage)), b);
            if (stage == LOG2_SIZE - 1) {
                write_last(stage, top, a + wb);
                write_last(stage, bottom, a - wb);
            } else {
                write(stage, top, a + wb);
                write(stage, bottom, a - wb);
            }
        }
        if (stage < LOG2_SIZE - 1) {
            end_stage();
        }
    }
}
