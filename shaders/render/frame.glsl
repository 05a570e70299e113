// The frame's uniform block; engine/render/frame_uniforms.h is its C++ side.
layout(std140, binding = 0) uniform Frame {
    mat4 view_projection;
    mat4 inverse_view_rotation_projection; // clip space -> direction from the camera
    vec4 camera_position; // metres; w = angle of a pixel, radians
    vec4 sun_direction;  // towards the sun; w = cosine of the disc's angular radius
    vec4 sun_irradiance; // at sea level, facing the sun
    vec4 viewport;       // width, height, 1/width, 1/height
} frame;
