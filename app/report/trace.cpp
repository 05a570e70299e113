#include "app/report/trace.h"

#include "engine/error.h"
#include "engine/files.h"

#include <cmath>
#include <fmt/format.h>

namespace spindrift::report {
namespace {

constexpr int process = 1;
constexpr int cpu_track = 1;
constexpr int first_gpu_track = 2;

/// Writes the events as text at once: a long recording as a tree of JSON values would need many times its size.
class TraceWriter {
public:
    void metadata(const char* what, int track, const std::string& name) {
        begin();
        text_ += fmt::format(R"({{"name":"{}","ph":"M","pid":{},"tid":{},"args":{{"name":{}}}}})", what, process, track,
                             quoted(name));
    }

    void complete(const std::string& quoted_name, const char* category, int track, profiler::Nanoseconds begin_time,
                  profiler::Nanoseconds duration, std::uint64_t frame) {
        begin();
        text_ +=
            fmt::format(R"({{"name":{},"cat":"{}","ph":"X","pid":{},"tid":{},"ts":{},"dur":{},"args":{{"frame":{}}}}})",
                        quoted_name, category, process, track, microseconds(begin_time), microseconds(duration), frame);
    }

    void counter(const char* name, const char* unit, profiler::Nanoseconds time, double value) {
        if (!std::isfinite(value)) return;
        begin();
        text_ += fmt::format(R"({{"name":"{}","ph":"C","pid":{},"ts":{},"args":{{"{}":{:.6f}}}}})", name, process,
                             microseconds(time), unit, value);
    }

    /// JSON text of a string; bytes that are no UTF-8 are replaced.
    static std::string quoted(const std::string& text) {
        return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
    }

    std::string finish(const Json& other_data) {
        text_ += fmt::format("\n],\"displayTimeUnit\":\"ms\",\"otherData\":{}}}\n",
                             other_data.dump(-1, ' ', false, Json::error_handler_t::replace));
        return std::move(text_);
    }

private:
    void begin() {
        text_ += first_ ? "\n" : ",\n";
        first_ = false;
    }
    /// Nanoseconds as a decimal fraction, without the rounding of a double.
    static std::string microseconds(profiler::Nanoseconds time) {
        const char* sign = time < 0 ? "-" : "";
        const profiler::Nanoseconds size = time < 0 ? -time : time;
        return fmt::format("{}{}.{:03}", sign, size / 1000, size % 1000);
    }

    std::string text_ = "{\"traceEvents\":[";
    bool first_ = true;
};

} // namespace

std::string to_trace(const Report& report) {
    const profiler::Recording& recording = report.recording;
    std::vector<std::string> names;
    for (const std::string& name : pass_names(recording)) names.push_back(TraceWriter::quoted(name));
    TraceWriter trace;
    trace.metadata("process_name", cpu_track, "Spindrift");
    trace.metadata("thread_name", cpu_track, "CPU");
    for (std::size_t source = 0; source < recording.sources.size(); ++source)
        trace.metadata("thread_name", first_gpu_track + static_cast<int>(source), recording.sources[source]);
    for (const profiler::RecordedFrame& frame : recording.frames) {
        trace.complete("\"frame\"", "frame", cpu_track, frame.cpu_begin, frame.cpu_end - frame.cpu_begin, frame.index);
        if (frame.gpu_valid) {
            trace.complete("\"frame\"", "frame", first_gpu_track, frame.gpu_begin, frame.gpu_duration, frame.index);
            trace.counter("GPU frame time", "ms", frame.gpu_begin, frame.gpu_ms());
        }
        if (frame.has_previous) trace.counter("frame time", "ms", frame.cpu_end, frame.interval_ms());
        for (const profiler::RecordedScope& scope : recording.scopes_of(frame)) {
            const std::string& name = names[static_cast<std::size_t>(scope.node)];
            trace.complete(name, "cpu", cpu_track, scope.cpu_begin, scope.cpu_end - scope.cpu_begin, frame.index);
            if (scope.gpu_valid)
                trace.complete(name, "gpu", first_gpu_track + scope.source, scope.gpu_begin, scope.gpu_duration,
                               frame.index);
        }
    }
    for (const profiler::SensorReading& reading : report.gpu.readings) {
        const profiler::Nanoseconds time = reading.time - recording.origin;
        if (recording.frames.empty() || time < 0 || time > recording.frames.back().cpu_end) continue;
        trace.counter("GPU clock", "MHz", time, reading.clock_mhz);
        trace.counter("GPU memory clock", "MHz", time, reading.memory_clock_mhz);
        trace.counter("GPU power", "W", time, reading.power_w);
        trace.counter("GPU temperature", "C", time, reading.temperature_c);
    }
    Json facts;
    facts["version"] = report.app.version;
    facts["renderer"] = report.gl.renderer;
    facts["command_line"] = report.run.command_line;
    return trace.finish(facts);
}

void check_trace_path(const std::filesystem::path& path) {
    if (path.extension() != ".json")
        throw Error(ExitCode::usage,
                    fmt::format("trace {}: the name must end in .json, which is its format", path.string()));
    check_writable(path);
}

void write_trace(const std::filesystem::path& path, const Report& report) {
    write_file_atomically(path, to_trace(report));
}

} // namespace spindrift::report
