#include "engine/render/surface.h"

#include "engine/gl/device.h"
#include "engine/gl/gl.h"

#include <algorithm>
#include <cmath>
#include <glm/trigonometric.hpp>
#include <glm/vec4.hpp>
#include <numbers>

namespace spindrift::render {
namespace {

constexpr int foam_pattern_size = 512;

enum SurfaceUniform : int {
    tile_length_location = 0,
    vertex_spacing_location,
    wind_location,
    detail_offsets_location,
    look_location,
    water_reflectance_location,
};

enum SurfaceTextureUnit : unsigned { displacement_unit = 0, derivatives_unit, sky_unit, foam_unit };

/// Drift of a layer of ripples, in its own tiles; wrapped here, in double, so that it stays smooth after days.
float drift(double metres_per_second, double seconds, double length_of_tile) {
    const double tiles = metres_per_second * seconds / length_of_tile;
    return static_cast<float>(tiles - std::floor(tiles));
}

} // namespace

Surface::Surface(gl::ProgramLibrary& programs, const OceanMeshShape& shape)
    : programs_(programs), mesh_(shape), foam_pattern_({.format = gl::PixelFormat::r16f,
                                                        .width = foam_pattern_size,
                                                        .height = foam_pattern_size,
                                                        .levels = 0,
                                                        .filter = gl::Filter::trilinear,
                                                        .wrap = gl::Wrap::repeat},
                                                       "foam pattern") {
    make_foam_pattern();
}

void Surface::make_foam_pattern() {
    gl::Program& program = programs_.get(gl::ProgramRecipe::compute("render/foam_pattern.comp"));
    foam_pattern_.bind_image(0, gl::Access::write_only);
    program.dispatch(foam_pattern_size, foam_pattern_size);
    gl::memory_barrier(gl::Visibility::texture_fetch | gl::Visibility::texture_update | gl::Visibility::framebuffer);
    foam_pattern_.generate_mipmaps();
}

void Surface::set_mesh(const OceanMeshShape& shape) {
    const OceanMeshShape& current = mesh_.shape();
    if (shape.spokes == current.spokes && shape.rings == current.rings) return;
    mesh_ = OceanMesh(shape);
}

void Surface::draw(const SurfaceMaps& maps, const Sky& sky, const SurfaceLook& look, double time_seconds) const {
    const gl::Program& program =
        programs_.get(gl::ProgramRecipe::graphics("render/surface.vert", "render/surface.frag"));
    const OceanMeshShape& shape = mesh_.shape();
    const float spoke_spacing = 2.0F * std::numbers::pi_v<float> / static_cast<float>(shape.spokes);
    program.set(tile_length_location, maps.tile_length);
    program.set(vertex_spacing_location, std::max(spoke_spacing, shape.ring_growth() - 1.0F));
    const float wind_angle = glm::radians(maps.wind_direction_degrees);
    program.set(wind_location,
                glm::vec4(std::cos(wind_angle), std::sin(wind_angle), maps.wind_speed, maps.significant_height));
    // Ripples run with the wind; the two speeds are those of gravity waves of about 0.5 m and 0.1 m.
    const auto tile = static_cast<double>(maps.tile_length);
    const auto along_x = static_cast<double>(std::cos(wind_angle));
    const auto along_z = static_cast<double>(std::sin(wind_angle));
    program.set(detail_offsets_location, glm::vec4(drift(-0.88 * along_x, time_seconds, tile * 0.1271),
                                                   drift(-0.88 * along_z, time_seconds, tile * 0.1271),
                                                   drift(-0.40 * along_x, time_seconds, tile * 0.0283),
                                                   drift(-0.40 * along_z, time_seconds, tile * 0.0283)));
    program.set(look_location, glm::vec4(look.ripples, look.crest_glow, look.foam, look.visibility));
    program.set(water_reflectance_location, look.water_reflectance);
    maps.displacement.bind(displacement_unit);
    maps.derivatives.bind(derivatives_unit);
    sky.map().bind(sky_unit);
    foam_pattern_.bind(foam_unit);

    program.use();
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_GREATER); // reversed depth
    glPolygonMode(GL_FRONT_AND_BACK, look.wireframe ? GL_LINE : GL_FILL);
    mesh_.draw();
    glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
}

} // namespace spindrift::render
