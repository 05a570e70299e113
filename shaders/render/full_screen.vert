#version 450 core
// One triangle that covers the screen, at the far end of the reversed depth range.
layout(location = 0) out vec2 clip_position;

void main() {
    vec2 corner = vec2((gl_VertexID << 1) & 2, gl_VertexID & 2);
    clip_position = corner * 2.0 - 1.0;
    gl_Position = vec4(clip_position, 0.0, 1.0);
}
