// Geometry of camera, mesh and sun: no GPU.
#include "engine/error.h"
#include "engine/render/camera.h"
#include "engine/render/ocean_mesh.h"
#include "engine/render/sky.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <glm/geometric.hpp>
#include <glm/vec4.hpp>
#include <gtest/gtest.h>
#include <vector>

namespace spindrift::render {
namespace {

TEST(Camera, LooksAlongMinusZAndTurnsRight) {
    Camera camera;
    EXPECT_NEAR(camera.forward().z, -1.0F, 1e-6F);
    turn(camera, 750.0F, 0.0F); // 90 degrees
    EXPECT_NEAR(camera.forward().x, 1.0F, 1e-6F);
    turn(camera, 0.0F, 1e6F);
    EXPECT_EQ(camera.pitch_degrees, 89.0F);
}

TEST(Camera, DepthIsReversedAndReachesInfinity) {
    const Camera camera{.position = {0.0F, 0.0F, 0.0F}};
    const auto depth = [&](float distance) {
        const glm::vec4 clip = camera.projection(1.5F) * camera.view() * glm::vec4(0.0F, 0.0F, -distance, 1.0F);
        return clip.z / clip.w;
    };
    EXPECT_NEAR(depth(Camera::near_plane), 1.0F, 1e-6F);
    EXPECT_GT(depth(1000.0F), depth(1001.0F));
    EXPECT_GT(depth(40000.0F), depth(40040.0F)); // 0.1 % apart at the horizon
    EXPECT_GT(depth(1e7F), 0.0F);
}

TEST(Camera, MotionIsTheSameInOneStepOrMany) {
    Camera one, many;
    const CameraMotion motion{.forward = 1.0F, .right = -1.0F};
    move(one, motion, 1.0F);
    for (int step = 0; step < 100; ++step) move(many, motion, 0.01F);
    EXPECT_NEAR(glm::length(one.position - many.position), 0.0F, 1e-3F);
}

TEST(OceanMesh, HasAtLeastTheVerticesAskedFor) {
    for (const std::int64_t vertices : {std::int64_t{1000}, std::int64_t{70'001}, std::int64_t{2'000'000}}) {
        const OceanMeshShape shape = OceanMeshShape::with_vertices(vertices);
        EXPECT_GE(shape.vertex_count(), vertices);
        EXPECT_LT(shape.vertex_count(), vertices + vertices / 50 + 100);
    }
    EXPECT_THROW(OceanMeshShape::with_vertices(0), Error);
    EXPECT_THROW(OceanMeshShape::with_vertices(ocean_mesh_vertices_max + 1), Error);
}

TEST(OceanMesh, TwoMillionVerticesNeed32BitIndicesAndUseEveryVertex) {
    const OceanMeshShape shape = OceanMeshShape::with_vertices(2'000'000);
    const std::vector<std::uint32_t> indices = ocean_mesh_indices(shape);
    ASSERT_EQ(indices.size(), static_cast<std::size_t>(shape.triangle_count()) * 3);
    std::vector<bool> used(static_cast<std::size_t>(shape.vertex_count()), false);
    for (const std::uint32_t index : indices) used.at(index) = true;
    EXPECT_EQ(std::count(used.begin(), used.end(), false), 0);
    EXPECT_GT(*std::max_element(indices.begin(), indices.end()), 65535U);
}

TEST(OceanMesh, CoversTheDiscOnceFacingUp) {
    const OceanMeshShape shape{.spokes = 60, .rings = 40, .inner_radius = 1.0F, .outer_radius = 1000.0F};
    const std::vector<float> positions = ocean_mesh_positions(shape);
    const std::vector<std::uint32_t> indices = ocean_mesh_indices(shape);
    double area = 0.0;
    for (std::size_t triangle = 0; triangle < indices.size(); triangle += 3) {
        const auto x = [&](int corner) { return static_cast<double>(positions[2 * indices[triangle + corner]]); };
        const auto z = [&](int corner) { return static_cast<double>(positions[2 * indices[triangle + corner] + 1]); };
        // y of the cross product of the edges, seen from above.
        const double twice = (z(1) - z(0)) * (x(2) - x(0)) - (x(1) - x(0)) * (z(2) - z(0));
        EXPECT_GT(twice, 0.0);
        area += 0.5 * twice;
    }
    const double polygon = 0.5 * 60 * std::sin(2.0 * 3.141592653589793 / 60) * 1000.0 * 1000.0;
    EXPECT_NEAR(area / polygon, 1.0, 1e-5); // no holes, no overlaps
}

TEST(Sky, SunIsWhereItIsPutAndRedAtTheHorizon) {
    const glm::vec3 east = sun_direction({.sun_elevation_degrees = 30.0F, .sun_azimuth_degrees = 90.0F});
    EXPECT_NEAR(east.y, 0.5F, 1e-6F);
    EXPECT_NEAR(east.x, std::sqrt(0.75F), 1e-6F);
    const glm::vec3 high = sun_irradiance({.sun_elevation_degrees = 80.0F});
    const glm::vec3 low = sun_irradiance({.sun_elevation_degrees = 2.0F});
    EXPECT_LT(high.r, 20.0F);
    EXPECT_GT(high.b / high.r, 0.6F);
    EXPECT_LT(low.b / low.r, 0.1F);
    EXPECT_LT(low.r, high.r);
}

} // namespace
} // namespace spindrift::render
