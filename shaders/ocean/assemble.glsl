// From the eight fields of a texel to what the surface is drawn with: displacement, Jacobian, the exact normal's slopes,
// and foam that remembers.
//
// With lambda the choppiness, the surface point is (x + lambda Dx, h, z + lambda Dz), and
//   Jxx = 1 + lambda Dxx,  Jzz = 1 + lambda Dzz,  Jxz = lambda Dxz,  J = Jxx Jzz - Jxz^2
//   normal N = (-(hx Jzz - hz Jxz), J, -(hz Jxx - hx Jxz))
// Defines: SMALLEST_JACOBIAN and LARGEST_SLOPE (simulation.h).

layout(location = 1) uniform float choppiness;
layout(location = 2) uniform float foam_threshold;
layout(location = 3) uniform float foam_strength;
layout(location = 4) uniform float foam_decay; // exp(-rate dt)

layout(binding = 1, rgba32f) restrict writeonly uniform image2D displacement_image;
// Full floats: the variance of the slopes is a small difference of squares, and half floats round two sums that differ in
// their last bit to glints that differ by several steps of the display.
layout(binding = 2, rgba32f) restrict writeonly uniform image2D derivative_image;
layout(binding = 3, r32f) restrict uniform image2D foam_image; // in half floats, small decays would round away

#include "ocean/field_pairs.glsl"

void assemble(ivec2 cell, FieldPairs fields) {
    vec2 displacement = choppiness * fields.pair[0];
    float height = fields.pair[1].x;
    float jacobian_xz = choppiness * fields.pair[1].y;
    vec2 height_slope = fields.pair[2];
    vec2 stretch = 1.0 + choppiness * fields.pair[3];
    float jacobian = stretch.x * stretch.y - jacobian_xz * jacobian_xz;

    // Where the surface folds, the slope has no bound and then the wrong sign; both would sparkle.
    vec2 slope = (height_slope * stretch.yx - height_slope.yx * jacobian_xz) / max(jacobian, SMALLEST_JACOBIAN);
    float steepness = length(slope);
    if (steepness > LARGEST_SLOPE) {
        slope *= LARGEST_SLOPE / steepness;
    }

    float made = clamp((foam_threshold - jacobian) * foam_strength, 0.0, 1.0);
    float foam = max(imageLoad(foam_image, cell).x * foam_decay, made);

    imageStore(displacement_image, cell, vec4(displacement.x, height, displacement.y, jacobian));
    imageStore(derivative_image, cell, vec4(slope, foam, dot(slope, slope)));
    imageStore(foam_image, cell, vec4(foam, 0.0, 0.0, 0.0));
}
