// The recording's camera against positions worked out by hand.
#include "app/camera_path.h"

#include <gtest/gtest.h>

namespace spindrift {
namespace {

render::Camera start() {
    render::Camera camera;
    camera.position = {10.0F, 8.0F, -4.0F};
    camera.yaw_degrees = 90.0F; // along +x
    camera.pitch_degrees = -5.0F;
    return camera;
}

TEST(CameraPath, NamesLeadBack) {
    for (const CameraPath path : all_camera_paths) EXPECT_EQ(parse_camera_path(to_string(path)), path);
    EXPECT_FALSE(parse_camera_path("loop"));
}

TEST(CameraPath, EveryPathBeginsAtTheStart) {
    for (const CameraPath path : all_camera_paths) {
        const render::Camera camera = camera_on_path(path, start(), 0);
        EXPECT_EQ(camera.position, start().position) << to_string(path);
        EXPECT_EQ(camera.yaw_degrees, start().yaw_degrees) << to_string(path);
        EXPECT_EQ(camera.pitch_degrees, start().pitch_degrees) << to_string(path);
    }
    EXPECT_EQ(camera_on_path(CameraPath::still, start(), 12345).position, start().position);
}

TEST(CameraPath, TurnGoesAroundIn720Frames) {
    const auto yaw = [](std::int64_t frame) { return camera_on_path(CameraPath::turn, start(), frame).yaw_degrees; };
    EXPECT_FLOAT_EQ(yaw(1), 90.5F);
    EXPECT_FLOAT_EQ(yaw(360), -90.0F);
    EXPECT_FLOAT_EQ(yaw(720), 90.0F);
    EXPECT_FLOAT_EQ(yaw(720'000'001), 90.5F);
    EXPECT_EQ(camera_on_path(CameraPath::turn, start(), 100).position, start().position);
}

TEST(CameraPath, FlightGoesForwardAndSwings) {
    const render::Camera quarter = camera_on_path(CameraPath::flight, start(), 150); // a quarter of the yaw's swing
    EXPECT_FLOAT_EQ(quarter.position.x, 10.0F + 37.5F);
    EXPECT_NEAR(quarter.position.z, -4.0F, 1e-5F);
    EXPECT_FLOAT_EQ(quarter.yaw_degrees, 110.0F);
    EXPECT_NEAR(quarter.position.y, 8.0F * (1.0F + 0.25F * 0.8660254F), 1e-5F); // sin(120 degrees)
    const render::Camera far = camera_on_path(CameraPath::flight, start(), 1800);
    EXPECT_FLOAT_EQ(far.position.x, 460.0F);
    EXPECT_NEAR(far.yaw_degrees, 90.0F, 1e-4F);
    EXPECT_NEAR(far.position.y, 8.0F, 1e-4F);
    EXPECT_EQ(camera_on_path(CameraPath::flight, start(), 77).position,
              camera_on_path(CameraPath::flight, start(), 77).position);
}

} // namespace
} // namespace spindrift
