#version 450 core
// A tileable pattern of bubbles and torn patches that foam is cut out of; made once at start.
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, r16f) uniform writeonly image2D foam_pattern;

#include "common/noise.glsl"

// Distance to the nearest feature point of a jittered lattice with `period` cells, 0 to about 1 (Worley 1996).
float cell_distance(vec2 position, int period) {
    ivec2 cell = ivec2(floor(position));
    vec2 inside = position - vec2(cell);
    float nearest = 8.0;
    for (int y = -1; y <= 1; ++y) {
        for (int x = -1; x <= 1; ++x) {
            ivec2 wrapped = ivec2(uvec2(cell + ivec2(x, y) + period) % uint(period));
            vec2 point = vec2(hash_unit(wrapped), hash_unit(wrapped + 977)) + vec2(x, y);
            nearest = min(nearest, length(point - inside));
        }
    }
    return nearest;
}

void main() {
    ivec2 size = imageSize(foam_pattern);
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    if (texel.x < size.x && texel.y < size.y) {
        vec2 place = (vec2(texel) + 0.5) / vec2(size);
        vec2 warp = vec2(value_noise(place * 8.0, 8), value_noise(place * 8.0 + 31.0, 8)) - 0.5;
        vec2 warped = place + warp * 0.06;
        // Cell borders form the lace of old foam, the fine cells its bubbles.
        float lace = cell_distance(warped * 7.0, 7) * 0.55 + cell_distance(warped * 16.0, 16) * 0.3;
        float bubbles = cell_distance(place * 48.0, 48) * 0.15;
        float patches = value_noise(warped * 5.0, 5) * 0.5 + value_noise(warped * 11.0, 11) * 0.3 + value_noise(warped * 23.0, 23) * 0.2;
        imageStore(foam_pattern, texel, vec4(clamp(0.62 * (lace + bubbles) + 0.55 * patches - 0.08, 0.0, 1.0)));
    }
}
