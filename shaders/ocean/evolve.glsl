// The spectra of the eight fields at one time, from h0:
//   h(k, t) = h0(k) exp(-i w t) + conj(h0(-k)) exp(+i w t),   a wave of h0(k) travels along +k
// and from h the others, with horizontal displacement D = +i k/|k| h (crests sharpen for positive lambda).
// Two real fields A, B go into one complex transform as A + i B: then both factors merge into one complex number.
//
// Needs `size`. Defines: OMEGA_BINDING; FIRST_OF_PAIRS_ONLY leaves every B out, for a test that looks for leaks.

layout(location = 1) uniform uint loop_fraction;      // time / loop period, fraction of 2^32
layout(location = 2) uniform float wave_number_step;  // 2 pi / tile length, rad/m

layout(binding = 0) uniform sampler2D initial_spectrum; // h0(k), conj(h0(-k))
layout(std430, binding = OMEGA_BINDING) restrict readonly buffer OmegaIndex {
    uint omega_index[]; // m of w = m 2 pi / loop period
};

#include "common/complex.glsl"
#include "common/sincos.glsl"
#include "ocean/field_pairs.glsl"

int wave_index(int index) {
    return index < size / 2 ? index : index - size;
}

// What a cell's spectra are computed from.
struct EvolveInput {
    vec4 initial; // h0(k), conj(h0(-k))
    uint omega_index;
};

EvolveInput load_evolve_input(ivec2 cell) {
    return EvolveInput(texelFetch(initial_spectrum, cell, 0), omega_index[cell.y * size + cell.x]);
}

FieldPairs evolve(ivec2 cell, EvolveInput from) {
    // An exact phase: the integer product wraps at whole turns, where a float product would lose them.
    vec2 phase = cos_sin_of_turns(from.omega_index * loop_fraction);
    vec2 h = complex_multiply(conjugate(phase), from.initial.xy) + complex_multiply(phase, from.initial.zw);

    vec2 k = wave_number_step * vec2(wave_index(cell.x), wave_index(cell.y));
    float magnitude = length(k);
    vec2 direction = magnitude > 0.0 ? k / magnitude : vec2(0.0);

    // A + i B with A = a h and B = b h is (a + i b) h.
    vec2 displacement = vec2(-direction.y, direction.x);                         // a = i kx/k, b = i kz/k
    vec2 height_and_xz = vec2(1.0, -k.x * direction.y);                          // a = 1, b = -kx kz/k
    vec2 slope = vec2(-k.y, k.x);                                                // a = i kx, b = i kz
    vec2 displacement_slopes = -k * direction;                                   // a = -kx^2/k, b = -kz^2/k
#ifdef FIRST_OF_PAIRS_ONLY
    displacement.x = 0.0;
    height_and_xz.y = 0.0;
    slope.x = 0.0;
    displacement_slopes.y = 0.0;
#endif
    FieldPairs fields;
    fields.pair[0] = complex_multiply(displacement, h);
    fields.pair[1] = complex_multiply(height_and_xz, h);
    fields.pair[2] = complex_multiply(slope, h);
    fields.pair[3] = complex_multiply(displacement_slopes, h);
    return fields;
}
