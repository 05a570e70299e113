// Loads and stores of every FFT kernel: the same kernel text runs on images and on buffers, with one or two complex
// numbers per texel. The two stores, `data` (the caller's) and `scratch` (the plan's), take turns as source and target.
//
// Defined by the program that includes this:
//   PACKING            2 = vec2, one complex number per texel; 4 = vec4, two
//   STORAGE_IMAGE      2D array images; without it, std430 buffers, row-major, layer-major
//   EXCHANGE_QUALIFIER `coherent` where invocations read what others wrote in the same dispatch, else empty
//   SIZE               N, a constant or a uniform
//   HORIZONTAL         lines are rows; without it, columns

#if PACKING == 4
#define Complex vec4
#else
#define Complex vec2
#endif

const int STORE_DATA = 0;
const int STORE_SCRATCH = 1;

#ifdef STORAGE_IMAGE

// The qualifier must equal the format of the bound texture; some drivers read garbage where it does not.
#if PACKING == 4
layout(binding = 0, rgba32f) EXCHANGE_QUALIFIER restrict uniform image2DArray data_image;
layout(binding = 1, rgba32f) EXCHANGE_QUALIFIER restrict uniform image2DArray scratch_image;
#define PACKED_COMPONENTS(texel) (texel)
#define TEXEL(value) (value)
#else
layout(binding = 0, rg32f) EXCHANGE_QUALIFIER restrict uniform image2DArray data_image;
layout(binding = 1, rg32f) EXCHANGE_QUALIFIER restrict uniform image2DArray scratch_image;
#define PACKED_COMPONENTS(texel) (texel).xy
#define TEXEL(value) vec4(value, 0.0, 0.0)
#endif

ivec3 texel_position(int element, int line, int layer) {
#ifdef HORIZONTAL
    return ivec3(element, line, layer);
#else
    return ivec3(line, element, layer);
#endif
}

Complex load(int store, int element, int line, int layer) {
    ivec3 position = texel_position(element, line, layer);
    vec4 texel;
    if (store == STORE_DATA) {
        texel = imageLoad(data_image, position);
    } else {
        texel = imageLoad(scratch_image, position);
    }
    return PACKED_COMPONENTS(texel);
}

void save(int store, int element, int line, int layer, Complex value) {
    ivec3 position = texel_position(element, line, layer);
    if (store == STORE_DATA) {
        imageStore(data_image, position, TEXEL(value));
    } else {
        imageStore(scratch_image, position, TEXEL(value));
    }
}

#define storage_barrier() memoryBarrierImage()

#else

layout(std430, binding = 0) EXCHANGE_QUALIFIER restrict buffer DataBuffer {
    Complex data_elements[];
};
layout(std430, binding = 1) EXCHANGE_QUALIFIER restrict buffer ScratchBuffer {
    Complex scratch_elements[];
};

int element_index(int element, int line, int layer) {
#ifdef HORIZONTAL
    return (layer * SIZE + line) * SIZE + element;
#else
    return (layer * SIZE + element) * SIZE + line;
#endif
}

Complex load(int store, int element, int line, int layer) {
    int index = element_index(element, line, layer);
    if (store == STORE_DATA) {
        return data_elements[index];
    }
    return scratch_elements[index];
}

void save(int store, int element, int line, int layer, Complex value) {
    int index = element_index(element, line, layer);
    if (store == STORE_DATA) {
        data_elements[index] = value;
    } else {
        scratch_elements[index] = value;
    }
}

#define storage_barrier() memoryBarrierBuffer()

#endif
