// The sky's panorama: columns are azimuths, rows are elevations from the horizon (0) to the zenith (1), with the square
// root giving most rows to the horizon, where the eye looks and where reflections at grazing angles come from.
const float half_pi = 1.57079632679;

vec2 sky_map_coordinates(vec3 direction) {
    float azimuth = atan(direction.z, direction.x) / (4.0 * half_pi);
    float elevation = asin(clamp(direction.y, 0.0, 1.0)) / half_pi;
    return vec2(azimuth, sqrt(elevation));
}

vec3 sky_map_direction(vec2 coordinates) {
    float azimuth = coordinates.x * 4.0 * half_pi;
    float elevation = coordinates.y * coordinates.y * half_pi;
    return vec3(cos(azimuth) * cos(elevation), sin(elevation), sin(azimuth) * cos(elevation));
}

// Radiance from a direction at or above the horizon, blurred over 2^level texels. The map repeats along the azimuth; the
// clamp keeps the horizon from bleeding into the zenith.
vec3 sky_radiance(sampler2D sky_map, vec3 direction, float level) {
    vec2 coordinates = sky_map_coordinates(direction);
    float half_texel = 0.5 * exp2(ceil(level)) / float(textureSize(sky_map, 0).y);
    coordinates.y = clamp(coordinates.y, min(half_texel, 0.5), max(1.0 - half_texel, 0.5));
    return textureLod(sky_map, coordinates, level).rgb;
}
