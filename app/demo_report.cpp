#include "app/demo_report.h"

#include "app/parameters.h"
#include "app/report/trace.h"
#include "engine/error.h"
#include "engine/files.h"

#include <array>
#include <fmt/format.h>
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
    if (!settings.report.empty()) report::check_report_path(settings.report);
    if (!settings.html.empty()) report::check_report_path(settings.html);
    if (!settings.trace.empty()) report::check_trace_path(settings.trace);
    if (!settings.screenshot.empty()) check_writable(settings.screenshot);
}

report::Report make_report(const Settings& settings, const Scene& scene, const platform::Context& context,
                           const profiler::Profiler& profiler, std::string_view vsync) {
    report::Report report = report::begin_report(context.device(), context.platform());
    const ocean::SimulationDesc& simulation = scene.simulation().desc();
    report::RunFacts& run = report.run;
    run.command_line = command_line_of(settings);
    run.headless = settings.headless;
    run.algorithm = fft::to_string(simulation.algorithm);
    run.packing = fft::to_string(simulation.packing);
    run.storage = fft::to_string(simulation.storage);
    run.size = simulation.size;
    run.cascades = settings.cascades;
    run.seed = simulation.sea.seed;
    run.dt = settings.headless || settings.was_given("dt") ? settings.dt : 0.0;
    run.frames = static_cast<int>(profiler.recording().frames.size());
    run.warmup = settings.warmup;
    run.vsync = vsync;
    run.width = settings.width;
    run.height = settings.height;
    run.parameters = parameter_values(settings);
    report.mesh = {.vertices = static_cast<std::uint64_t>(scene.mesh_shape().vertex_count()),
                   .triangles = static_cast<std::uint64_t>(scene.mesh_shape().triangle_count())};
    report.recording = profiler.recording();
    return report;
}

void write_reports(const Settings& settings, const report::Report& report) {
    if (!settings.report.empty()) report::write_report(settings.report, report);
    if (!settings.html.empty()) report::write_report(settings.html, report);
    if (!settings.trace.empty()) report::write_trace(settings.trace, report);
}

} // namespace spindrift
