// The source of a tuned kernel: an image or a buffer, floats or half floats. A caller who wants to compute the elements
// in place of reading them includes a file of his own with the same functions,
//   Loaded load_elements(int first, int offset, int line, int first_layer, int lane)
//   Value value_of(Loaded loaded, int element, int line, int first_layer, int lane)
// with a type Loaded for what comes from memory: it does so some time before it is needed. The element to load is
// first + offset; offset is a constant, so that one address may serve all elements of an invocation.

#ifdef IN_PLACE
#define SOURCE_ACCESS restrict
#else
#define SOURCE_ACCESS restrict readonly
#endif

#ifdef SOURCE_IMAGE
// The qualifier must equal the format of the bound texture; some drivers read garbage where it does not.
#if PACKING == 4
#ifdef SOURCE_HALF
layout(binding = 0, rgba16f) SOURCE_ACCESS uniform image2DArray source_image;
#else
layout(binding = 0, rgba32f) SOURCE_ACCESS uniform image2DArray source_image;
#endif
#else
#ifdef SOURCE_HALF
layout(binding = 0, rg16f) SOURCE_ACCESS uniform image2DArray source_image;
#else
layout(binding = 0, rg32f) SOURCE_ACCESS uniform image2DArray source_image;
#endif
#endif

Texel load_texel(int first, int offset, int line, int layer, int lane) {
    vec4 texel = imageLoad(source_image, ivec3(PLACE(first + offset, line), layer));
#if WIDTH == 4
    return texel;
#else
    return texel.xy;
#endif
}

#else

layout(std430, binding = 0) SOURCE_ACCESS buffer SourceBuffer {
#ifndef SOURCE_HALF
    Texel source_elements[];
#elif WIDTH == 4
    uvec2 source_elements[];
#else
    uint source_elements[];
#endif
};

Texel load_texel(int first, int offset, int line, int layer, int lane) {
    int index = (layer * SIZE * SIZE + INDEX_IN_LAYER(first, line)) * LANES + lane + offset * INDEX_STEP;
#ifndef SOURCE_HALF
    return source_elements[index];
#elif WIDTH == 4
    uvec2 halves = source_elements[index];
    return vec4(unpackHalf2x16(halves.x), unpackHalf2x16(halves.y));
#else
    return unpackHalf2x16(source_elements[index]);
#endif
}

#endif

#define Loaded Value

Loaded load_elements(int first, int offset, int line, int first_layer, int lane) {
#if LAYERS == 1
    return load_texel(first, offset, line, first_layer, lane);
#elif LAYERS == 2
    return Value(load_texel(first, offset, line, first_layer, lane),
                 load_texel(first, offset, line, first_layer + 1, lane));
#else
    return Value(load_texel(first, offset, line, first_layer, lane),
                 load_texel(first, offset, line, first_layer + 1, lane),
                 load_texel(first, offset, line, first_layer + 2, lane),
                 load_texel(first, offset, line, first_layer + 3, lane));
#endif
}

Value value_of(Loaded loaded, int element, int line, int first_layer, int lane) {
    return loaded;
}
