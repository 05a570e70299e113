// The field pairs of a frame in the storage of an FFT plan.
// PACKING 4: two layers of vec4, pairs (0, 1) and (2, 3). PACKING 2: four layers of vec2.
// Defined by the program that includes this: PACKING, STORAGE_IMAGE or not, WRITE_FIELDS or READ_FIELDS, `size`, and
// `first_layer`: several frames may lie one after the other.

#include "ocean/field_pairs.glsl"

#if PACKING == 4
#define Element vec4
#else
#define Element vec2
#endif

#ifdef STORAGE_IMAGE

#ifdef WRITE_FIELDS
#if PACKING == 4
layout(binding = 0, rgba32f) restrict writeonly uniform image2DArray field_image;
#define TEXEL(value) (value)
#else
layout(binding = 0, rg32f) restrict writeonly uniform image2DArray field_image;
#define TEXEL(value) vec4(value, 0.0, 0.0)
#endif
void store_element(ivec2 cell, int layer, Element value) {
    imageStore(field_image, ivec3(cell, first_layer + layer), TEXEL(value));
}
#else
layout(binding = 0) uniform sampler2DArray field_texture;
Element load_element(ivec2 cell, int layer) {
#if PACKING == 4
    return texelFetch(field_texture, ivec3(cell, first_layer + layer), 0);
#else
    return texelFetch(field_texture, ivec3(cell, first_layer + layer), 0).xy;
#endif
}
#endif

#else

#ifdef WRITE_FIELDS
layout(std430, binding = 0) restrict writeonly buffer FieldBuffer {
#else
layout(std430, binding = 0) restrict readonly buffer FieldBuffer {
#endif
    Element field_elements[];
};
int element_index(ivec2 cell, int layer) {
    return ((first_layer + layer) * size + cell.y) * size + cell.x;
}
#ifdef WRITE_FIELDS
void store_element(ivec2 cell, int layer, Element value) {
    field_elements[element_index(cell, layer)] = value;
}
#else
Element load_element(ivec2 cell, int layer) {
    return field_elements[element_index(cell, layer)];
}
#endif

#endif

#ifdef WRITE_FIELDS
void store_fields(ivec2 cell, FieldPairs fields) {
#if PACKING == 4
    store_element(cell, 0, vec4(fields.pair[0], fields.pair[1]));
    store_element(cell, 1, vec4(fields.pair[2], fields.pair[3]));
#else
    for (int layer = 0; layer < 4; ++layer) {
        store_element(cell, layer, fields.pair[layer]);
    }
#endif
}
#else
FieldPairs load_fields(ivec2 cell) {
    FieldPairs fields;
#if PACKING == 4
    vec4 first = load_element(cell, 0);
    vec4 second = load_element(cell, 1);
    fields.pair[0] = first.xy;
    fields.pair[1] = first.zw;
    fields.pair[2] = second.xy;
    fields.pair[3] = second.zw;
#else
    for (int layer = 0; layer < 4; ++layer) {
        fields.pair[layer] = load_element(cell, layer);
    }
#endif
    return fields;
}
#endif
