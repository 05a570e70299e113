// The mesh of the sea's surface: a disc around the camera that reaches the horizon.
#pragma once

#include "engine/gl/framebuffer.h"

#include <cstdint>
#include <vector>

namespace spindrift::render {

/// Rings and spokes. Ring radii grow by a constant factor, so that triangles cover about the same angle everywhere:
/// fine at the viewer's feet, coarse at the horizon, and no seams between levels of detail because there are none.
struct OceanMeshShape {
    int spokes = 2048;
    int rings = 1024;
    float inner_radius = 0.25F;    ///< metres; the hole below the camera is closed by a centre vertex
    float outer_radius = 40000.0F; ///< metres

    /// The shape with at least `vertices` vertices and about two spokes for each ring.
    /// `vertices` must be from 1,000 to 100,000,000 (beyond that 32-bit indices would end); throws Error(usage)
    /// otherwise.
    static OceanMeshShape with_vertices(std::int64_t vertices);

    std::int64_t vertex_count() const; ///< spokes * rings + 1
    std::int64_t triangle_count() const;
    float ring_growth() const; ///< ratio of successive radii
};

inline constexpr std::int64_t ocean_mesh_vertices_min = 1000;
inline constexpr std::int64_t ocean_mesh_vertices_max = 100'000'000;

/// (x, z) of each vertex relative to the camera, two floats each: the centre first, then ring by ring.
std::vector<float> ocean_mesh_positions(const OceanMeshShape& shape);
/// Triangles, three 32-bit indices each, counter-clockwise seen from above.
std::vector<std::uint32_t> ocean_mesh_indices(const OceanMeshShape& shape);

/// The mesh on the GPU: attribute 0 is a vec2.
class OceanMesh {
public:
    explicit OceanMesh(const OceanMeshShape& shape);

    const OceanMeshShape& shape() const noexcept { return shape_; }
    void draw() const;

private:
    OceanMeshShape shape_;
    gl::Buffer positions_;
    gl::Buffer indices_;
    gl::VertexArray vertex_array_;
};

} // namespace spindrift::render
