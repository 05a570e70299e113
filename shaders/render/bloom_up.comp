#version 450 core
// Adds the blurred level below to this level of the bloom pyramid.
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) uniform sampler2D source;
layout(binding = 0, rgba16f) uniform image2D target;
layout(location = 0) uniform int source_level;

void main() {
    ivec2 size = imageSize(target);
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    if (texel.x < size.x && texel.y < size.y) {
        vec2 place = (vec2(texel) + 0.5) / vec2(size);
        vec2 step = 0.75 / vec2(textureSize(source, source_level));
        vec3 sum = textureLod(source, place, float(source_level)).rgb * 4.0;
        for (int y = -1; y <= 1; y += 2)
            for (int x = -1; x <= 1; x += 2)
                sum += textureLod(source, place + vec2(x, y) * step, float(source_level)).rgb;
        vec3 own = imageLoad(target, texel).rgb;
        imageStore(target, texel, vec4(mix(own, sum * 0.125, 0.55), 1.0));
    }
}
