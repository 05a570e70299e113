// A free camera: where it stands, where it looks, and the matrices that follow.
#pragma once

#include <glm/mat4x4.hpp>
#include <glm/vec3.hpp>

namespace spindrift::render {

/// World: right-handed, y up, metres. Yaw 0 looks along -z and grows to the right (towards +x); pitch grows upwards.
struct Camera {
    glm::vec3 position{0.0F, 6.0F, 0.0F};
    float yaw_degrees = 0.0F;
    float pitch_degrees = 0.0F;          ///< -89 to 89
    float field_of_view_degrees = 55.0F; ///< vertical

    glm::vec3 forward() const;
    glm::vec3 right() const;
    glm::mat4 view() const;
    /// Reversed depth without a far plane: 1 at `near_plane` metres, 0 at infinity. Float depth then resolves about
    /// 1e-7 of the distance everywhere, which is why the horizon does not z-fight. Needs glClipControl(zero to one).
    glm::mat4 projection(float aspect_ratio) const;

    static constexpr float near_plane = 0.1F;
};

/// What the user holds down; each axis from -1 to 1.
struct CameraMotion {
    float forward = 0.0F;
    float right = 0.0F;
    float up = 0.0F;
    bool fast = false;
};

/// Moves `camera` by `seconds` of `motion`. Speed grows with height, so that a bird crosses the sea as easily as a
/// swimmer crosses a wave. Independent of the frame rate.
void move(Camera& camera, const CameraMotion& motion, float seconds);

/// Turns by mouse pixels; never scaled by frame time.
void turn(Camera& camera, float pixels_right, float pixels_up);

} // namespace spindrift::render
