#version 450 core

// What the surface is drawn with, one texel in each invocation.
// Defines: PACKING 2 | 4, STORAGE_IMAGE, SMALLEST_JACOBIAN and LARGEST_SLOPE.

layout(local_size_x = 16, local_size_y = 16) in;

layout(location = 0) uniform int size;
layout(location = 5) uniform int first_layer; // of this frame's fields

#define READ_FIELDS
#include "ocean/assemble.glsl"
#include "ocean/field_storage.glsl"

void main() {
    ivec2 cell = ivec2(gl_GlobalInvocationID.xy);
    if (cell.x < size && cell.y < size) {
        assemble(cell, load_fields(cell));
    }
}
