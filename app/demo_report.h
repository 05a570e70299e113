// What a run of the demo leaves behind: screenshot, report and trace, as the settings ask; and how long it measures.
#pragma once

#include "app/report/recorder.h"
#include "app/report/report.h"
#include "app/scene.h"
#include "engine/profiler/gpu_sensors.h"

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace spindrift {

/// Refuses output paths that cannot be written, before a long run instead of after it. Throws Error.
void check_outputs(const Settings& settings);

/// A report, a page or a trace was asked for.
bool measures(const Settings& settings);

/// "warmup" given alone is an exact number of frames; a run that measures nothing warms up only when told to.
report::WarmUp warm_up_of(const Settings& settings);
/// The settings' frames and seconds.
report::RecordingLength length_of_run(const Settings& settings);
/// Of a recording that is started in the window.
report::RecordingLength length_of_recording(const Settings& settings);
/// Frames to reserve memory for: the asked number, or what a fast machine draws in the asked time.
std::size_t recording_capacity(const report::RecordingLength& length);

/// Begins to read the GPU's sensors; null, with a debug message that says why, where there are none.
std::unique_ptr<profiler::SensorSampler> start_sensors(const gl::DeviceInfo& device);
/// Readings to reserve memory for.
inline constexpr std::size_t sensor_capacity = 36'000; ///< an hour

/// What a recording was, besides the settings.
struct RecordingContext {
    const Scene& scene;
    const platform::Context& context;
    const profiler::Profiler& profiler;
    const report::RecorderFacts& recorder;
    report::GpuFacts gpu;
    std::string_view vsync;
};
/// The report of what `profiler` recorded; its command line leads back to `settings`.
report::Report make_report(const Settings& settings, RecordingContext recording);

/// Logs what makes the report's times hard to trust or to compare.
void tell_notes(const report::Report& report);

/// Writes settings.report, settings.html and settings.trace where they are set.
void write_reports(const Settings& settings, const report::Report& report);

/// A stem that no file has yet with any of the endings of a recording: "spindrift-gale-stockham-radix4-512", with "-2"
/// and so on behind it where that is taken. No recording replaces another.
std::string free_recording_stem(const Settings& settings);

/// A recording in memory, to be compared with the present one.
struct KeptRecording {
    std::string label; ///< "stockham-radix4 512"
    std::string file;
    profiler::Statistics statistics;
    report::FrameFigures figures;
};

} // namespace spindrift
