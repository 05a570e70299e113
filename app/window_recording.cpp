#include "app/window_recording.h"

#include "engine/error.h"

#include <chrono>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <spdlog/spdlog.h>

namespace spindrift {
namespace {

constexpr std::size_t recordings_kept = 3;

double seconds_now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

const char* vsync_name(platform::Vsync vsync) {
    switch (vsync) {
    case platform::Vsync::off:
        return "off";
    case platform::Vsync::on:
        return "on";
    case platform::Vsync::adaptive:
        return "adaptive";
    }
    return "";
}

} // namespace

WindowRecording::WindowRecording(const platform::Window& window, profiler::Profiler& profiler)
    : window_(window), profiler_(profiler), sensors_(start_sensors(window.device())) {}

void WindowRecording::start_run(const DemoState& state) {
    const report::RecordingLength length = length_of_run(state.settings);
    if (!measures(state.settings) && !length.bounded()) return;
    records_ = measures(state.settings);
    const bool warms_up = records_ || state.settings.was_given("warmup");
    start(Purpose::run, state.settings, state.time, warms_up ? warm_up_of(state.settings) : report::WarmUp{}, length);
}

void WindowRecording::start(Purpose purpose, const Settings& settings, double time, const report::WarmUp& warm_up,
                            const report::RecordingLength& length) {
    purpose_ = purpose;
    subject_ = {settings, window_.framebuffer_size(), window_.vsync() != platform::Vsync::off};
    subject_.settings.time = time;
    capacity_ = recording_capacity(length);
    if (records_) profiler_.prepare_recording(capacity_);
    if (records_ && sensors_) sensors_->record(sensor_capacity);
    recorder_.start(warm_up, length, capacity_, seconds_now());
}

void WindowRecording::toggle(DemoState& state, const Scene& scene) {
    if (purpose_ == Purpose::run) {
        state.tell("This run is being measured already, from its command line.");
    } else if (recorder_.active()) {
        recorder_.stop(seconds_now());
        end_recording();
        if (recorder_.phase() == report::Recorder::Phase::done)
            write_recording(state, scene);
        else
            state.tell("The recording was called off during its warm-up.");
        purpose_ = Purpose::none;
    } else {
        records_ = true;
        state.tell("Recording; F9 again ends it.");
        start(Purpose::user, state.settings, state.time, warm_up_of(state.settings),
              length_of_recording(state.settings));
        spdlog::info("recording begins");
    }
}

void WindowRecording::restart(const char* reason) {
    if (!recorder_.active()) return;
    recorder_.restart(reason, seconds_now());
    if (records_) profiler_.prepare_recording(capacity_);
    if (records_ && sensors_) sensors_->record(sensor_capacity);
}

/// Why what is drawn is no longer what the recording began with; nullptr when it still is.
const char* WindowRecording::changed(const Settings& now) const {
    const Settings& then = subject_.settings;
    if (now.algorithm != then.algorithm) return "another algorithm";
    if (now.size != then.size) return "another size";
    if (now.packing != then.packing) return "another packing";
    if (now.storage != then.storage) return "another storage";
    if (now.fused != then.fused) return now.fused ? "fused" : "no longer fused";
    if (now.intermediate != then.intermediate) return "another precision between the axes";
    if (now.interop_frames != then.interop_frames) return "another number of frames to a switch";
    if (now.cascades != then.cascades) return "another number of cascades";
    if (now.vertices != then.vertices) return "another mesh";
    if (now.look.wireframe != then.look.wireframe) return "wireframe";
    if (window_.framebuffer_size() != subject_.size) return "another window size";
    if ((window_.vsync() != platform::Vsync::off) != subject_.vsync) return "vertical sync";
    if (!recorder_.facts().length.bounded()) return nullptr;
    // These cost the same, but the report's command line would not lead back to the same pictures.
    if (!(now.sea == then.sea) || now.sea_name != then.sea_name) return "another sea";
    if (!(now.sky == then.sky) || now.exposure != then.exposure) return "other light";
    if (now.camera_path != then.camera_path) return "another camera path";
    return nullptr;
}

void WindowRecording::begin_frame(DemoState& state, const Scene& scene) {
    if (recorder_.active()) {
        if (const char* reason = changed(state.settings)) {
            const render::Camera camera = subject_.settings.camera;
            const double time = subject_.settings.time;
            subject_ = {state.settings, window_.framebuffer_size(), window_.vsync() != platform::Vsync::off};
            subject_.settings.camera = camera;
            subject_.settings.time = time;
            restart(reason);
            spdlog::info("the recording begins again: {}", reason);
            if (purpose_ == Purpose::user) state.tell(fmt::format("Recording: once more, {}", reason));
        }
        const bool over = recorder_.begin_frame(seconds_now()) == report::Recorder::Phase::done;
        if (recorder_.first_recorded() && records_) profiler_.record(capacity_);
        if (over) {
            end_recording();
            if (purpose_ == Purpose::user) {
                write_recording(state, scene);
                purpose_ = Purpose::none;
            } else {
                run_over_ = recorder_.facts().length.bounded();
                if (records_) run_report_ = make_report(state.settings, scene);
            }
            if (recorder_.facts().length.bounded()) state.settings.camera = subject_.settings.camera;
        }
    }
    state.recording = mark();
}

void WindowRecording::end_recording() {
    if (!records_) return;
    profiler_.stop_recording();
    profiler_.drain();
    gpu_ = {};
    if (sensors_) gpu_ = {sensors_->description(), sensors_->stop_recording()};
}

report::Report WindowRecording::make_report(Settings settings, const Scene& scene) {
    const platform::Extent size = window_.framebuffer_size();
    settings.width = size.width;
    settings.height = size.height;
    if (recorder_.facts().length.bounded()) {
        settings.camera = subject_.settings.camera;
        settings.time = subject_.settings.time;
    }
    return spindrift::make_report(
        settings, {scene, window_, profiler_, recorder_.facts(), std::move(gpu_), vsync_name(window_.vsync())});
}

void WindowRecording::write_recording(DemoState& state, const Scene& scene) {
    Settings settings = state.settings;
    const std::string stem = free_recording_stem(settings);
    settings.report = stem + report::recording_endings.front();
    settings.frames = static_cast<int>(profiler_.recording().frames.size());
    settings.seconds = 0.0;
    settings.screenshot.clear();
    const report::Report report = make_report(settings, scene);
    tell_notes(report);
    KeptRecording kept{fmt::format("{} {}", report.run.algorithm, report.run.size), settings.report,
                       report.recording.statistics(), report::frame_figures(report.recording)};
    state.recordings.insert(state.recordings.begin(), std::move(kept));
    if (state.recordings.size() > recordings_kept) state.recordings.pop_back();
    try {
        report::write_recording(stem, report);
        const std::string place = std::filesystem::absolute(settings.report).string();
        spdlog::info("recorded {} frames: {}", settings.frames, place);
        state.tell(fmt::format("{} (and .csv, .html): {} frames, in {}", settings.report, settings.frames,
                               std::filesystem::absolute(settings.report).parent_path().string()));
    } catch (const Error& error) {
        spdlog::error("{}", error.what());
        state.complain(error.what());
    }
}

std::optional<WindowRecording::FixedFrame> WindowRecording::fixed_frame() const {
    if (!recorder_.active() || !recorder_.facts().length.bounded()) return std::nullopt;
    const Settings& start = subject_.settings;
    const std::int64_t frame = recorder_.frame();
    return FixedFrame{start.time + start.dt * static_cast<double>(frame), frame == 0 ? 0.0 : start.dt,
                      camera_on_path(start.camera_path, start.camera, frame)};
}

RecordingMark WindowRecording::mark() const {
    RecordingMark mark;
    mark.active = recorder_.active();
    mark.of_run = purpose_ == Purpose::run;
    mark.warming_up = recorder_.phase() == report::Recorder::Phase::warm_up;
    mark.frames = recorder_.recorded_frames();
    mark.remaining_seconds = recorder_.remaining_seconds(seconds_now());
    return mark;
}

void WindowRecording::finish_run(const DemoState& state, const Scene& scene, const char* how) {
    if (purpose_ == Purpose::user) spdlog::warn("{} during a recording: it is incomplete, nothing was written", how);
    const bool is_run = purpose_ == Purpose::run;
    const bool has_outputs = measures(state.settings) || !state.settings.screenshot.empty();
    if (is_run && has_outputs && recorder_.active() && recorder_.facts().length.bounded())
        throw Error(fmt::format("{} after {} measured frames: the run is incomplete, nothing was written", how,
                                recorder_.recorded_frames()));
    if (!is_run || !records_) return;
    if (recorder_.active()) {
        recorder_.stop(seconds_now());
        end_recording();
        run_report_ = make_report(state.settings, scene);
    }
    if (!run_report_) return;
    tell_notes(*run_report_);
    write_reports(state.settings, *run_report_);
}

} // namespace spindrift
