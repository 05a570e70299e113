#version 450 core
// Reads everything from `data` and writes it to `scratch`: one pass over memory. The benchmark renews its input with it,
// and a transform is measured against its time: two axes that go through memory are two such passes, and arithmetic.
//
// Defined by the program: PACKING, STORAGE_IMAGE, HORIZONTAL, SIZE, TILE_WIDTH and TILE_HEIGHT (work group).

layout(local_size_x = TILE_WIDTH, local_size_y = TILE_HEIGHT) in;

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
