#version 450 core
// Multiplies everything in `data` by one factor: what a library without a scaling of its own needs after its transform.
//
// Defined by the program: PACKING, STORAGE_IMAGE, HORIZONTAL, SIZE, TILE (work group edge), FACTOR.

layout(local_size_x = TILE, local_size_y = TILE) in;

#define EXCHANGE_QUALIFIER

#include "fft/storage.glsl"

void main() {
    int element = int(gl_GlobalInvocationID.x);
    int line = int(gl_GlobalInvocationID.y);
    int layer = int(gl_GlobalInvocationID.z);
    if (element < SIZE && line < SIZE) {
        save(STORE_DATA, element, line, layer, FACTOR * load(STORE_DATA, element, line, layer));
    }
}
