// The sea as the demo shows it: simulation, sky, surface and post-processing, drawn the same way with a window and
// without.
#pragma once

#include "app/ocean/simulation.h"
#include "app/settings.h"
#include "engine/platform/context.h"
#include "engine/profiler/profiler.h"
#include "engine/render/post.h"
#include "engine/render/surface.h"

#include <memory>

namespace spindrift {

/// The part of `settings` that a Simulation is made from.
ocean::SimulationDesc simulation_desc(const Settings& settings);

/// Smaller mesh and size where a software renderer draws, unless the user chose them. Returns a sentence that says what
/// was changed; empty when nothing was.
std::string adapt_to_software_renderer(Settings& settings, const gl::DeviceInfo& device);

class Scene {
public:
    /// Throws Error when the transform cannot run here, or memory runs out.
    Scene(const Settings& settings, gl::ProgramLibrary& programs, const gl::DeviceInfo& device);

    /// Follows changed settings with the least work: another algorithm, size, packing or storage makes a new simulation
    /// before the old one goes, so that an Error leaves the scene as it was; a changed sea only recomputes its
    /// spectrum.
    void apply(const Settings& settings);
    /// Another camera for the next frame, without looking at all other settings.
    void set_camera(const render::Camera& camera) { settings_.camera = camera; }
    /// After the active wisdom has changed: the transform takes what it says. Throws Error, and stays as it was.
    void remake_plan() { simulation_->remake_plan(programs_, device_.limits); }
    /// After a shader reload: renders again what is rendered only once.
    void shaders_changed();

    /// One frame into `target`, which has `size` pixels. `time` and `dt` in seconds, see ocean::Simulation::step().
    /// Scopes: evolve, fft.horizontal, fft.vertical, assemble, mips, sky, surface, post.
    void draw(double time, double dt, platform::Extent size, const gl::Framebuffer& target,
              profiler::Profiler* profiler);

    const ocean::Simulation& simulation() const noexcept { return *simulation_; }
    const render::OceanMeshShape& mesh_shape() const noexcept { return surface_.mesh_shape(); }

private:
    gl::ProgramLibrary& programs_;
    const gl::DeviceInfo& device_;
    Settings settings_;
    std::unique_ptr<ocean::Simulation> simulation_;
    render::Sky sky_;
    render::Surface surface_;
    render::Post post_;
    render::FrameUniformBuffer uniforms_;
};

} // namespace spindrift
