#version 450 core
// Radix-4 Stockham, all stages of an axis in one dispatch: half the stages, barriers and memory traffic of radix 2. Where
// log2 N is odd, the last stage is a radix-2 one.
#include "fft/line.glsl"

const int RADIX4_STAGES = LOG2_SIZE / 2;
const int STAGES = (LOG2_SIZE + 1) / 2;

// Multiplies by DIRECTION i: the forward butterfly needs -i where the inverse needs +i.
Complex turn_quarter(Complex v) {
    return DIRECTION < 0 ? -multiply_by_i(v) : multiply_by_i(v);
}

void radix4_butterfly(int stage, int butterfly) {
    int stride = 1 << (2 * stage);
    int offset = butterfly & (stride - 1);
    int position = butterfly - offset; // p * stride, the exponent of the first twiddle
    Complex a = read(stage, butterfly);
    Complex b = read(stage, butterfly + SIZE / 4);
    Complex c = read(stage, butterfly + SIZE / 2);
    Complex d = read(stage, butterfly + 3 * SIZE / 4);
    Complex even_sum = a + c;
    Complex even_difference = a - c;
    Complex odd_sum = b + d;
    Complex odd_difference = turn_quarter(b - d);
    int target = offset + 4 * position;
    if (stage == STAGES - 1) {
        // The last stage's only twiddle is 1.
        write_last(stage, target, even_sum + odd_sum);
        write_last(stage, target + stride, even_difference + odd_difference);
        write_last(stage, target + 2 * stride, even_sum - odd_sum);
        write_last(stage, target + 3 * stride, even_difference - odd_difference);
    } else {
        write(stage, target, even_sum + odd_sum);
        write(stage, target + stride, complex_multiply(twiddle(position), even_difference + odd_difference));
        write(stage, target + 2 * stride, complex_multiply(twiddle(2 * position), even_sum - odd_sum));
        write(stage, target + 3 * stride, complex_multiply(twiddle(3 * position), even_difference - odd_difference));
    }
}

void radix2_last_butterfly(int butterfly) {
    Complex a = read(STAGES - 1, butterfly);
    Complex b = read(STAGES - 1, butterfly + SIZE / 2);
    write_last(STAGES - 1, butterfly, a + b);
    write_last(STAGES - 1, butterfly + SIZE / 2, a - b);
}

void main() {
    for (int stage = 0; stage < RADIX4_STAGES; ++stage) {
        for (int turn = 0; turn < BUTTERFLIES; ++turn) {
            radix4_butterfly(stage, int(gl_LocalInvocationID.x) + turn * INVOCATIONS);
        }
        if (stage < STAGES - 1) {
            end_stage();
        }
    }
    if (RADIX4_STAGES < STAGES) {
        for (int turn = 0; turn < 2 * BUTTERFLIES; ++turn) {
            radix2_last_butterfly(int(gl_LocalInvocationID.x) + turn * INVOCATIONS);
        }
    }
}
