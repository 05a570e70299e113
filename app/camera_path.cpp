#include "app/camera_path.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace spindrift {
namespace {

constexpr std::int64_t turn_frames = 720;
constexpr double metres_per_frame = 0.25;
constexpr double swing_degrees = 20.0, swing_frames = 600.0;
constexpr double climb = 0.25, climb_frames = 450.0;

/// sin(2 pi frame / period), exact in its argument for any number of frames.
double wave(std::int64_t frame, double period) {
    return std::sin(2.0 * std::numbers::pi * std::fmod(static_cast<double>(frame), period) / period);
}

/// Between -180 and 180 degrees, as the setting has it.
float wrapped(double degrees) {
    return static_cast<float>(std::remainder(degrees, 360.0));
}

} // namespace

std::string_view to_string(CameraPath path) noexcept {
    switch (path) {
    case CameraPath::still:
        return "still";
    case CameraPath::turn:
        return "turn";
    case CameraPath::flight:
        return "flight";
    }
    return "";
}

std::optional<CameraPath> parse_camera_path(std::string_view name) noexcept {
    const auto found = std::find_if(all_camera_paths.begin(), all_camera_paths.end(),
                                    [name](CameraPath path) { return to_string(path) == name; });
    return found == all_camera_paths.end() ? std::nullopt : std::optional(*found);
}

render::Camera camera_on_path(CameraPath path, const render::Camera& start, std::int64_t frame) {
    render::Camera camera = start;
    if (path == CameraPath::turn) {
        const double turned = 360.0 * static_cast<double>(frame % turn_frames) / static_cast<double>(turn_frames);
        if (frame != 0) camera.yaw_degrees = wrapped(start.yaw_degrees + turned);
    } else if (path == CameraPath::flight) {
        const double heading = start.yaw_degrees * std::numbers::pi / 180.0;
        const double distance = metres_per_frame * static_cast<double>(frame);
        camera.position.x = static_cast<float>(start.position.x + distance * std::sin(heading));
        camera.position.z = static_cast<float>(start.position.z - distance * std::cos(heading));
        camera.position.y = static_cast<float>(start.position.y * (1.0 + climb * wave(frame, climb_frames)));
        if (frame != 0) camera.yaw_degrees = wrapped(start.yaw_degrees + swing_degrees * wave(frame, swing_frames));
    }
    return camera;
}

} // namespace spindrift
