#version 450 core

// Evolve and the transform of the rows in one dispatch: the spectra are computed where the kernel would load them, by
// work groups that hold all layers, so that h0 and the frequency of a texel come from memory once and no spectrum is
// written. Invocations that share a texel's spectra each compute what they have in common.
// Defines: those of fft/tuned_settings.glsl, LAYERS * LAYER_LANES being all layers; OMEGA_BINDING; FIRST_OF_PAIRS_ONLY.
#include "fft/tuned_settings.glsl"

const int size = SIZE;

#include "ocean/evolve.glsl"

vec2 pair_at(FieldPairs fields, int index) {
    vec2 low = index % 2 == 0 ? fields.pair[0] : fields.pair[1];
    vec2 high = index % 2 == 0 ? fields.pair[2] : fields.pair[3];
    return index < 2 ? low : high;
}

Texel part_of_layer(FieldPairs fields, int layer, int lane) {
#if WIDTH == 4
    return vec4(pair_at(fields, 2 * layer), pair_at(fields, 2 * layer + 1));
#else
    return pair_at(fields, layer * (PACKING / 2) + lane);
#endif
}

#define Loaded EvolveInput

Loaded load_elements(int first, int offset, int line, int first_layer, int lane) {
    return load_evolve_input(ivec2(first + offset, line));
}

Value value_of(Loaded loaded, int element, int line, int first_layer, int lane) {
    FieldPairs fields = evolve(ivec2(element, line), loaded);
#if LAYERS == 4
    return Value(fields.pair[0], fields.pair[1], fields.pair[2], fields.pair[3]);
#elif LAYERS == 2
    return Value(part_of_layer(fields, first_layer, lane), part_of_layer(fields, first_layer + 1, lane));
#else
    return part_of_layer(fields, first_layer, lane);
#endif
}

#include "fft/tuned_store.glsl"
#include "fft/tuned_kernel.glsl"
