// The report of one run: what ran, where, and how long each frame and pass took. Schema "spindrift.report/1".
//
// JSON (one object; a number that is not available is null):
//   schema   "spindrift.report/1"
//   app      version, git (null outside a repository), build_type, compiler
//   system   os, kernel, cpu, cpu_threads, ram_bytes
//   gl       vendor, renderer, version, glsl, timestamp_bits, debug_context, software_renderer, platform
//   cuda     null, or what cuFFT ran on
//   run      command_line, mode ("window" or "headless"), algorithm, size, packing, storage, schedule (only
//            of `tuned`: its kernels), cascades, seed, dt, frames, warmup, vsync, width, height, parameters (every
//            other setting by name)
//   frame    frames, missed (their GPU queries were not ready in time), absurd (GPU times dropped as impossible);
//            cpu_ms, gpu_ms, interval_ms, present_ms {median, p95, p99, p99_9, min, max}; and from the intervals, by
//            the rules of frame_figures.h: mean_ms, stddev_ms, p99_9_ms, fps_average (frames over time),
//            fps_1pct_low_time_integral, fps_1pct_low_mean_of_slowest, fps_1pct_low_percentile,
//            hitches {over_twice_median, over_33ms, time_percent}, bound {frames, gpu_percent, present_percent,
//            cpu_percent}
//   passes   by name: gpu_ms and cpu_ms {median, p95, p99, p99_9, min, max}, samples, missed, parent (null at the top),
//            in the order of the frame. The name is the path where two passes would share it.
//            frame and passes also have gpu_blocks_ms and cpu_blocks_ms (frame: interval_blocks_ms), the medians of ten
//            consecutive parts of the run, from 20 frames on: they say how much the median wandered.
//   recorder how the recording began and ended (recorder.h); null in a report made otherwise:
//            warm_up {asked {frames, seconds, stable_percent, limit_seconds}, frames, seconds, ended_by ("asked",
//            "stable", "limit"), last_change_percent}, length {frames, seconds} (0: not asked for), ended_by ("frames",
//            "seconds", "stopped", "full"), restarts, last_restart (why; null without one)
//   gpu      null, or from the GPU's sensors during the recording: source, readings; clock_mhz, memory_clock_mhz,
//            power_w, temperature_c {min, median, max}; clock_reasons (names of all that were seen)
//   notes    sentences about what makes these times hard to trust or to compare: clocks that moved or were held down, a
//            warm-up that ended unsettled, too few frames, queries that were missed; empty when there is nothing to say
//   mesh     vertices, triangles
//   debug    messages of the driver by severity
//   series   the times of every frame, see series.h
//
// CSV: one header line, one row a frame, decimal points whatever the locale, an empty cell where nothing is available:
//   Frame, TimeInSeconds (end of the frame's CPU work, from the recording's start), MsBetweenPresents, MsCPUBusy,
//   MsInPresentAPI (empty when headless), MsGPULatency, MsGPUTime, then MsGpu.<pass> for every pass and MsCpu.<pass>
//   for every pass, GpuClockMHz, GpuMemClockMHz, GpuPowerW, GpuTempC, GpuClockReasons (names joined by '+'; the latest
//   reading before the end of the frame). The first columns mean what PresentMon's of the same name mean;
//   MsBetweenPresents is taken where the swap is called.
#pragma once

#include "app/report/frame_figures.h"
#include "app/report/gpu_facts.h"
#include "app/report/recorder.h"
#include "engine/gl/device.h"
#include "engine/profiler/recording.h"

#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace spindrift::report {

using Json = nlohmann::ordered_json; ///< members stay in the order of the documentation

inline constexpr const char* schema = "spindrift.report/1";
inline constexpr std::size_t blocks_per_run = 10;

struct AppFacts {
    std::string version, git, build_type, compiler; ///< git is empty outside a repository
};
AppFacts app_facts();

struct SystemFacts {
    std::string os, kernel, cpu;
    unsigned cpu_threads = 0;
    std::uint64_t ram_bytes = 0;
};
SystemFacts system_facts();

struct RunFacts {
    std::string command_line; ///< reproduces the run
    bool headless = false;
    std::string algorithm, packing, storage; ///< the names that the command line takes
    std::string schedule;                    ///< of `tuned`: the kernels that ran, which wisdom chooses; else empty
    int size = 0;
    int cascades = 1;
    std::uint64_t seed = 0;
    double dt = 0.0; ///< seconds of sea per frame; 0 = real time
    int frames = 0, warmup = 0;
    std::string vsync; ///< in effect: "off", "on", "adaptive"; "off" when headless
    int width = 0, height = 0;
    Json parameters = Json::object(); ///< all other settings: sea, camera, mesh
};

struct MeshFacts {
    std::uint64_t vertices = 0, triangles = 0;
};

struct Report {
    AppFacts app;
    SystemFacts system;
    gl::DeviceInfo gl;
    std::string platform; ///< platform::Context::platform()
    Json cuda;            ///< null without cuFFT
    RunFacts run;
    MeshFacts mesh;
    gl::DebugCounts debug;
    std::optional<RecorderFacts> recorder;
    GpuFacts gpu;
    profiler::Recording recording;
};

/// Fills app, system, gl and debug; the caller adds what only it knows.
Report begin_report(const gl::DeviceInfo& device, std::string platform);

/// Names for the nodes of a recording: the scope's own name, or its path where another node has the same name.
std::vector<std::string> pass_names(const profiler::Recording& recording);

Json to_json(const Report& report);
/// The report's "notes".
std::vector<std::string> notes(const Report& report);
std::string to_csv(const profiler::Recording& recording, const GpuFacts& gpu = {});

/// What write_recording() adds to a stem.
inline constexpr std::array recording_endings{".json", ".csv", ".html"};

/// One line of CSV may need quotes: names with a comma, quote or line break (RFC 4180).
std::string csv_cell(std::string_view text);
/// Milliseconds with six decimals, so nanoseconds are kept; "" when not finite.
std::string csv_number(double value);

/// Throws Error(usage) unless the name ends in .json, .csv or .html (report_html.h), and Error when the file could not
/// be written later.
void check_report_path(const std::filesystem::path& path);
/// JSON, CSV or HTML by the name's ending, written atomically.
void write_report(const std::filesystem::path& path, const Report& report);
/// All files of a recording: STEM.json, STEM.csv, STEM.html.
void write_recording(const std::filesystem::path& stem, const Report& report);

namespace detail {
Json to_json(const profiler::Summary& summary);
} // namespace detail

} // namespace spindrift::report
