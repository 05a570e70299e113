// The demo without a window; with one it is app/window_demo.cpp. Both draw the same Scene.
#include "app/commands/demo.h"

#include "app/demo_report.h"
#include "app/scene.h"
#include "app/shaders.h"
#include "app/window_demo.h"
#include "engine/error.h"
#include "engine/platform/headless_context.h"
#include "engine/render/png_file.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

namespace spindrift {
namespace {

constexpr int default_headless_frames = 60;

int run_headless(Settings settings) {
    platform::HeadlessContext context({.debug = settings.gl_debug, .size = {settings.width, settings.height}});
    fill_headless_defaults(settings, context.device());
    gl::ProgramLibrary programs = make_program_library(settings, context.device());
    const std::optional<report::Report> report = measure_headless(settings, context, programs);
    tell_program_counts(programs);
    write_reports(settings, *report);
    return static_cast<int>(ExitCode::success);
}

} // namespace

void fill_headless_defaults(Settings& settings, const gl::DeviceInfo& device) {
    if (settings.frames == 0) settings.frames = default_headless_frames;
    if (const std::string note = adapt_to_software_renderer(settings, device); !note.empty()) spdlog::info("{}", note);
}

std::optional<report::Report> measure_headless(const Settings& settings, const platform::Context& context,
                                               gl::ProgramLibrary& programs, const std::function<bool()>& stop) {
    const platform::Extent size{settings.width, settings.height};
    Scene scene(settings, programs, context.device());
    const render::OffscreenTarget target(size.width, size.height);
    profiler::Profiler profiler(context.device());

    // Without a swap nothing holds the CPU back: it would queue frames faster than the GPU draws them, and the profiler
    // would lose the queries that it does not wait for. So no more frames are in flight than the profiler keeps.
    constexpr int frames_in_flight = 4;
    int queued = 0;
    const auto draw_frame = [&](double time, double dt) {
        profiler.begin_frame();
        scene.draw(time, dt, size, target.framebuffer(), &profiler);
        profiler.end_frame();
        if (++queued < frames_in_flight) return;
        profiler.drain();
        queued = 0;
    };
    const auto stopped = [&] { return stop && stop(); };
    // The frames that warm up all show the first moment, so that the measured ones start where --time says.
    for (int frame = 0; frame < settings.warmup && !stopped(); ++frame) draw_frame(settings.time, 0.0);
    profiler.drain();
    profiler.record(static_cast<std::size_t>(settings.frames));
    for (int frame = 0; frame < settings.frames && !stopped(); ++frame)
        draw_frame(settings.time + settings.dt * frame, frame == 0 ? 0.0 : settings.dt);
    profiler.drain();
    if (stopped()) return std::nullopt;

    if (const std::string errors = gl::drain_errors(); !errors.empty())
        throw Error(fmt::format("the driver reported {} while drawing; --gl-debug says where", errors));
    if (!settings.screenshot.empty())
        render::write_png(settings.screenshot, size.width, size.height, target.read_rgb8());
    return make_report(settings, scene, context, profiler, "off");
}

int run_demo(const Settings& settings) {
    check_outputs(settings);
    return settings.headless ? run_headless(settings) : run_window(settings);
}

} // namespace spindrift
