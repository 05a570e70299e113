#version 450 core
// Reads everything from `data` and writes it to `scratch`: one pass over memory. The benchmark renews its input with it,
// and its time is the floor that a transform is measured against: two axes cannot take less than two such passes.
//
// Defined by the program: PACKING, STORAGE_IMAGE, HORIZONTAL, SIZE, TILE (work group edge).

layout(local_size_x = TILE, local_size_y = TILE) in;

#define EXCHANGE_QUALIFIER

#include "fft/storage.glsl"

void main() {
    int element = int(gl_GlobalInvocationID.x);
    int line = int(gl_GlobalInvocationID.y);
    int layer = int(gl_GlobalInvocationID.z);
    if (element < SIZE && line < SIZE) {
        save(STORE_SCRATCH, element, line, layer, load(STORE_DATA, element, line, layer));
    }
}
