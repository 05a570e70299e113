#version 450 core

// The transform of the columns and assemble in one dispatch: the maps are computed where the kernel would store the
// fields, so that no field is written.
// Defines: those of fft/tuned_settings.glsl, with as many LAYERS as there are; SMALLEST_JACOBIAN and LARGEST_SLOPE.
#include "fft/tuned_settings.glsl"
#include "fft/tuned_load.glsl"
#include "ocean/assemble.glsl"

void store_value(int element, int line, int first_layer, int lane, Value value) {
    FieldPairs fields;
#if PACKING == 4
    fields.pair[0] = value[0].xy;
    fields.pair[1] = value[0].zw;
    fields.pair[2] = value[1].xy;
    fields.pair[3] = value[1].zw;
#else
    fields.pair[0] = value[0];
    fields.pair[1] = value[1];
    fields.pair[2] = value[2];
    fields.pair[3] = value[3];
#endif
    assemble(ivec2(line, element), fields);
}

#include "fft/tuned_kernel.glsl"
