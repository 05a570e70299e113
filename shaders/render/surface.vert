#version 450 core
// Moves the disc around the camera by the sea's displacement map.
layout(location = 0) in vec2 offset_from_camera; // metres, (x, z)
layout(location = 0) out vec2 sea_position;      // metres, (x, z) before displacement
layout(location = 1) out vec3 world_position;

layout(binding = 0) uniform sampler2D displacement_map; // (lambda Dx, h, lambda Dz, J) in metres
layout(location = 0) uniform float tile_length;         // metres
layout(location = 1) uniform float vertex_spacing;      // distance to the next vertex per metre of distance to the camera

#include "render/frame.glsl"

void main() {
    sea_position = frame.camera_position.xz + offset_from_camera;
    // The mip level whose texels are as far apart as the vertices: nothing is skipped, so nothing shimmers.
    float texel_length = tile_length / float(textureSize(displacement_map, 0).x);
    float spacing = length(offset_from_camera) * vertex_spacing;
    float level = log2(max(spacing / texel_length, 1.0));
    vec3 displacement = textureLod(displacement_map, sea_position / tile_length, level).xyz;
    world_position = vec3(sea_position.x, 0.0, sea_position.y) + displacement;
    gl_Position = frame.view_projection * vec4(world_position, 1.0);
}
