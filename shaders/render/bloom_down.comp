#version 450 core
// One level of the bloom pyramid: a 4 x 4 tent of the level above.
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) uniform sampler2D source;
layout(binding = 0, rgba16f) uniform writeonly image2D target;
layout(location = 0) uniform int source_level;
layout(location = 1) uniform float limit; // radiance above it is cut, so that one glint cannot flicker over the picture

void main() {
    ivec2 size = imageSize(target);
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    if (texel.x < size.x && texel.y < size.y) {
        vec2 place = (vec2(texel) + 0.5) / vec2(size);
        vec2 step = 1.0 / vec2(textureSize(source, source_level));
        vec3 sum = vec3(0.0);
        for (int y = -1; y <= 1; y += 2)
            for (int x = -1; x <= 1; x += 2)
                sum += min(textureLod(source, place + vec2(x, y) * step, float(source_level)).rgb, vec3(limit));
        imageStore(target, texel, vec4(sum * 0.25, 1.0));
    }
}
