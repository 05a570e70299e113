#version 450 core
// Radix-2 decimation in time, one stage of all lines. The dispatches' order separates the stages, so the kernel needs no
// barrier, and the size is a uniform: one program serves them all.
//
// Defined by the program: PACKING, STORAGE_IMAGE, HORIZONTAL, DIRECTION, TILE (work group edge).

layout(local_size_x = TILE, local_size_y = TILE) in;

layout(location = 0) uniform int log2_size;
layout(location = 1) uniform int stage;
layout(location = 2) uniform int source; // 0 = data, 1 = scratch
layout(location = 3) uniform float result_scale; // 1 but in the last stage of a scaled transform

#define SIZE (1 << log2_size)
#define EXCHANGE_QUALIFIER

#include "common/complex.glsl"
#include "fft/storage.glsl"
#include "fft/twiddle.glsl"

int bit_reverse(int element) {
    return int(bitfieldReverse(uint(element)) >> uint(32 - log2_size));
}

void main() {
    int butterfly = int(gl_GlobalInvocationID.x);
    int line = int(gl_GlobalInvocationID.y);
    int layer = int(gl_GlobalInvocationID.z);
    if (2 * butterfly < SIZE && line < SIZE) {
        int half_span = 1 << stage;
        int k = butterfly & (half_span - 1);
        int top = 2 * (butterfly - k) + k;
        int bottom = top + half_span;
        Complex a = load(source, stage == 0 ? bit_reverse(top) : top, line, layer);
        Complex b = load(source, stage == 0 ? bit_reverse(bottom) : bottom, line, layer);
        Complex wb = complex_multiply(twiddle(k << (log2_size - 1 - stage)), b);
        save(1 - source, top, line, layer, result_scale * (a + wb));
        save(1 - source, bottom, line, layer, result_scale * (a - wb));
    }
}
