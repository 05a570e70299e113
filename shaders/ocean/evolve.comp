#version 450 core

// The spectra of a frame's fields, one texel in each invocation.
// Defines: PACKING 2 | 4, STORAGE_IMAGE, OMEGA_BINDING; FIRST_OF_PAIRS_ONLY.

layout(local_size_x = 16, local_size_y = 16) in;

layout(location = 0) uniform int size;
layout(location = 3) uniform int first_layer; // of this frame's fields

#define WRITE_FIELDS
#include "ocean/evolve.glsl"
#include "ocean/field_storage.glsl"

void main() {
    ivec2 cell = ivec2(gl_GlobalInvocationID.xy);
    if (cell.x < size && cell.y < size) {
        store_fields(cell, evolve(cell, load_evolve_input(cell)));
    }
}
