#version 450 core
// Scene radiance -> display: bloom, exposure, a filmic curve, the sRGB transfer function and a dither of half a step.
layout(location = 0) in vec2 clip_position;
layout(location = 0) out vec4 color;
layout(binding = 0) uniform sampler2D scene;
layout(binding = 1) uniform sampler2D bloom;
layout(location = 0) uniform float exposure;
layout(location = 1) uniform float bloom_share;

#include "common/noise.glsl"

// Curve fitted to the ACES reference transform by K. Narkowicz (2016).
vec3 filmic(vec3 x) {
    return clamp((x * (2.51 * x + 0.03)) / (x * (2.43 * x + 0.59) + 0.14), 0.0, 1.0);
}

vec3 to_srgb(vec3 linear) {
    vec3 low = linear * 12.92;
    vec3 high = 1.055 * pow(linear, vec3(1.0 / 2.4)) - 0.055;
    return mix(high, low, lessThanEqual(linear, vec3(0.0031308)));
}

void main() {
    vec2 place = clip_position * 0.5 + 0.5;
    vec3 radiance = mix(texelFetch(scene, ivec2(gl_FragCoord.xy), 0).rgb, textureLod(bloom, place, 0.0).rgb, bloom_share);
    vec3 display = to_srgb(filmic(radiance * exposure));
    float dither = (hash_unit(ivec2(gl_FragCoord.xy)) - 0.5) / 255.0;
    color = vec4(display + dither, 1.0);
}
