#version 450 core

// The transform of the columns and assemble in one dispatch: the maps are computed where the kernel would store the
// fields, by work groups that hold all layers, so that no field is written.
// Defines: those of fft/tuned_settings.glsl, LAYERS * LAYER_LANES being all layers; SMALLEST_JACOBIAN and LARGEST_SLOPE.
#include "fft/tuned_settings.glsl"
#include "fft/tuned_load.glsl"
#include "ocean/assemble.glsl"

#define STORE_ELEMENTS

// Complex number `index` of four, from the parts of the element's sharers in order.
vec2 pair_from(Value parts[SHARERS], int index) {
    int layer = index / (PACKING / 2);
    int in_layer = index % (PACKING / 2);
#if LAYERS == 1
    Texel part = parts[layer * LANES + in_layer % LANES];
#else
    Texel part = parts[layer / LAYERS * LANES + in_layer % LANES][layer % LAYERS];
#endif
#if WIDTH == 4
    return in_layer == 0 ? part.xy : part.zw;
#else
    return part;
#endif
}

void store_element(int element, int line, Value parts[SHARERS]) {
    FieldPairs fields;
    fields.pair[0] = pair_from(parts, 0);
    fields.pair[1] = pair_from(parts, 1);
    fields.pair[2] = pair_from(parts, 2);
    fields.pair[3] = pair_from(parts, 3);
    assemble(ivec2(line, element), fields);
}

void store_value(int first, int offset, int line, int first_layer, int lane, Value value) {
#if SHARERS == 1
    store_element(first + offset, line, Value[SHARERS](value));
#endif
}

#include "fft/tuned_kernel.glsl"
