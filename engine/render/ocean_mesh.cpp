#include "engine/render/ocean_mesh.h"

#include "engine/error.h"
#include "engine/gl/gl.h"

#include <cmath>
#include <fmt/format.h>
#include <numbers>

namespace spindrift::render {

OceanMeshShape OceanMeshShape::with_vertices(std::int64_t vertices) {
    if (vertices < ocean_mesh_vertices_min || vertices > ocean_mesh_vertices_max)
        throw Error(ExitCode::usage, fmt::format("mesh vertices is {}, must be from {} to {}", vertices,
                                                 ocean_mesh_vertices_min, ocean_mesh_vertices_max));
    OceanMeshShape shape;
    shape.rings = static_cast<int>(std::ceil(std::sqrt(static_cast<double>(vertices) / 2.0)));
    shape.spokes = static_cast<int>((vertices - 1 + shape.rings - 1) / shape.rings);
    return shape;
}

std::int64_t OceanMeshShape::vertex_count() const {
    return std::int64_t{spokes} * rings + 1;
}

std::int64_t OceanMeshShape::triangle_count() const {
    return std::int64_t{spokes} * (2 * (rings - 1) + 1);
}

float OceanMeshShape::ring_growth() const {
    return static_cast<float>(std::pow(static_cast<double>(outer_radius / inner_radius), 1.0 / (rings - 1)));
}

std::vector<float> ocean_mesh_positions(const OceanMeshShape& shape) {
    std::vector<float> positions;
    positions.reserve(static_cast<std::size_t>(shape.vertex_count()) * 2);
    positions.insert(positions.end(), {0.0F, 0.0F});
    const double step = std::log(static_cast<double>(shape.outer_radius / shape.inner_radius)) / (shape.rings - 1);
    for (int ring = 0; ring < shape.rings; ++ring) {
        const double radius = shape.inner_radius * std::exp(step * ring);
        for (int spoke = 0; spoke < shape.spokes; ++spoke) {
            // Every other ring is turned by half a spoke: nearly equilateral triangles.
            const double turn = spoke + (ring % 2) * 0.5;
            const double angle = 2.0 * std::numbers::pi * turn / shape.spokes;
            positions.push_back(static_cast<float>(radius * std::cos(angle)));
            positions.push_back(static_cast<float>(radius * std::sin(angle)));
        }
    }
    return positions;
}

std::vector<std::uint32_t> ocean_mesh_indices(const OceanMeshShape& shape) {
    std::vector<std::uint32_t> indices;
    indices.reserve(static_cast<std::size_t>(shape.triangle_count()) * 3);
    const auto vertex = [&shape](int ring, int spoke) {
        return static_cast<std::uint32_t>(1 + ring * shape.spokes + spoke % shape.spokes);
    };
    for (int spoke = 0; spoke < shape.spokes; ++spoke)
        indices.insert(indices.end(), {0U, vertex(0, spoke + 1), vertex(0, spoke)});
    for (int ring = 0; ring + 1 < shape.rings; ++ring) {
        for (int spoke = 0; spoke < shape.spokes; ++spoke) {
            const std::uint32_t inner = vertex(ring, spoke), inner_next = vertex(ring, spoke + 1);
            const std::uint32_t outer = vertex(ring + 1, spoke), outer_next = vertex(ring + 1, spoke + 1);
            // The diagonal follows the half-spoke turn of the odd ring.
            if (ring % 2 == 0)
                indices.insert(indices.end(), {inner, inner_next, outer, inner_next, outer_next, outer});
            else
                indices.insert(indices.end(), {inner, inner_next, outer_next, inner, outer_next, outer});
        }
    }
    return indices;
}

OceanMesh::OceanMesh(const OceanMeshShape& shape)
    : shape_(shape), positions_(gl::Buffer::from<float>(ocean_mesh_positions(shape), "ocean mesh positions")),
      indices_(gl::Buffer::from<std::uint32_t>(ocean_mesh_indices(shape), "ocean mesh indices")),
      vertex_array_("ocean mesh") {
    vertex_array_.attach_floats(0, positions_, 2, 2 * sizeof(float));
    vertex_array_.attach_indices(indices_);
}

void OceanMesh::draw() const {
    vertex_array_.bind();
    glDrawElements(GL_TRIANGLES, static_cast<GLsizei>(shape_.triangle_count() * 3), GL_UNSIGNED_INT, nullptr);
}

} // namespace spindrift::render
