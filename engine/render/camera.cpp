#include "engine/render/camera.h"

#include <algorithm>
#include <cmath>
#include <glm/gtc/matrix_transform.hpp>
#include <glm/trigonometric.hpp>

namespace spindrift::render {
namespace {

constexpr float degrees_per_pixel = 0.12F;
constexpr float lowest_height = 0.5F; ///< metres above the mean sea level that count for the speed

} // namespace

glm::vec3 Camera::forward() const {
    const float yaw = glm::radians(yaw_degrees);
    const float pitch = glm::radians(pitch_degrees);
    return {std::sin(yaw) * std::cos(pitch), std::sin(pitch), -std::cos(yaw) * std::cos(pitch)};
}

glm::vec3 Camera::right() const {
    const float yaw = glm::radians(yaw_degrees);
    return {std::cos(yaw), 0.0F, std::sin(yaw)};
}

glm::mat4 Camera::view() const {
    return glm::lookAt(position, position + forward(), glm::vec3(0.0F, 1.0F, 0.0F));
}

glm::mat4 Camera::projection(float aspect_ratio) const {
    const float scale = 1.0F / std::tan(glm::radians(field_of_view_degrees) / 2.0F);
    glm::mat4 matrix(0.0F);
    matrix[0][0] = scale / aspect_ratio;
    matrix[1][1] = scale;
    matrix[2][3] = -1.0F;
    matrix[3][2] = near_plane;
    return matrix;
}

void move(Camera& camera, const CameraMotion& motion, float seconds) {
    const float height = std::max(std::abs(camera.position.y), lowest_height);
    const float speed = (4.0F + 1.5F * height) * (motion.fast ? 6.0F : 1.0F);
    const glm::vec3 direction =
        camera.forward() * motion.forward + camera.right() * motion.right + glm::vec3(0.0F, motion.up, 0.0F);
    camera.position += direction * (speed * seconds);
}

void turn(Camera& camera, float pixels_right, float pixels_up) {
    camera.yaw_degrees = std::remainder(camera.yaw_degrees + pixels_right * degrees_per_pixel, 360.0F);
    camera.pitch_degrees = std::clamp(camera.pitch_degrees + pixels_up * degrees_per_pixel, -89.0F, 89.0F);
}

} // namespace spindrift::render
