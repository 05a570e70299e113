#include "app/scene.h"

#include <cmath>
#include <fmt/format.h>

namespace spindrift {
namespace {

constexpr int software_size = 256;
constexpr std::int64_t software_vertices = 250'000;
/// What an exposure of 0 stops multiplies radiance by; the sky's radiance near the horizon is then about 1.
constexpr float neutral_exposure = 0.42F;

bool same_transform(const Settings& a, const Settings& b) {
    return a.algorithm == b.algorithm && a.size == b.size && a.packing == b.packing && a.storage == b.storage &&
           a.interop_frames == b.interop_frames && a.fused == b.fused && a.intermediate == b.intermediate;
}

} // namespace

ocean::SimulationDesc simulation_desc(const Settings& settings) {
    return {.sea = settings.sea,
            .algorithm = settings.algorithm,
            .size = settings.size,
            .packing = settings.packing,
            .storage = settings.storage,
            .interop_frames = settings.interop_frames,
            .fused = settings.fused,
            .intermediate = settings.intermediate};
}

std::string adapt_to_software_renderer(Settings& settings, const gl::DeviceInfo& device) {
    if (!device.software_renderer) return {};
    std::string changes;
    std::string flags;
    if (!settings.was_given("size") && settings.size > software_size) {
        settings.size = software_size;
        changes = fmt::format("size {}", software_size);
        flags = "--size";
    }
    if (!settings.was_given("vertices") && settings.vertices > software_vertices) {
        settings.vertices = software_vertices;
        changes += fmt::format("{}{} vertices", changes.empty() ? "" : " and ", software_vertices);
        flags += flags.empty() ? "--vertices" : " and --vertices";
    }
    if (changes.empty()) return {};
    return fmt::format("{} is a software renderer: starting with {}; {} choose{} otherwise", device.renderer, changes,
                       flags, flags.find(' ') == std::string::npos ? "s" : "");
}

std::string choose_layout_of_cufft(Settings& settings) {
    if (settings.algorithm != fft::Algorithm::cufft) return {};
    std::string changes;
    if (!settings.was_given("packing") && settings.packing != fft::Packing::vec2) {
        settings.packing = fft::Packing::vec2;
        changes = "packing vec2";
    }
    if (!settings.was_given("storage") && settings.storage != fft::Storage::buffer) {
        settings.storage = fft::Storage::buffer;
        changes += changes.empty() ? "storage buffer" : " and storage buffer";
    }
    if (changes.empty()) return {};
    return fmt::format("cufft: {}, planar fields, the layout that cuFFT is fastest on", changes);
}

Scene::Scene(const Settings& settings, gl::ProgramLibrary& programs, const gl::DeviceInfo& device)
    : programs_(programs), device_(device), settings_(settings),
      simulation_(std::make_unique<ocean::Simulation>(simulation_desc(settings), programs, device)), sky_(programs),
      surface_(programs, render::OceanMeshShape::with_vertices(settings.vertices)), post_(programs) {}

void Scene::apply(const Settings& settings) {
    if (!same_transform(settings, settings_)) {
        auto replacement = std::make_unique<ocean::Simulation>(simulation_desc(settings), programs_, device_);
        simulation_ = std::move(replacement);
    } else if (!(settings.sea == settings_.sea)) {
        const bool another_sea = settings.sea_name != settings_.sea_name;
        simulation_->set_sea(settings.sea, another_sea ? ocean::FoamHistory::restart : ocean::FoamHistory::keep);
    }
    if (settings.vertices != settings_.vertices)
        surface_.set_mesh(render::OceanMeshShape::with_vertices(settings.vertices));
    settings_ = settings;
}

void Scene::shaders_changed() {
    sky_.invalidate();
    surface_.make_foam_pattern();
}

void Scene::draw(double time, double dt, platform::Extent size, const gl::Framebuffer& target,
                 profiler::Profiler* profiler) {
    simulation_->step(time, dt, profiler);

    post_.resize(size.width, size.height);
    render::FrameUniforms uniforms = render::frame_uniforms(settings_.camera, size.width, size.height);
    {
        auto scope = profiler::scope(profiler, "sky");
        sky_.update(settings_.sky);
        sky_.fill_in(uniforms);
        uniforms_.upload_and_bind(uniforms);
        post_.begin_scene();
        sky_.draw();
    }
    {
        auto scope = profiler::scope(profiler, "surface");
        const ocean::SeaState& sea = simulation_->sea();
        const render::SurfaceMaps maps{.displacement = simulation_->displacement(),
                                       .derivatives = simulation_->derivatives(),
                                       .tile_length = simulation_->tile_length(),
                                       .significant_height = simulation_->significant_height(),
                                       .wind_direction_degrees = static_cast<float>(sea.wind_direction),
                                       .wind_speed = static_cast<float>(sea.wind_speed)};
        surface_.draw(maps, sky_, settings_.look, time);
    }
    {
        auto scope = profiler::scope(profiler, "post");
        post_.resolve(target, {.exposure = neutral_exposure * std::exp2(settings_.exposure)});
    }
}

} // namespace spindrift
