#version 450 core
// Fills the sky's panorama: single scattering by air and haze with ozone's absorption (Nishita et al. 1993; Hillaire 2020 for
// the coefficients), an estimate of what is scattered more than once, and one layer of clouds.
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, rgba16f) uniform writeonly image2D sky_map;

layout(location = 0) uniform vec3 sun_direction;
layout(location = 1) uniform float cloud_cover;   // 0 to 1
layout(location = 2) uniform vec2 cloud_offset;   // metres
layout(location = 3) uniform float haze;          // multiplies the amount of haze

#include "common/noise.glsl"
#include "render/sky_map.glsl"

const float planet_radius = 6360e3;
const float atmosphere_radius = 6420e3;
const vec3 air_scattering = vec3(5.802e-6, 13.558e-6, 33.1e-6);
const float haze_scattering = 3.996e-6;
const float haze_extinction = 4.44e-6;
const vec3 ozone_absorption = vec3(0.650e-6, 1.881e-6, 0.085e-6);
const float sun_irradiance_above = 20.0;
const float pi = 3.14159265359;

// Distance to the sphere's far side from inside it.
float distance_to_sphere(vec3 origin, vec3 direction, float radius) {
    float b = dot(origin, direction);
    float c = dot(origin, origin) - radius * radius;
    return -b + sqrt(max(b * b - c, 0.0));
}

// Densities of air, haze and ozone at a height above the sea.
vec3 densities(float height) {
    return vec3(exp(-height / 8000.0), exp(-height / 1200.0), max(0.0, 1.0 - abs(height - 25000.0) / 15000.0));
}

vec3 extinction(vec3 density_sums) {
    return air_scattering * density_sums.x + haze_extinction * haze * density_sums.y + ozone_absorption * density_sums.z;
}

vec3 optical_depth_to_sun(vec3 position) {
    const int steps = 8;
    float length_of_step = distance_to_sphere(position, sun_direction, atmosphere_radius) / float(steps);
    vec3 sums = vec3(0.0);
    for (int step = 0; step < steps; ++step) {
        vec3 sample_position = position + sun_direction * (length_of_step * (float(step) + 0.5));
        sums += densities(max(length(sample_position) - planet_radius, 0.0)) * length_of_step;
    }
    return extinction(sums);
}

float haze_phase(float cosine) {
    const float g = 0.76; // Cornette and Shanks 1992
    return 3.0 / (8.0 * pi) * (1.0 - g * g) * (1.0 + cosine * cosine) /
           ((2.0 + g * g) * pow(1.0 + g * g - 2.0 * g * cosine, 1.5));
}

float air_phase(float cosine) { return 3.0 / (16.0 * pi) * (1.0 + cosine * cosine); }

vec3 atmosphere(vec3 direction, float end_fraction) {
    const int steps = 20;
    vec3 origin = vec3(0.0, planet_radius + 10.0, 0.0);
    float path = distance_to_sphere(origin, direction, atmosphere_radius) * end_fraction;
    float cosine = dot(direction, sun_direction);
    vec3 sums = vec3(0.0), radiance = vec3(0.0);
    float previous = 0.0;
    for (int step = 0; step < steps; ++step) {
        // Squared spacing: most of the air lies near the viewer.
        float next = path * pow(float(step + 1) / float(steps), 2.0);
        float length_of_step = next - previous;
        vec3 position = origin + direction * (0.5 * (previous + next));
        vec3 density = densities(max(length(position) - planet_radius, 0.0));
        vec3 through = exp(-extinction(sums + 0.5 * density * length_of_step));
        vec3 sunlight = exp(-optical_depth_to_sun(position));
        vec3 once = sunlight * (air_scattering * density.x * air_phase(cosine) +
                                haze_scattering * haze * density.y * haze_phase(cosine));
        // Light scattered more than once comes from everywhere; a quarter of the sunlight at the place is close to the
        // tables of Hillaire 2020 for a high sun.
        vec3 again = 0.25 * sunlight * (air_scattering * density.x + haze_scattering * haze * density.y) / (4.0 * pi);
        radiance += through * (once + again) * length_of_step;
        sums += density * length_of_step;
        previous = next;
    }
    return radiance * sun_irradiance_above;
}

float cloud_density(vec2 position) {
    float wide = fractal_noise(position * 0.00011 + 3.7, 3);
    float fine = fractal_noise(position * 0.00055 + wide * 1.3, 6);
    float shape = fine * 0.65 + wide * 0.5;
    return smoothstep(0.86 - 0.55 * cloud_cover, 1.06 - 0.45 * cloud_cover, shape + 0.12);
}

// Clouds in front of `background`.
vec3 with_clouds(vec3 direction, vec3 background) {
    const float layer_height = 1400.0;
    // The added term bends the flat layer down at the horizon as the planet's curvature would.
    vec2 position = direction.xz / (direction.y + 0.035) * layer_height + cloud_offset;
    float density = cloud_density(position);
    if (density <= 0.0) return background;
    vec2 towards_sun = sun_direction.xz / max(length(sun_direction.xz), 1e-3);
    float shadow = 0.0;
    for (int step = 1; step <= 3; ++step) shadow += cloud_density(position + towards_sun * (110.0 * float(step)));
    float lit = exp(-0.75 * shadow) * 0.85 + 0.15;
    float cosine = dot(direction, sun_direction);
    vec3 sunlight = exp(-optical_depth_to_sun(vec3(0.0, planet_radius + layer_height, 0.0))) * sun_irradiance_above;
    float silver_lining = 0.35 * haze_phase(cosine) * (1.0 - density);
    vec3 ambient = background * 0.35 + vec3(0.35, 0.40, 0.48) * dot(sunlight, vec3(0.045));
    vec3 cloud = sunlight * (lit * 0.105 + silver_lining) + ambient * (1.0 - 0.35 * density);
    float horizon_fade = smoothstep(0.015, 0.14, direction.y);
    return mix(background, cloud, density * 0.92 * horizon_fade);
}

void main() {
    ivec2 size = imageSize(sky_map);
    ivec2 texel = ivec2(gl_GlobalInvocationID.xy);
    if (texel.x < size.x && texel.y < size.y) {
        vec3 direction = sky_map_direction((vec2(texel) + 0.5) / vec2(size));
        vec3 radiance = with_clouds(direction, atmosphere(direction, 1.0));
        imageStore(sky_map, texel, vec4(radiance, 1.0));
    }
}
