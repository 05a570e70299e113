// Where the camera is in each frame of a recording: a function of the frame's number alone, so that two machines render
// the same pictures however fast they are. With s = number of the frame, from 0 at the first recorded one, and `start`
// the camera of the settings:
//   still   start
//   turn    yaw grows by half a degree a frame: once around in 720 frames
//   flight  a quarter of a metre a frame along the horizontal direction that `start` looks in; yaw swings by
//           20 sin(2 pi s / 600) degrees and the height by the factor 1 + 0.25 sin(2 pi s / 450)
#pragma once

#include "engine/render/camera.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace spindrift {

enum class CameraPath { still, turn, flight };
inline constexpr std::array all_camera_paths{CameraPath::still, CameraPath::turn, CameraPath::flight};

std::string_view to_string(CameraPath path) noexcept;
std::optional<CameraPath> parse_camera_path(std::string_view name) noexcept;

render::Camera camera_on_path(CameraPath path, const render::Camera& start, std::int64_t frame);

} // namespace spindrift
