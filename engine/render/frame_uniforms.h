// What every drawing shader of a frame knows. The same block as shaders/render/frame.glsl, std140.
#pragma once

#include "engine/gl/buffer.h"
#include "engine/render/camera.h"

#include <glm/vec4.hpp>

namespace spindrift::render {

inline constexpr unsigned frame_uniform_binding = 0;

/// Radiometric quantities share one arbitrary unit: sunlight above the atmosphere has an irradiance of 20.
struct FrameUniforms {
    glm::mat4 view_projection{1.0F};
    glm::mat4 inverse_view_rotation_projection{1.0F}; ///< clip space -> direction from the camera
    glm::vec4 camera_position{0.0F};                  ///< metres; w = angle that a pixel covers, radians
    glm::vec4 sun_direction{0.0F, 1.0F, 0.0F, 0.0F};  ///< towards the sun; w = cosine of the disc's angular radius
    glm::vec4 sun_irradiance{0.0F};                   ///< at sea level, on a surface that faces the sun
    glm::vec4 viewport{1.0F};                         ///< width, height, 1/width, 1/height in pixels
};
static_assert(sizeof(FrameUniforms) == 2 * 64 + 4 * 16, "must match the std140 layout of shaders/render/frame.glsl");

class FrameUniformBuffer {
public:
    FrameUniformBuffer() : buffer_(sizeof(FrameUniforms), gl::BufferUsage::dynamic, "frame uniforms") {}
    void upload_and_bind(const FrameUniforms& uniforms) {
        buffer_.upload_value(uniforms);
        buffer_.bind(gl::BufferTarget::uniform, frame_uniform_binding);
    }

private:
    gl::Buffer buffer_;
};

/// Matrices, camera and viewport; the sun is the sky's to fill in.
FrameUniforms frame_uniforms(const Camera& camera, int width, int height);

} // namespace spindrift::render
