// The demo without a window; with one it is app/window_demo.cpp. Both draw the same Scene.
#include "app/commands/demo.h"

#include "app/demo_report.h"
#include "app/scene.h"
#include "app/shaders.h"
#include "app/termination_request.h"
#include "app/transform_tuning.h"
#include "app/window_demo.h"
#include "engine/error.h"
#include "engine/platform/headless_context.h"
#include "engine/render/png_file.h"
#include "fft/cuda_module.h"

#include <chrono>
#include <fmt/format.h>
#include <spdlog/spdlog.h>

namespace spindrift {
namespace {

constexpr int default_headless_frames = 60;

double seconds_now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Draws the warm-up and the measured frames: those of the warm-up all show the first moment, so that the measured ones
/// start where --time says. False when `stop` said so before the last of them.
bool draw_frames(const Settings& settings, Scene& scene, const render::OffscreenTarget& target,
                 profiler::Profiler& profiler, report::Recorder& recorder, const std::function<bool()>& stop) {
    const platform::Extent size{settings.width, settings.height};
    const report::RecordingLength length = length_of_run(settings);
    const std::size_t capacity = recording_capacity(length);
    const bool records = measures(settings);
    if (records) profiler.prepare_recording(capacity);
    // Nobody looks at the first frames of a run that only makes a picture.
    const report::WarmUp warm_up = records || settings.was_given("warmup") ? warm_up_of(settings) : report::WarmUp{};
    spdlog::debug("drawing begins");
    recorder.start(warm_up, length, capacity, seconds_now());
    while (recorder.begin_frame(seconds_now()) != report::Recorder::Phase::done) {
        if (stop && stop()) return false;
        if (recorder.first_recorded() && records) {
            profiler.drain();
            profiler.record(capacity);
        }
        const std::int64_t frame = recorder.frame();
        scene.set_camera(camera_on_path(settings.camera_path, settings.camera, frame));
        profiler.begin_frame();
        scene.draw(settings.time + settings.dt * static_cast<double>(frame), frame == 0 ? 0.0 : settings.dt, size,
                   target.framebuffer(), &profiler);
        profiler.end_frame();
    }
    profiler.stop_recording();
    profiler.drain();
    return true;
}

/// What was asked for is done, but somebody may expect more of it.
void tell_reach_of_effort(const Settings& settings) {
    if (settings.algorithm != fft::Algorithm::tuned)
        spdlog::info("--effort {}: is of --algorithm tuned; with {} nothing is measured", to_string(settings.effort),
                     to_string(settings.algorithm));
}

int run_headless(Settings settings) {
    platform::HeadlessContext context({.debug = settings.gl_debug, .size = {settings.width, settings.height}});
    fft::cuda::connect(context);
    fill_headless_defaults(settings, context.device());
    gl::ProgramLibrary programs = make_program_library(settings, context.device());
    const TerminationRequest termination;
    const std::optional<report::Report> report =
        measure_headless(settings, context, programs, [&] { return termination.received(); });
    if (!report) throw Error(fmt::format("{}: the run is incomplete, nothing was written", termination.name()));
    tell_program_counts(programs);
    if (measures(settings)) tell_notes(*report);
    write_reports(settings, *report);
    return static_cast<int>(ExitCode::success);
}

} // namespace

void fill_headless_defaults(Settings& settings, const gl::DeviceInfo& device) {
    if (const std::string note = choose_layout_of_cufft(settings); !note.empty()) spdlog::info("{}", note);
    if (settings.frames == 0 && settings.seconds == 0.0) settings.frames = default_headless_frames;
    if (const std::string note = adapt_to_software_renderer(settings, device); !note.empty()) spdlog::info("{}", note);
}

std::optional<report::Report> measure_headless(const Settings& settings, const platform::Context& context,
                                               gl::ProgramLibrary& programs, const std::function<bool()>& stop) {
    const platform::Extent size{settings.width, settings.height};
    if (settings.effort != fft::Effort::estimate) tell_reach_of_effort(settings);
    if (!tune_first(simulation_desc(settings), settings.effort, programs, context.device(), stop)) return std::nullopt;
    Scene scene(settings, programs, context.device());
    const render::OffscreenTarget target(size.width, size.height);
    // Without a swap nothing but the profiler holds the CPU back.
    profiler::Options options;
    options.wait_when_full = true;
    profiler::Profiler profiler(context.device(), options);
    if (context.device().limits.cuda.available) profiler.add_source(fft::cuda::make_time_source());
    const auto sensors = measures(settings) ? start_sensors(context.device()) : nullptr;
    if (sensors) sensors->record(sensor_capacity);
    report::Recorder recorder;
    if (!draw_frames(settings, scene, target, profiler, recorder, stop)) return std::nullopt;
    report::GpuFacts gpu;
    if (sensors) gpu = {sensors->description(), sensors->stop_recording()};

    if (const std::string errors = gl::drain_errors(); !errors.empty())
        throw Error(fmt::format("the driver reported {} while drawing; --gl-debug says where", errors));
    if (!settings.screenshot.empty())
        render::write_png(settings.screenshot, size.width, size.height, target.read_rgb8());
    return make_report(settings, {scene, context, profiler, recorder.facts(), std::move(gpu), "off"});
}

int run_demo(const Settings& settings) {
    check_outputs(settings);
    return settings.headless ? run_headless(settings) : run_window(settings);
}

} // namespace spindrift
