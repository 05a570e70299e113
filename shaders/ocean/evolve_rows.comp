#version 450 core

// Evolve and the transform of the rows in one dispatch: the spectra are computed where the kernel would load them, for
// all layers at once, so that h0 and the frequency of a texel are read once and no spectrum is written.
// Defines: those of fft/tuned_settings.glsl, with as many LAYERS as there are; OMEGA_BINDING; FIRST_OF_PAIRS_ONLY.
#include "fft/tuned_settings.glsl"

const int size = SIZE;

#include "ocean/evolve.glsl"

Value load_value(int element, int line, int first_layer, int lane) {
    FieldPairs fields = evolve(ivec2(element, line));
#if PACKING == 4
    return Value(vec4(fields.pair[0], fields.pair[1]), vec4(fields.pair[2], fields.pair[3]));
#else
    return Value(fields.pair[0], fields.pair[1], fields.pair[2], fields.pair[3]);
#endif
}

#include "fft/tuned_store.glsl"
#include "fft/tuned_kernel.glsl"
