// The sky: a panorama made by a compute shader when the sun or the weather changes, drawn behind the sea and reflected
// in it.
#pragma once

#include "engine/gl/framebuffer.h"
#include "engine/gl/program.h"
#include "engine/render/frame_uniforms.h"

namespace spindrift::render {

struct SkyDesc {
    float sun_elevation_degrees = 22.0F; ///< above the horizon, 0.5 to 90
    float sun_azimuth_degrees = 8.0F;    ///< like Camera::yaw_degrees: 0 = -z, 90 = +x
    float cloud_cover = 0.45F;           ///< 0 to 1
    float haze = 1.0F;                   ///< 1 = clear marine air

    bool operator==(const SkyDesc&) const = default;
};

/// Unit vector towards the sun.
glm::vec3 sun_direction(const SkyDesc& desc);

/// Sunlight's irradiance at sea level on a surface that faces the sun (20 above the atmosphere), after absorption and
/// scattering along a straight path through air, haze and ozone.
glm::vec3 sun_irradiance(const SkyDesc& desc);

class Sky {
public:
    explicit Sky(gl::ProgramLibrary& programs);

    /// Renders the panorama when `desc` is new; costs nothing otherwise.
    void update(const SkyDesc& desc);
    /// Makes the next update() render, for instance after a shader reload.
    void invalidate() noexcept { is_current_ = false; }

    void fill_in(FrameUniforms& uniforms) const; ///< the sun
    void draw() const;                           ///< into the bound framebuffer, behind everything drawn there
    /// rgba16f, azimuth x elevation, mip chain; layout in shaders/render/sky_map.glsl.
    const gl::Texture& map() const noexcept { return map_; }

private:
    gl::ProgramLibrary& programs_;
    gl::Texture map_;
    gl::VertexArray no_attributes_;
    SkyDesc desc_;
    bool is_current_ = false;
};

} // namespace spindrift::render
