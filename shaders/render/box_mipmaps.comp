#version 450 core

// Box mip levels of a square texture whose edge is a power of two: each texel is the mean of the four below it. A work
// group reads 64 x 64 texels of the source level and writes what they become in the next LEVELS levels.
// Defines: LEVELS, 1 to 6. Levels that are not written are not declared either.

layout(local_size_x = 256) in;

layout(location = 0) uniform int source_level;
layout(binding = 0) uniform sampler2D source;
layout(binding = 0, rgba32f) restrict writeonly uniform image2D targets[LEVELS]; // source_level + 1 and on

// Four by four texels are an invocation's own: the first two levels need nobody else. From the third on, values meet
// here, each level behind the one before: 256, 64, 16 and 4 of them. The four of one parent lie a quarter of their level
// apart, so that neighbouring invocations read neighbouring values.
shared vec4 exchanged[340];

// Always this order of summation, so that equal texels have equal means, bit for bit.
vec4 mean(vec4 upper_left, vec4 upper_right, vec4 lower_left, vec4 lower_right) {
    precise vec4 sum = (upper_left + upper_right) + (lower_left + lower_right);
    return 0.25 * sum;
}

// Invocations along a Z-curve: the four children of `index` are 4 index to 4 index + 3, at every level.
ivec2 place_on_curve(int index) {
    return ivec2((index & 1) | (index >> 1 & 2) | (index >> 2 & 4) | (index >> 3 & 8),
                 (index >> 1 & 1) | (index >> 2 & 2) | (index >> 3 & 4) | (index >> 4 & 8));
}

// A level smaller than the tile has no texels for some invocations. They read what is at the edge, and store nothing.
vec4 source_texel(ivec2 texel, int size) {
    return texelFetch(source, min(texel, ivec2(size - 1)), source_level);
}

#define STORE(level, texel, value) \
    if (all(lessThan(texel, ivec2(size >> (level))))) { \
        imageStore(targets[(level) - 1], texel, value); \
    }

// The texel of the first level, stored.
vec4 first_level(ivec2 texel, int size) {
    vec4 value = mean(source_texel(2 * texel, size), source_texel(2 * texel + ivec2(1, 0), size),
                      source_texel(2 * texel + ivec2(0, 1), size), source_texel(2 * texel + ivec2(1, 1), size));
    STORE(1, texel, value)
    return value;
}

void main() {
    int size = textureSize(source, source_level).x;
    int index = int(gl_LocalInvocationIndex);
    ivec2 tile = ivec2(gl_WorkGroupID.xy);
    ivec2 block = 16 * tile + place_on_curve(index);

    vec4 upper_left = first_level(2 * block, size);
    vec4 upper_right = first_level(2 * block + ivec2(1, 0), size);
    vec4 lower_left = first_level(2 * block + ivec2(0, 1), size);
    vec4 lower_right = first_level(2 * block + ivec2(1, 1), size);
#if LEVELS >= 2
    vec4 value = mean(upper_left, upper_right, lower_left, lower_right);
    STORE(2, block, value)
#endif
#if LEVELS >= 3
    exchanged[64 * (index & 3) + (index >> 2)] = value;
    int first = 0;  // of the level that is read
    int count = 64; // values of the level that is written
    for (int level = 3; level <= LEVELS; ++level) {
        barrier();
        if (index < count) {
            value = mean(exchanged[first + index], exchanged[first + count + index],
                         exchanged[first + 2 * count + index], exchanged[first + 3 * count + index]);
            STORE(level, (64 >> level) * tile + place_on_curve(index), value)
            if (level < LEVELS) {
                exchanged[first + 4 * count + (count >> 2) * (index & 3) + (index >> 2)] = value;
            }
        }
        first += 4 * count;
        count >>= 2;
    }
#endif
}
