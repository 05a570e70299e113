#include "app/demo_report.h"

#include "app/parameters.h"
#include "app/report/trace.h"
#include "engine/error.h"
#include "engine/files.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <utility>

namespace spindrift {
namespace {

report::Json parameter_values(const Settings& settings) {
    report::Json values = report::Json::object();
    for (const Parameter& parameter : parameters()) {
        if (!parameter.look) continue;
        std::visit([&](const auto& value) { values[parameter.key()] = value; }, parameter.get(settings));
    }
    return values;
}

} // namespace

void check_outputs(const Settings& settings) {
    const std::array<std::pair<std::string_view, const std::string*>, 4> outputs{
        {{"--screenshot", &settings.screenshot},
         {"--report", &settings.report},
         {"--html", &settings.html},
         {"--trace", &settings.trace}}};
    for (std::size_t second = 1; second < outputs.size(); ++second)
        for (std::size_t first = 0; first < second; ++first)
            if (same_file(*outputs[first].second, *outputs[second].second))
                throw Error(ExitCode::usage,
                            fmt::format("{} {}: is also the file of {}; each needs its own", outputs[second].first,
                                        *outputs[second].second, outputs[first].first));
    constexpr int most_frames = 2'000'000; // 3 GiB of memory; nine hours at 60 Hz
    if (measures(settings) && settings.frames > most_frames)
        throw Error(ExitCode::usage, fmt::format("--frames {}: a report or trace holds at most {} frames",
                                                 settings.frames, most_frames));
    if (!settings.report.empty()) report::check_report_path(settings.report);
    if (!settings.html.empty()) report::check_report_path(settings.html);
    if (!settings.trace.empty()) report::check_trace_path(settings.trace);
    if (!settings.screenshot.empty()) check_writable(settings.screenshot);
}

bool measures(const Settings& settings) {
    return !settings.report.empty() || !settings.html.empty() || !settings.trace.empty();
}

report::WarmUp warm_up_of(const Settings& settings) {
    const bool is_exact = settings.was_given("warmup") && !settings.was_given("warmup-seconds") &&
                          !settings.was_given("warmup-stable") && !settings.was_given("warmup-limit");
    if (is_exact) return {.frames = settings.warmup};
    return {.frames = settings.warmup,
            .seconds = settings.warmup_seconds,
            .stable_percent = settings.warmup_stable,
            .limit_seconds = settings.warmup_limit};
}

report::RecordingLength length_of_run(const Settings& settings) {
    return {.frames = settings.frames, .seconds = settings.seconds};
}

report::RecordingLength length_of_recording(const Settings& settings) {
    return {.frames = settings.record_frames, .seconds = settings.record_seconds};
}

std::size_t recording_capacity(const report::RecordingLength& length) {
    constexpr double fastest_fps = 2000.0;
    constexpr std::size_t longest = 200'000, until_stopped = 36'000; // ten minutes at 60 Hz
    if (length.frames > 0) return static_cast<std::size_t>(length.frames);
    if (length.seconds <= 0.0) return until_stopped;
    return std::clamp(static_cast<std::size_t>(length.seconds * fastest_fps), std::size_t{100}, longest);
}

std::unique_ptr<profiler::SensorSampler> start_sensors(const gl::DeviceInfo& device) {
    if (device.software_renderer) return nullptr;
    profiler::SensorsOrReason found = profiler::find_gpu_sensors(device.renderer);
    if (found.sensors) return std::make_unique<profiler::SensorSampler>(std::move(found.sensors));
    spdlog::debug("no clocks, power and temperature of the GPU: {}", found.reason);
    return nullptr;
}

report::Report make_report(const Settings& settings, RecordingContext recording) {
    report::Report report = report::begin_report(recording.context.device(), recording.context.platform());
    const ocean::SimulationDesc& simulation = recording.scene.simulation().desc();
    if (simulation.algorithm == fft::Algorithm::cufft) {
        const gl::CudaInterop& cuda = recording.context.device().limits.cuda;
        report.cuda = {{"device", cuda.device},
                       {"driver", cuda.driver},
                       {"runtime", cuda.runtime},
                       {"cufft", cuda.cufft},
                       {"interop_frames", simulation.interop_frames}};
    }
    const bool fixed_steps = settings.headless || settings.was_given("dt") || recording.recorder.length.bounded();
    // Where a flag's absence would mean another choice on another machine, the command line has it.
    Settings explicit_settings = settings;
    explicit_settings.given.insert({"size", "vertices"});
    report::RunFacts& run = report.run;
    run.command_line = command_line_of(explicit_settings);
    run.headless = settings.headless;
    run.algorithm = fft::to_string(simulation.algorithm);
    run.packing = fft::to_string(simulation.packing);
    run.storage = fft::to_string(simulation.storage);
    run.schedule = recording.scene.simulation().kernel_facts().schedule;
    run.size = simulation.size;
    run.cascades = settings.cascades;
    run.seed = simulation.sea.seed;
    run.dt = fixed_steps ? settings.dt : 0.0;
    run.frames = static_cast<int>(recording.profiler.recording().frames.size());
    run.warmup = recording.recorder.warm_up_frames;
    run.vsync = recording.vsync;
    run.width = settings.width;
    run.height = settings.height;
    run.parameters = parameter_values(settings);
    report.mesh = {.vertices = static_cast<std::uint64_t>(recording.scene.mesh_shape().vertex_count()),
                   .triangles = static_cast<std::uint64_t>(recording.scene.mesh_shape().triangle_count())};
    report.recorder = recording.recorder;
    report.gpu = std::move(recording.gpu);
    report.recording = recording.profiler.recording();
    return report;
}

void tell_notes(const report::Report& report) {
    for (const std::string& note : report::notes(report)) spdlog::warn("{}", note);
}

void write_reports(const Settings& settings, const report::Report& report) {
    if (!settings.report.empty()) report::write_report(settings.report, report);
    if (!settings.html.empty()) report::write_report(settings.html, report);
    if (!settings.trace.empty()) report::write_trace(settings.trace, report);
}

std::string free_recording_stem(const Settings& settings) {
    const std::string sea =
        settings.sea_name.empty() ? "sea" : std::filesystem::path(settings.sea_name).stem().string();
    const std::string wanted =
        fmt::format("spindrift-{}-{}-{}", sea, fft::to_string(settings.algorithm), settings.size);
    const auto is_taken = [](const std::string& stem) {
        std::error_code failure; // what cannot be looked at cannot be written either, which will be said
        return std::any_of(report::recording_endings.begin(), report::recording_endings.end(),
                           [&](const char* ending) { return std::filesystem::exists(stem + ending, failure); });
    };
    std::string stem = wanted;
    for (int number = 2; is_taken(stem); ++number) stem = fmt::format("{}-{}", wanted, number);
    return stem;
}

} // namespace spindrift
