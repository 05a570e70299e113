#include "engine/render/sky.h"

#include "engine/gl/device.h"
#include "engine/gl/gl.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <glm/trigonometric.hpp>
#include <glm/vec2.hpp>

namespace spindrift::render {
namespace {

constexpr int map_width = 1024;
constexpr int map_height = 384;
constexpr float sun_angular_radius_degrees = 0.2666F;

// The same atmosphere as shaders/render/sky_map.comp.
constexpr double planet_radius = 6360e3;
constexpr double atmosphere_radius = 6420e3;
constexpr double irradiance_above = 20.0;

enum SkyMapUniform : int { sun_direction_location = 0, cloud_cover_location, cloud_offset_location, haze_location };

} // namespace

glm::vec3 sun_direction(const SkyDesc& desc) {
    const float elevation = glm::radians(desc.sun_elevation_degrees);
    const float azimuth = glm::radians(desc.sun_azimuth_degrees);
    return {std::sin(azimuth) * std::cos(elevation), std::sin(elevation), -std::cos(azimuth) * std::cos(elevation)};
}

glm::vec3 sun_irradiance(const SkyDesc& desc) {
    const double sine = std::sin(glm::radians(static_cast<double>(desc.sun_elevation_degrees)));
    const double path =
        -planet_radius * sine + std::sqrt(planet_radius * planet_radius * sine * sine +
                                          atmosphere_radius * atmosphere_radius - planet_radius * planet_radius);
    constexpr int steps = 64;
    double air = 0.0, haze = 0.0, ozone = 0.0;
    for (int step = 0; step < steps; ++step) {
        const double along = path * (step + 0.5) / steps;
        const double radius =
            std::sqrt(planet_radius * planet_radius + along * along + 2.0 * planet_radius * along * sine);
        const double height = radius - planet_radius;
        air += std::exp(-height / 8000.0) * path / steps;
        haze += std::exp(-height / 1200.0) * path / steps;
        ozone += std::max(0.0, 1.0 - std::abs(height - 25000.0) / 15000.0) * path / steps;
    }
    haze *= 4.44e-6 * static_cast<double>(desc.haze);
    const auto channel = [&](double air_scattering, double ozone_absorption) {
        return static_cast<float>(irradiance_above *
                                  std::exp(-(air_scattering * air + haze + ozone_absorption * ozone)));
    };
    return {channel(5.802e-6, 0.650e-6), channel(13.558e-6, 1.881e-6), channel(33.1e-6, 0.085e-6)};
}

Sky::Sky(gl::ProgramLibrary& programs)
    : programs_(programs), map_({.format = gl::PixelFormat::rgba16f,
                                 .width = map_width,
                                 .height = map_height,
                                 .levels = 0,
                                 .filter = gl::Filter::trilinear,
                                 .wrap = gl::Wrap::repeat},
                                "sky map"),
      no_attributes_("sky") {}

void Sky::update(const SkyDesc& desc) {
    if (is_current_ && desc == desc_) return;
    desc_ = desc;
    gl::Program& program = programs_.get(gl::ProgramRecipe::compute("render/sky_map.comp"));
    program.set(sun_direction_location, sun_direction(desc));
    program.set(cloud_cover_location, desc.cloud_cover);
    program.set(cloud_offset_location, glm::vec2(0.0F));
    program.set(haze_location, desc.haze);
    map_.bind_image(0, gl::Access::write_only);
    program.dispatch(map_width, map_height);
    gl::memory_barrier(gl::Visibility::texture_fetch | gl::Visibility::texture_update | gl::Visibility::framebuffer);
    map_.generate_mipmaps();
    is_current_ = true;
}

void Sky::fill_in(FrameUniforms& uniforms) const {
    uniforms.sun_direction = glm::vec4(sun_direction(desc_), std::cos(glm::radians(sun_angular_radius_degrees)));
    uniforms.sun_irradiance = glm::vec4(sun_irradiance(desc_), 0.0F);
}

void Sky::draw() const {
    programs_.get(gl::ProgramRecipe::graphics("render/full_screen.vert", "render/sky.frag")).use();
    map_.bind(0);
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_GEQUAL); // reversed depth: the sky lies at 0
    glDepthMask(GL_FALSE);
    no_attributes_.bind();
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glDepthMask(GL_TRUE);
}

} // namespace spindrift::render
