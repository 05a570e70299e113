// Recordings in the window: that of the run (--report, --trace, --frames, --seconds), and those that the user starts
// with F9 or the panel. One at a time.
//
// With a length in frames or seconds a recording fixes what is drawn: the warm-up holds the moment and the camera of
// its start, then every frame adds `dt` and moves the camera along its path, whatever the clock, the mouse and the keys
// say. Without a length (a report until the window closes) it watches what the user does.
#pragma once

#include "app/demo_report.h"
#include "app/demo_state.h"
#include "engine/platform/window.h"

#include <memory>
#include <optional>
#include <string>

namespace spindrift {

class WindowRecording {
public:
    WindowRecording(const platform::Window& window, profiler::Profiler& profiler);

    /// Begins the recording of the run where the settings ask for one.
    void start_run(const DemoState& state);
    /// F9: starts a recording, calls a warm-up off, or ends a recording early and writes it.
    void toggle(DemoState& state, const Scene& scene);
    /// What is drawn has changed by other means than the settings. `reason` is a literal.
    void restart(const char* reason);

    /// Before each frame: notices changed settings, decides what the frame is, writes a recording that is over, and
    /// tells the panel.
    void begin_frame(DemoState& state, const Scene& scene);
    bool active() const noexcept { return recorder_.active(); }
    /// The run's frames or seconds are over.
    bool run_over() const noexcept { return run_over_; }

    struct FixedFrame {
        double time = 0.0, dt = 0.0; ///< seconds of sea
        render::Camera camera;
    };
    /// What the frame must show; nullopt when the clock and the user decide.
    std::optional<FixedFrame> fixed_frame() const;

    /// At the end of the run: its reports, as the settings name them. Throws Error when it was to have a length and
    /// ended before, `how` says by what; then nothing is written.
    void finish_run(const DemoState& state, const Scene& scene, const char* how);

private:
    enum class Purpose { none, run, user };
    /// What makes frames differ from those before, besides the camera and the moment.
    struct Subject {
        Settings settings;
        platform::Extent size;
        bool vsync = false;
    };

    void start(Purpose purpose, const Settings& settings, double time, const report::WarmUp& warm_up,
               const report::RecordingLength& length);
    const char* changed(const Settings& settings) const;
    void end_recording();
    report::Report make_report(Settings settings, const Scene& scene);
    void write_recording(DemoState& state, const Scene& scene);
    RecordingMark mark() const;

    const platform::Window& window_;
    profiler::Profiler& profiler_;
    std::unique_ptr<profiler::SensorSampler> sensors_;
    report::Recorder recorder_;
    Purpose purpose_ = Purpose::none;
    bool records_ = false; ///< frames are kept for a report, not only counted
    std::size_t capacity_ = 0;
    Subject subject_; ///< its camera and time are those of the recording's start
    report::GpuFacts gpu_;
    std::optional<report::Report> run_report_;
    bool run_over_ = false;
};

} // namespace spindrift
