// The sea's surface: the mesh, displaced in the vertex shader and shaded from maps that somebody else makes.
#pragma once

#include "engine/gl/program.h"
#include "engine/render/ocean_mesh.h"
#include "engine/render/sky.h"

#include <glm/vec3.hpp>

namespace spindrift::render {

/// Maps of one periodic tile; both repeat and have mip chains.
struct SurfaceMaps {
    const gl::Texture& displacement; ///< rgba32f: (x, height, z displacement, Jacobian), metres
    const gl::Texture& derivatives;  ///< rgba32f: (slope x, slope z, foam 0 to 1, squared slope); mips average
    float tile_length;               ///< metres
    float significant_height;        ///< metres
    float wind_direction_degrees;    ///< 0 = towards +x, 90 = towards +z
    float wind_speed;                ///< m/s
};

/// What the eye is told and the physics does not decide.
struct SurfaceLook {
    float ripples = 1.0F;        ///< strength of the ripples that are finer than the maps, 0 = none
    float crest_glow = 1.0F;     ///< light through crests, 0 = none
    float foam = 1.0F;           ///< multiplies foam coverage
    float visibility = 14000.0F; ///< metres after which air leaves 1/e of the contrast
    glm::vec3 water_reflectance{0.0045F, 0.0210F, 0.0340F};
    bool wireframe = false;
};

class Surface {
public:
    Surface(gl::ProgramLibrary& programs, const OceanMeshShape& shape);

    void set_mesh(const OceanMeshShape& shape); ///< replaces the mesh; does nothing when the shape is the same
    const OceanMeshShape& mesh_shape() const noexcept { return mesh_.shape(); }

    /// Draws into the bound framebuffer with reversed depth. `time_seconds` drifts the ripples.
    void draw(const SurfaceMaps& maps, const Sky& sky, const SurfaceLook& look, double time_seconds) const;

    /// Renders the foam pattern again, for instance after a shader reload.
    void make_foam_pattern();

private:
    gl::ProgramLibrary& programs_;
    OceanMesh mesh_;
    gl::Texture foam_pattern_;
};

} // namespace spindrift::render
