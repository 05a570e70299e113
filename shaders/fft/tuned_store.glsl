// The target of a tuned kernel: an image or a buffer, floats or half floats, or the source itself. A caller who wants to
// use the elements in place of storing them includes a file of his own with the same function, for element first + offset:
//   void store_value(int first, int offset, int line, int first_layer, int lane, Value value)

#if WIDTH == 4
#define IMAGE_TEXEL(texel) (texel)
#else
#define IMAGE_TEXEL(texel) vec4(texel, 0.0, 0.0)
#endif

#ifdef IN_PLACE
#define target_image source_image
#define target_elements source_elements
#elif defined(TARGET_IMAGE)
#if PACKING == 4
#ifdef TARGET_HALF
layout(binding = 1, rgba16f) restrict writeonly uniform image2DArray target_image;
#else
layout(binding = 1, rgba32f) restrict writeonly uniform image2DArray target_image;
#endif
#else
#ifdef TARGET_HALF
layout(binding = 1, rg16f) restrict writeonly uniform image2DArray target_image;
#else
layout(binding = 1, rg32f) restrict writeonly uniform image2DArray target_image;
#endif
#endif
#else
layout(std430, binding = 1) restrict writeonly buffer TargetBuffer {
#ifndef TARGET_HALF
    Texel target_elements[];
#elif WIDTH == 4
    uvec2 target_elements[];
#else
    uint target_elements[];
#endif
};
#endif

void store_texel(int first, int offset, int line, int layer, int lane, Texel texel) {
#ifdef TARGET_IMAGE
    imageStore(target_image, ivec3(PLACE(first + offset, line), layer), IMAGE_TEXEL(texel));
#else
    int index = (layer * SIZE * SIZE + INDEX_IN_LAYER(first, line)) * LANES + lane + offset * INDEX_STEP;
#ifndef TARGET_HALF
    target_elements[index] = texel;
#elif WIDTH == 4
    target_elements[index] = uvec2(packHalf2x16(texel.xy), packHalf2x16(texel.zw));
#else
    target_elements[index] = packHalf2x16(texel);
#endif
#endif
}

void store_value(int first, int offset, int line, int first_layer, int lane, Value value) {
#if LAYERS == 1
    store_texel(first, offset, line, first_layer, lane, value);
#else
    store_texel(first, offset, line, first_layer, lane, value[0]);
    store_texel(first, offset, line, first_layer + 1, lane, value[1]);
#if LAYERS == 4
    store_texel(first, offset, line, first_layer + 2, lane, value[2]);
    store_texel(first, offset, line, first_layer + 3, lane, value[3]);
#endif
#endif
}
