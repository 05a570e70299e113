#include "engine/render/frame_uniforms.h"

#include <glm/matrix.hpp>

namespace spindrift::render {

FrameUniforms frame_uniforms(const Camera& camera, int width, int height) {
    FrameUniforms uniforms;
    const auto width_pixels = static_cast<float>(width);
    const auto height_pixels = static_cast<float>(height);
    const glm::mat4 projection = camera.projection(width_pixels / height_pixels);
    const glm::mat4 view = camera.view();
    uniforms.view_projection = projection * view;
    glm::mat4 rotation = view;
    rotation[3] = glm::vec4(0.0F, 0.0F, 0.0F, 1.0F);
    uniforms.inverse_view_rotation_projection = glm::inverse(projection * rotation);
    uniforms.camera_position = glm::vec4(camera.position, 2.0F / (projection[1][1] * height_pixels));
    uniforms.viewport = {width_pixels, height_pixels, 1.0F / width_pixels, 1.0F / height_pixels};
    return uniforms;
}

} // namespace spindrift::render
