#include "app/report/report.h"

#include "app/report/frame_figures.h"
#include "app/report/report_html.h"
#include "app/report/series.h"
#include "engine/error.h"
#include "engine/files.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace spindrift::report {
namespace {

/// JSON has neither NaN nor infinity: null stands for "not available".
Json number(double value) {
    return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json text_or_null(const std::string& text) {
    return text.empty() ? Json(nullptr) : Json(text);
}

Json blocks_json(std::span<const double> samples) {
    Json json = Json::array();
    for (const double median : profiler::block_medians(samples, blocks_per_run)) json.push_back(number(median));
    return json;
}

Json run_json(const RunFacts& run) {
    Json json;
    json["command_line"] = run.command_line;
    json["mode"] = run.headless ? "headless" : "window";
    json["algorithm"] = run.algorithm;
    json["size"] = run.size;
    json["packing"] = run.packing;
    json["storage"] = run.storage;
    if (!run.schedule.empty()) json["schedule"] = run.schedule;
    json["cascades"] = run.cascades;
    json["seed"] = run.seed;
    json["dt"] = number(run.dt);
    json["frames"] = run.frames;
    json["warmup"] = run.warmup;
    json["vsync"] = run.vsync;
    json["width"] = run.width;
    json["height"] = run.height;
    json["parameters"] = run.parameters;
    return json;
}

Json frame_json(const profiler::Recording& recording, const profiler::FrameStatistics& frame) {
    Json json;
    json["frames"] = frame.frames;
    json["missed"] = frame.missed;
    json["absurd"] = frame.absurd;
    json["cpu_ms"] = detail::to_json(frame.cpu_ms);
    json["gpu_ms"] = detail::to_json(frame.gpu_ms);
    json["interval_ms"] = detail::to_json(frame.interval_ms);
    json["present_ms"] = detail::to_json(frame.present_ms);
    std::vector<double> intervals, cpu, gpu;
    for (const profiler::RecordedFrame& row : recording.frames) {
        intervals.push_back(row.interval_ms());
        cpu.push_back(row.cpu_ms());
        gpu.push_back(row.gpu_ms());
    }
    json["cpu_blocks_ms"] = blocks_json(cpu);
    json["gpu_blocks_ms"] = blocks_json(gpu);
    json["interval_blocks_ms"] = blocks_json(intervals);
    const FrameFigures figures = frame_figures(intervals);
    json["mean_ms"] = number(figures.mean_ms);
    json["stddev_ms"] = number(figures.stddev_ms);
    json["p99_9_ms"] = number(figures.p999_ms);
    json["fps_average"] = number(figures.fps_average);
    json["fps_1pct_low_time_integral"] = number(figures.fps_1pct_low_time_integral);
    json["fps_1pct_low_mean_of_slowest"] = number(figures.fps_1pct_low_mean_of_slowest);
    json["fps_1pct_low_percentile"] = number(figures.fps_1pct_low_percentile);
    json["hitches"] = {{"over_twice_median", figures.hitches_over_twice_median},
                       {"over_33ms", figures.hitches_over_33ms},
                       {"time_percent", number(figures.time_in_hitches_percent)}};
    const BoundShares bound = bound_shares(recording.frames);
    json["bound"] = {{"frames", bound.frames},
                     {"gpu_percent", number(bound.gpu_percent)},
                     {"present_percent", number(bound.present_percent)},
                     {"cpu_percent", number(bound.cpu_percent)}};
    return json;
}

Json passes_json(const profiler::Recording& recording) {
    const std::vector<std::string> names = pass_names(recording);
    Json json = Json::object();
    for (const profiler::ScopeSeries& series : recording.series()) {
        const profiler::Summary gpu = profiler::summarize(series.gpu_ms), cpu = profiler::summarize(series.cpu_ms);
        const auto node = static_cast<std::size_t>(series.node);
        const int parent = recording.nodes[node].parent;
        Json pass;
        pass["gpu_ms"] = detail::to_json(gpu);
        pass["cpu_ms"] = detail::to_json(cpu);
        pass["gpu_blocks_ms"] = blocks_json(series.gpu_ms);
        pass["cpu_blocks_ms"] = blocks_json(series.cpu_ms);
        pass["samples"] = gpu.count + series.missed > 0 ? gpu.count : cpu.count;
        pass["missed"] = series.missed;
        pass["parent"] = parent < 0 ? Json(nullptr) : Json(names[static_cast<std::size_t>(parent)]);
        json[names[node]] = std::move(pass);
    }
    return json;
}

/// The last five columns of a row.
std::string sensor_cells(const profiler::SensorReading* reading) {
    if (reading == nullptr) return ",,,,,";
    const std::vector<std::string> reasons = profiler::clock_reason_names(reading->clock_reasons, false);
    return fmt::format(",{},{},{},{},{}", csv_number(reading->clock_mhz), csv_number(reading->memory_clock_mhz),
                       csv_number(reading->power_w), csv_number(reading->temperature_c),
                       csv_cell(reading->has_clock_reasons ? fmt::format("{}", fmt::join(reasons, "+")) : ""));
}

Json recorder_json(const RecorderFacts& facts) {
    Json warm_up;
    warm_up["asked"] = {{"frames", facts.warm_up.frames},
                        {"seconds", facts.warm_up.seconds},
                        {"stable_percent", facts.warm_up.stable_percent},
                        {"limit_seconds", facts.warm_up.limit_seconds}};
    warm_up["frames"] = facts.warm_up_frames;
    warm_up["seconds"] = facts.warm_up_seconds;
    warm_up["ended_by"] = to_string(facts.warm_up_ended_by);
    warm_up["last_change_percent"] = number(facts.last_change_percent);
    Json json;
    json["warm_up"] = std::move(warm_up);
    json["length"] = {{"frames", facts.length.frames}, {"seconds", facts.length.seconds}};
    json["ended_by"] = to_string(facts.ended_by);
    json["restarts"] = facts.restarts;
    json["last_restart"] = text_or_null(std::string(facts.last_restart));
    return json;
}

} // namespace

Json detail::to_json(const profiler::Summary& summary) {
    return {{"median", number(summary.median)}, {"p95", number(summary.p95)}, {"p99", number(summary.p99)},
            {"p99_9", number(summary.p999)},    {"min", number(summary.min)}, {"max", number(summary.max)}};
}

Report begin_report(const gl::DeviceInfo& device, std::string platform) {
    Report report;
    report.app = app_facts();
    report.system = system_facts();
    report.gl = device;
    report.platform = std::move(platform);
    report.debug = gl::debug_counts();
    return report;
}

std::vector<std::string> pass_names(const profiler::Recording& recording) {
    std::vector<std::string> names;
    for (const profiler::ScopeNode& node : recording.nodes) {
        const auto same = std::count_if(recording.nodes.begin(), recording.nodes.end(),
                                        [&](const profiler::ScopeNode& other) { return other.name == node.name; });
        names.push_back(same == 1 ? node.name : node.path);
    }
    return names;
}

Json to_json(const Report& report) {
    const profiler::Statistics statistics = report.recording.statistics();
    Json json;
    json["schema"] = schema;
    json["app"] = {{"version", report.app.version},
                   {"git", text_or_null(report.app.git)},
                   {"build_type", report.app.build_type},
                   {"compiler", report.app.compiler}};
    json["system"] = {{"os", text_or_null(report.system.os)},
                      {"kernel", text_or_null(report.system.kernel)},
                      {"cpu", text_or_null(report.system.cpu)},
                      {"cpu_threads", report.system.cpu_threads},
                      {"ram_bytes", report.system.ram_bytes}};
    json["gl"] = {{"vendor", report.gl.vendor},
                  {"renderer", report.gl.renderer},
                  {"version", report.gl.version},
                  {"glsl", report.gl.glsl_version},
                  {"timestamp_bits", report.gl.limits.timestamp_bits},
                  {"debug_context", report.gl.debug_context},
                  {"software_renderer", report.gl.software_renderer},
                  {"platform", report.platform}};
    json["cuda"] = report.cuda;
    json["run"] = run_json(report.run);
    json["frame"] = frame_json(report.recording, statistics.frame);
    json["passes"] = passes_json(report.recording);
    json["recorder"] = report.recorder ? recorder_json(*report.recorder) : Json(nullptr);
    json["gpu"] = gpu_json(report.gpu, report.recording);
    json["notes"] = notes(report);
    json["mesh"] = {{"vertices", report.mesh.vertices}, {"triangles", report.mesh.triangles}};
    json["debug"] = {{"errors", report.debug.errors},
                     {"high", report.debug.high},
                     {"medium", report.debug.medium},
                     {"low", report.debug.low},
                     {"notification", report.debug.notification}};
    json["series"] = series_json(report.recording, pass_names(report.recording));
    return json;
}

std::vector<std::string> notes(const Report& report) {
    std::vector<std::string> notes = gpu_notes(report.gpu, report.recording);
    const std::size_t frames = report.recording.frames.size();
    if (frames < 2)
        notes.push_back(frames == 0 ? std::string("no frame was recorded")
                                    : std::string("one frame was recorded: a frame time needs two"));
    if (report.recorder && report.recorder->warm_up_ended_by == WarmUpEnd::limit)
        notes.push_back(
            std::isfinite(report.recorder->last_change_percent)
                ? fmt::format("the warm-up ended after {:.1f} s with frame times that still moved by {:.1f} %",
                              report.recorder->warm_up_seconds, report.recorder->last_change_percent)
                : fmt::format("the warm-up ended after {:.1f} s and {} frames, too few to see whether frame "
                              "times had settled",
                              report.recorder->warm_up_seconds, report.recorder->warm_up_frames));
    if (report.recorder && report.recorder->ended_by == RecordingEnd::full)
        notes.push_back(fmt::format("the recording ended after {} frames, all that it had memory for", frames));
    const auto missed = std::count_if(report.recording.frames.begin(), report.recording.frames.end(),
                                      [](const profiler::RecordedFrame& frame) { return frame.gpu_missed; });
    if (missed > 0) notes.push_back(fmt::format("{} of {} frames have no GPU times", missed, frames));
    return notes;
}

std::string csv_cell(std::string_view text) {
    if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
    std::string quoted = "\"";
    for (const char character : text) {
        if (character == '"') quoted += '"';
        quoted += character;
    }
    quoted += '"';
    return quoted;
}

std::string csv_number(double value) {
    return std::isfinite(value) ? fmt::format("{:.6f}", value) : std::string{};
}

std::string to_csv(const profiler::Recording& recording, const GpuFacts& gpu) {
    const std::vector<std::string> names = pass_names(recording);
    const std::vector<profiler::ScopeSeries> series = recording.series();
    std::string csv = "Frame,TimeInSeconds,MsBetweenPresents,MsCPUBusy,MsInPresentAPI,MsGPULatency,MsGPUTime";
    for (const char* clock : {"MsGpu.", "MsCpu."})
        for (const profiler::ScopeSeries& pass : series)
            csv.append(",").append(csv_cell(clock + names[static_cast<std::size_t>(pass.node)]));
    csv += ",GpuClockMHz,GpuMemClockMHz,GpuPowerW,GpuTempC,GpuClockReasons\n";
    for (std::size_t row = 0; row < recording.frames.size(); ++row) {
        const profiler::RecordedFrame& frame = recording.frames[row];
        csv += fmt::format("{},{},{},{},{},{},{}", frame.index, csv_number(static_cast<double>(frame.cpu_end) * 1e-9),
                           csv_number(frame.interval_ms()), csv_number(frame.cpu_ms()), csv_number(frame.present_ms()),
                           csv_number(frame.gpu_latency_ms()), csv_number(frame.gpu_ms()));
        for (const profiler::ScopeSeries& pass : series) csv.append(",").append(csv_number(pass.gpu_ms[row]));
        for (const profiler::ScopeSeries& pass : series) csv.append(",").append(csv_number(pass.cpu_ms[row]));
        csv += sensor_cells(reading_at(gpu.readings, recording.origin + frame.cpu_end)) + "\n";
    }
    return csv;
}

void check_report_path(const std::filesystem::path& path) {
    const std::string extension = path.extension().string();
    if (extension != ".json" && extension != ".csv" && extension != ".html")
        throw Error(
            ExitCode::usage,
            fmt::format("report {}: the name must end in .json, .csv or .html, which says the format", path.string()));
    check_writable(path);
}

void write_recording(const std::filesystem::path& stem, const Report& report) {
    for (const char* ending : recording_endings) write_report(stem.string() + ending, report);
}

void write_report(const std::filesystem::path& path, const Report& report) {
    if (path.extension() == ".csv")
        write_file_atomically(path, to_csv(report.recording, report.gpu));
    else if (path.extension() == ".html")
        write_file_atomically(path, to_html(to_json(report)));
    else
        write_file_atomically(path, report_text(to_json(report)));
}

} // namespace spindrift::report
