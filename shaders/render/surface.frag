#version 450 core
// The sea's surface: sky and sun reflected by facets, light from inside the water, foam, and the air in front of it.
layout(location = 0) in vec2 sea_position;
layout(location = 1) in vec3 world_position;
layout(location = 0) out vec4 color;

layout(binding = 1) uniform sampler2D derivatives_map; // (slope x, slope z, foam, squared slope), mips average
layout(binding = 2) uniform sampler2D sky_map;
layout(binding = 3) uniform sampler2D foam_pattern;
layout(location = 0) uniform float tile_length;        // metres
layout(location = 2) uniform vec4 wind;                // unit direction (x, z), speed in m/s, significant height in metres
layout(location = 3) uniform vec4 detail_offsets;      // drift of the two ripple layers, in their tiles
layout(location = 4) uniform vec4 look;                // ripples, light through crests, foam, visibility in metres
layout(location = 5) uniform vec3 water_reflectance;   // share of the light that enters and comes back up, per channel

#include "common/noise.glsl"
#include "render/frame.glsl"
#include "render/sky_map.glsl"

const float pi = 3.14159265359;

// Rotations that are no symmetry of the tile, so that layers do not line up.
const mat2 turn_first = mat2(0.7986, 0.6018, -0.6018, 0.7986);
const mat2 turn_second = mat2(0.3420, -0.9397, 0.9397, 0.3420);
const mat2 turn_wide = mat2(0.9205, -0.3907, 0.3907, 0.9205);

struct Facets {
    vec2 slope;     // mean slope of what the pixel covers
    float variance; // variance of the slope inside the pixel, both axes together
    float foam;
};

// The longest extent of what a pixel covers of the sea, metres. From the view and the waves alone: screen-space derivatives
// jump from triangle to triangle, and with them the mip level.
float footprint_of(vec3 from_eye, float distance_to_eye) {
    float width = distance_to_eye * frame.camera_position.w;
    // The inclination of the wave that the pixel lies on, from a smooth version of it. Small waves turn some facets towards
    // the eye even on a slope that faces away: an rms slope of 0.06 sets the limit.
    float sine = from_eye.y / distance_to_eye;
    float smooth_length = 4.0 * width / sqrt(sine * sine + 0.02) + 0.004 * tile_length;
    float level = log2(max(smooth_length / tile_length * float(textureSize(derivatives_map, 0).x), 1.0));
    vec2 slope = textureLod(derivatives_map, sea_position / tile_length, level).xy;
    vec3 normal = normalize(vec3(-slope.x, 1.0, -slope.y));
    float cosine = dot(normal, -from_eye / distance_to_eye);
    float stretch = inversesqrt(max(cosine, 0.0) * max(cosine, 0.0) + 0.0036);
    return width * stretch;
}

// A layer of the derivatives map, turned and scaled; slopes keep their steepness.
vec4 layer(mat2 turn, float length_of_tile, vec2 offset, float footprint) {
    float level = log2(max(footprint / length_of_tile * float(textureSize(derivatives_map, 0).x), 1.0));
    vec4 texel = textureLod(derivatives_map, turn * sea_position / length_of_tile + offset, level);
    texel.w = max(texel.w - dot(texel.xy, texel.xy), 0.0);
    texel.xy = texel.xy * turn; // back: the transpose is the inverse
    return texel;
}

// Gusts and slicks: wind that varies over hundreds of metres roughens the sea in patches.
float gust(vec2 position) {
    return 0.55 + 0.9 * fractal_noise(vec2(dot(position, wind.xy) * 0.0016, dot(position, vec2(-wind.y, wind.x)) * 0.0034), 3);
}

Facets facets(float distance_to_eye, float gusts, float footprint) {
    vec4 waves = layer(mat2(1.0), tile_length, vec2(0.0), footprint);
    // Far away the tile's repetition would show: mix in the same sea at another scale and angle.
    float far = 0.8 * smoothstep(1.2 * tile_length, 8.0 * tile_length, distance_to_eye);
    vec4 wide = layer(turn_wide, tile_length * 2.618, vec2(0.37, 0.71), footprint);
    float keep = sqrt(1.0 - far * far);
    vec4 first = layer(turn_first, tile_length * 0.1271, detail_offsets.xy, footprint);
    vec4 second = layer(turn_second, tile_length * 0.0283, detail_offsets.zw, footprint);
    float first_weight = 0.50 * look.x * gusts;
    float second_weight = 0.55 * look.x * gusts;
    Facets result;
    result.slope = waves.xy * keep + wide.xy * far + first.xy * first_weight + second.xy * second_weight;
    // Capillary waves below every map: a share of Cox and Munk's (1954) slope variance for this wind.
    float unresolved = (0.0005 + 0.00020 * wind.z) * gusts;
    result.variance = waves.w * keep * keep + wide.w * far * far + first.w * first_weight * first_weight +
                      second.w * second_weight * second_weight + unresolved;
    result.foam = mix(waves.z, wide.z, far * 0.7);
    return result;
}

// Mean Fresnel reflectance of a rough sea (Bruneton, Neyret and Holzschuch 2010).
float fresnel(float cosine, float deviation) {
    return 0.02 + 0.98 * pow(1.0 - cosine, 5.0 * exp(-2.69 * deviation)) / (1.0 + 22.7 * pow(deviation, 1.5));
}

vec3 reflected_sky(vec3 to_eye, vec3 normal, float deviation) {
    vec3 direction = reflect(-to_eye, normal);
    // Facets that face the eye are seen more than the others, so a rough sea mirrors a higher part of the sky.
    direction.y = abs(direction.y) + 0.9 * deviation * (1.0 - to_eye.y) * (1.0 - abs(direction.y));
    float level = clamp(log2(1.0 + deviation * 160.0), 0.0, 6.0);
    return sky_radiance(sky_map, normalize(direction), level);
}

// Sunlight mirrored by facets with Gaussian slopes (Cox and Munk 1954; Bruneton et al. 2010).
vec3 glitter(vec3 to_eye, Facets facets, float cosine_to_eye) {
    vec3 to_sun = frame.sun_direction.xyz;
    vec3 halfway = normalize(to_eye + to_sun);
    float height = max(halfway.y, 0.05);
    vec2 slope = -halfway.xz / height - facets.slope;
    float variance = 0.5 * facets.variance + 0.0004;
    float density = exp(-min(dot(slope, slope) / (2.0 * variance), 40.0)) / (2.0 * pi * variance);
    float reflectance = 0.02 + 0.98 * pow(1.0 - max(dot(to_eye, halfway), 0.0), 5.0);
    float above_horizon = smoothstep(-0.01, 0.03, to_sun.y);
    return frame.sun_irradiance.rgb * (reflectance * density * above_horizon / (4.0 * max(cosine_to_eye, 0.04) * pow(height, 4.0)));
}

vec3 light_from_water(vec3 to_eye, vec3 normal, vec3 ambient) {
    vec3 to_sun = frame.sun_direction.xyz;
    vec3 down = frame.sun_irradiance.rgb * max(to_sun.y, 0.0) + ambient;
    vec3 deep = water_reflectance / pi * down;
    // Crests between the eye and the sun are thin: light enters on the far side and leaves towards the eye.
    float height = clamp(0.35 + world_position.y / max(wind.w, 0.2), 0.0, 1.6);
    float against = pow(max(dot(-to_eye, normalize(vec3(to_sun.x, to_sun.y * 0.4, to_sun.z))), 0.0), 3.0);
    float thin = pow(0.5 - 0.5 * dot(to_sun, normal), 2.0);
    vec3 crest_color = vec3(0.012, 0.115, 0.095);
    vec3 through = crest_color * frame.sun_irradiance.rgb * (height * height * (0.20 + 1.1 * against) * thin);
    float facing = max(dot(to_eye, normal), 0.0);
    return deep * (0.75 + 0.5 * facing) + through * look.y * 0.55;
}

struct Foam {
    float cover; // share of the pixel
    float light; // bubbles and the gaps between them
};

// Fresh foam is dense, old foam falls apart along the pattern, which is stretched along the wind.
float foam_layer(vec2 scale, float shift, float footprint) {
    mat2 to_wind = transpose(mat2(wind.xy * scale.x, vec2(-wind.y, wind.x) * scale.y));
    float level = log2(max(footprint * scale.y * float(textureSize(foam_pattern, 0).x), 1.0));
    return textureLod(foam_pattern, to_wind * sea_position + shift, level).r;
}

Foam foam_of(float amount, float footprint) {
    float coarse = foam_layer(vec2(0.035, 0.06), 0.0, footprint);
    float fine = foam_layer(vec2(0.19, 0.25), coarse * 0.07, footprint);
    float finest = foam_layer(vec2(0.83, 0.97), fine * 0.05, footprint);
    float pattern = 0.42 * coarse + 0.33 * fine + 0.25 * finest;
    float edge = 0.85 - 0.66 * amount;
    Foam foam;
    foam.cover = smoothstep(edge, edge + 0.26, pattern) * smoothstep(0.0, 0.10, amount);
    foam.light = 0.62 + 0.75 * (0.4 * fine + 0.6 * finest);
    return foam;
}

void main() {
    vec3 from_eye = world_position - frame.camera_position.xyz;
    float distance_to_eye = length(from_eye);
    vec3 to_eye = -from_eye / distance_to_eye;

    float gusts = gust(sea_position);
    float footprint = footprint_of(from_eye, distance_to_eye);
    Facets surface = facets(distance_to_eye, gusts, footprint);
    vec3 normal = normalize(vec3(-surface.slope.x, 1.0, -surface.slope.y));
    // A facet that the filtering turned away from the eye is seen edge-on at most.
    float cosine = dot(normal, to_eye);
    if (cosine < 0.02) {
        normal = normalize(normal + to_eye * (0.02 - cosine));
        cosine = 0.02;
    }
    float deviation = sqrt(surface.variance);

    float highest_level = 8.0;
    vec3 ambient = pi * sky_radiance(sky_map, vec3(0.0, 1.0, 0.0), highest_level);
    float reflectance = fresnel(cosine, deviation);
    vec3 radiance = reflectance * reflected_sky(to_eye, normal, deviation) + glitter(to_eye, surface, cosine) +
                    (1.0 - reflectance) * light_from_water(to_eye, normal, ambient);

    Foam foam = foam_of(clamp(surface.foam * look.z, 0.0, 1.0), footprint);
    vec3 foam_light = frame.sun_irradiance.rgb * max(dot(normal, frame.sun_direction.xyz), 0.0) + ambient;
    radiance = mix(radiance, foam_light * (0.72 / pi * foam.light), foam.cover);

    // Air between: what it takes away it replaces by the light of the horizon behind.
    float clear = exp(-distance_to_eye / look.w);
    vec3 horizon = sky_radiance(sky_map, normalize(vec3(from_eye.x, 0.004 * distance_to_eye, from_eye.z)), 1.0);
    color = vec4(mix(horizon, radiance, clear), 1.0);
}
