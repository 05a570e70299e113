#version 450 core
// The sky behind the sea, with the sun's disc.
layout(location = 0) in vec2 clip_position;
layout(location = 0) out vec4 color;
layout(binding = 0) uniform sampler2D sky_map;

#include "render/frame.glsl"
#include "render/sky_map.glsl"

void main() {
    vec4 far_point = frame.inverse_view_rotation_projection * vec4(clip_position, 1.0, 1.0);
    vec3 direction = normalize(far_point.xyz / far_point.w);
    vec3 radiance = sky_radiance(sky_map, direction, 0.0);
    // The disc: the sun's irradiance over its solid angle, with a soft edge of about a pixel and limb darkening.
    float cosine = dot(direction, frame.sun_direction.xyz);
    float disc_cosine = frame.sun_direction.w;
    float inside = smoothstep(disc_cosine - 2e-6, disc_cosine + 2e-6, cosine);
    float from_centre = clamp((1.0 - cosine) / (1.0 - disc_cosine), 0.0, 1.0);
    float limb = 0.4 + 0.6 * sqrt(1.0 - from_centre);
    // The true radiance (irradiance / 6.8e-5 sr) would only saturate half floats.
    radiance += inside * limb * min(frame.sun_irradiance.rgb * 800.0, vec3(20000.0)) * smoothstep(-0.01, 0.0, direction.y);
    color = vec4(radiance, 1.0);
}
