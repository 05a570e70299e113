#include "app/window_demo.h"

#include "app/demo_report.h"
#include "app/demo_state.h"
#include "app/keys.h"
#include "app/panel/panel.h"
#include "app/parameters.h"
#include "app/scene.h"
#include "app/shaders.h"
#include "app/termination_request.h"
#include "app/transform_check.h"
#include "app/transform_tuning.h"
#include "app/window_recording.h"
#include "engine/error.h"
#include "engine/platform/window.h"
#include "engine/render/png_file.h"
#include "fft/cuda_module.h"

#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <new>
#include <optional>
#include <spdlog/spdlog.h>

namespace spindrift {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double longest_step = 0.25; ///< seconds: after a pause of the whole program the sea goes on, it does not jump
constexpr double reload_check_interval = 0.3; ///< seconds between looks at the shader files

/// A name that does not exist yet, so that no picture replaces another.
std::string free_screenshot_name(const DemoState& state) {
    const std::string sea =
        state.settings.sea_name.empty() ? "default" : std::filesystem::path(state.settings.sea_name).stem().string();
    const std::string stem = fmt::format("spindrift-{}-{:.2f}s", sea, state.time);
    std::string name = stem + ".png";
    for (int number = 2; std::filesystem::exists(name); ++number) name = fmt::format("{}-{}.png", stem, number);
    return name;
}

/// By the name under which it was started, if it is still there: a driver may keep a cache for each name.
std::string own_program() {
    const std::filesystem::path link = "/proc/self/exe";
    std::error_code error;
    const std::filesystem::path program = std::filesystem::read_symlink(link, error);
    return !error && std::filesystem::exists(program, error) ? program.string() : link.string();
}

class WindowDemo {
public:
    explicit WindowDemo(const Settings& settings)
        : window_({.size = {settings.width, settings.height},
                   .debug = settings.gl_debug,
                   .vsync = settings.vsync ? platform::Vsync::on : platform::Vsync::off,
                   .fullscreen = settings.fullscreen}),
          programs_(make_program_library(settings, window_.device())) {
        fft::cuda::connect(window_);
        state_.settings = settings;
        state_.reference = settings_of_sea(settings.sea_name);
        state_.time = settings.time;
        if (const std::string note = choose_layout_of_cufft(state_.settings); !note.empty()) spdlog::info("{}", note);
        if (const std::string note = adapt_to_software_renderer(state_.settings, window_.device()); !note.empty()) {
            spdlog::info("{}", note);
            state_.tell(note);
        }
        applied_ = state_.settings;
        scene_ = std::make_unique<Scene>(state_.settings, programs_, window_.device());
        profiler::Options options;
        options.window_frames = 300; // enough for a 99th percentile
        profiler_ = std::make_unique<profiler::Profiler>(window_.device(), options);
        if (window_.device().limits.cuda.available) profiler_->add_source(fft::cuda::make_time_source());
        recording_ = std::make_unique<WindowRecording>(window_, *profiler_);
        panel_ = std::make_unique<Panel>(window_, settings.ui_scale);
        tuning_ = std::make_unique<TransformTuning>(programs_, window_.device(), own_program());
    }

    int run() {
        previous_ = Clock::now();
        const TerminationRequest termination;
        while (!window_.should_close() && !state_.quit_requested && !recording_->run_over() &&
               !termination.received()) {
            handle_events();
            if (window_.minimised()) {
                previous_ = Clock::now();
                if (!was_minimised_) recording_->restart("the window was minimised");
                was_minimised_ = true;
                continue;
            }
            was_minimised_ = false;
            carry_out_requests();
            follow_settings();
            tune_transform();
            draw_frame();
        }
        finish_run(termination.received() ? termination.name() : "the window was closed");
        return static_cast<int>(ExitCode::success);
    }

private:
    void handle_events() {
        // A minimised window sleeps until something happens.
        const std::vector<platform::Event> events =
            window_.minimised() ? window_.wait_events(0.2) : window_.poll_events();
        for (const platform::Event& event : events) {
            if (const auto* key = std::get_if<platform::KeyEvent>(&event)) on_key(*key);
            if (const auto* button = std::get_if<platform::MouseButtonEvent>(&event)) on_button(*button);
            if (const auto* mouse = std::get_if<platform::MouseMoveEvent>(&event)) on_mouse_move(*mouse);
            if (const auto* drop = std::get_if<platform::DropEvent>(&event)) on_drop(*drop);
            if (std::holds_alternative<platform::ContentScaleEvent>(event)) panel_->set_scale(window_);
            if (const auto* focus = std::get_if<platform::FocusEvent>(&event); focus != nullptr && !focus->focused)
                look_around(false);
        }
    }

    void on_key(const platform::KeyEvent& event) {
        if (event.action != platform::Action::press || panel_->wants_keyboard()) return;
        const std::optional<KeyAction> action = action_of_key(event.key);
        if (!action) return;
        switch (*action) {
        case KeyAction::toggle_panel:
            state_.panel_visible = !state_.panel_visible;
            break;
        case KeyAction::toggle_pause:
            state_.paused = !state_.paused;
            break;
        case KeyAction::single_step:
            state_.paused = true;
            state_.step_requested = true;
            break;
        case KeyAction::previous_sea:
            choose_next_sea(state_, -1);
            break;
        case KeyAction::next_sea:
            choose_next_sea(state_, 1);
            break;
        case KeyAction::reset_camera:
            state_.settings.camera = state_.reference.camera;
            break;
        case KeyAction::toggle_help:
            state_.help_visible = !state_.help_visible;
            break;
        case KeyAction::toggle_fullscreen:
            state_.settings.fullscreen = !state_.settings.fullscreen;
            break;
        case KeyAction::toggle_recording:
            state_.recording_toggle_requested = true;
            break;
        case KeyAction::take_screenshot:
            state_.screenshot_requested = true;
            screenshot_with_panel_ = event.modifiers.shift;
            break;
        case KeyAction::reload_shaders:
            state_.reload_requested = true;
            break;
        case KeyAction::close_or_quit:
            if (state_.help_visible)
                state_.help_visible = false;
            else if (state_.panel_visible)
                state_.panel_visible = false;
            else
                state_.quit_requested = true;
            break;
        default:
            break; // held keys act in move_camera()
        }
    }

    void on_drop(const platform::DropEvent& event) {
        if (event.paths.empty()) return;
        state_.panel_visible = true;
        panel_->open_picture(event.paths.front());
    }

    void on_button(const platform::MouseButtonEvent& event) {
        if (event.button != platform::MouseButton::right) return;
        look_around(event.action == platform::Action::press && !panel_->wants_mouse());
        pointer_x_ = event.x;
        pointer_y_ = event.y;
    }

    void look_around(bool looking) {
        if (looking == looking_) return;
        looking_ = looking;
        window_.capture_pointer(looking);
    }

    void on_mouse_move(const platform::MouseMoveEvent& event) {
        if (looking_)
            render::turn(state_.settings.camera, static_cast<float>(event.x - pointer_x_),
                         static_cast<float>(pointer_y_ - event.y));
        pointer_x_ = event.x;
        pointer_y_ = event.y;
    }

    void move_camera(double seconds) {
        if (!looking_) return;
        render::CameraMotion motion;
        for (const KeyBinding& binding : key_bindings()) {
            if (!binding.held || binding.key == platform::Key::unknown || !window_.key_down(binding.key)) continue;
            switch (binding.action) {
            case KeyAction::move_forward:
                motion.forward += 1.0F;
                break;
            case KeyAction::move_back:
                motion.forward -= 1.0F;
                break;
            case KeyAction::move_right:
                motion.right += 1.0F;
                break;
            case KeyAction::move_left:
                motion.right -= 1.0F;
                break;
            case KeyAction::move_up:
                motion.up += 1.0F;
                break;
            case KeyAction::move_down:
                motion.up -= 1.0F;
                break;
            case KeyAction::move_fast:
                motion.fast = true;
                break;
            default:
                break;
            }
        }
        render::move(state_.settings.camera, motion, static_cast<float>(seconds));
    }

    void carry_out_requests() {
        if (state_.settings.fullscreen != window_.fullscreen()) window_.set_fullscreen(state_.settings.fullscreen);
        const auto vsync = state_.settings.vsync ? platform::Vsync::on : platform::Vsync::off;
        if (vsync != window_.vsync() && state_.settings.vsync != applied_.vsync) window_.set_vsync(vsync);
        if (state_.copy_command_line_requested) {
            const std::string line = command_line_of(current_settings(), CommandLineScope::look);
            window_.set_clipboard(line);
            state_.tell("Copied: " + line);
            state_.copy_command_line_requested = false;
        }
        const bool due = programs_.sources().is_directory() &&
                         Clock::now() - last_reload_check_ > std::chrono::duration<double>(reload_check_interval);
        if (state_.reload_requested || due) reload_shaders(state_.reload_requested);
        state_.reload_requested = false;
        verify_transform();
        if (state_.recording_toggle_requested) recording_->toggle(state_, *scene_);
        state_.recording_toggle_requested = false;
    }

    /// Starts the check that the panel asked for, and tells how the last one ended.
    void verify_transform() {
        if (state_.verification_requested) transform_check_.start(scene_->simulation());
        state_.verification_requested = false;
        if (std::optional<fft::VerificationResult> result = transform_check_.poll(programs_, window_.device())) {
            if (result->ok) {
                spdlog::info("verified {}, max/rms {:.2g}, gate {:g}", result->describe(), result->norms.max_over_rms,
                             result->gate);
            } else {
                spdlog::error("verification failed: {}", result->describe());
                state_.complain("Verification failed: " + result->describe());
            }
            state_.verification = std::move(result);
        }
        state_.verifying = transform_check_.running();
    }

    /// Measures the kernels of `tuned` while the sea runs: where the panel or --effort asks for it, and as long as
    /// nothing else is measured.
    void tune_transform() {
        const ocean::Simulation& sea = scene_->simulation();
        const fft::TransformDesc desc = sea.plan().desc();
        const bool was_running = tuning_->running();
        const auto tuned = std::pair{desc, sea.is_fused()};
        if (declined_ && *declined_ != tuned) declined_.reset();
        if (was_running && state_.tuning_cancel_requested) {
            declined_ = tuned;
            tuning_->cancel("you ended it");
        }
        if (desc != tuning_->status().desc || sea.is_fused() != tuning_->status().fused)
            tuning_->cancel("another transform runs now");
        if (recording_->active()) tuning_->cancel("a recording must not be disturbed");
        if (state_.tuning_requested && desc.algorithm == fft::Algorithm::tuned && !recording_->active())
            start_tuning(*state_.tuning_requested);
        else if (!tuning_->running() && wants_tuning())
            start_tuning(state_.settings.effort);
        state_.tuning_requested.reset();
        state_.tuning_cancel_requested = false;
        if (tuning_->step(fft::Waiting::never)) take_tuned_plan();
        const TuningStatus& status = tuning_->status();
        if (status.phase == TuningPhase::failed && std::pair{status.desc, status.fused} == tuned &&
            declined_ != tuned) {
            declined_ = tuned;
            if (!run_started_ && records_run())
                throw Error(fmt::format("--effort {}: tuning {} failed: {}; nothing was recorded",
                                        to_string(status.effort), describe_tuned(status.desc, status.fused),
                                        status.why));
            state_.complain("Tuning failed: " + status.why);
        }
        if (was_running && !tuning_->running()) profiler_->reset_statistics(); // the times so far were disturbed
        // The recording of the run waits for what --effort asks for.
        if (!run_started_ && !tuning_->running() && !wants_tuning() && !recording_->active()) start_run();
    }

    void start_tuning(fft::Effort effort) {
        const ocean::Simulation& sea = scene_->simulation();
        if (sea.is_fused())
            tuning_->start_fused(sea.desc(), &sea.initial_spectrum(), effort);
        else
            tuning_->start(sea.plan().desc(), effort);
    }

    void take_tuned_plan() {
        try {
            scene_->remake_plan();
            const TuningStatus& status = tuning_->status();
            if (status.after)
                state_.tell(fmt::format("Tuned: {:.2f} us a {}", status.after->time.median,
                                        status.fused ? "step" : "transform"));
        } catch (const Error& error) { // memory: the plan is as it was
            state_.complain(error.what());
            spdlog::error("{}", error.what());
        }
    }

    /// Whether --effort asks for a search that has not been made yet, nor been ended by the user.
    bool wants_tuning() const {
        const ocean::Simulation& sea = scene_->simulation();
        const fft::TransformDesc& desc = sea.plan().desc();
        return !recording_->active() && declined_ != std::pair{desc, sea.is_fused()} &&
               fft::needs_measuring(desc, state_.settings.effort, sea.is_fused());
    }

    /// Whether the command line asks for a recording, which would not be of what it names.
    bool records_run() const {
        const Settings& settings = state_.settings;
        return measures(settings) || settings.frames > 0 || settings.seconds > 0;
    }

    void start_run() {
        run_started_ = true;
        recording_->start_run(state_);
    }

    /// The settings with the clock's time in place of the start's.
    Settings current_settings() const {
        Settings settings = state_.settings;
        settings.time = state_.time;
        return settings;
    }

    void reload_shaders(bool all) {
        last_reload_check_ = Clock::now();
        const gl::ProgramLibrary::ReloadResult result = programs_.reload(all);
        if (result.failed > 0) {
            state_.reload_state = ReloadState::failed;
            state_.complain(result.error);
        } else if (result.rebuilt > 0) {
            state_.reload_state = ReloadState::reloaded;
            state_.tell(fmt::format("{} shader programs rebuilt", result.rebuilt));
        }
        if (result.rebuilt > 0) {
            tuning_->cancel("the shaders were reloaded");
            scene_->shaders_changed();
            profiler_->reset_statistics();
            recording_->restart("reloaded shaders");
        }
    }

    void follow_settings() {
        try {
            scene_->apply(state_.settings);
            applied_ = state_.settings;
        } catch (const Error& error) {
            go_back(error.what());
        } catch (const std::bad_alloc&) {
            go_back(fmt::format("not enough memory for a mesh of {} vertices at size {}", state_.settings.vertices,
                                state_.settings.size));
        }
    }

    /// CUDA gave up in the middle of a frame: the sea goes on without it, and cufft is greyed with the reason. A run of
    /// so many frames or seconds ends: its report would be of another algorithm than the command names.
    void fall_back(const std::string& reason) {
        if (state_.settings.frames > 0 || state_.settings.seconds > 0)
            throw Error(fmt::format("cufft: {}; the run is incomplete, nothing was recorded", reason));
        gl::CudaInterop gone;
        gone.reason = "CUDA gave up: " + reason;
        window_.set_cuda(std::move(gone));
        state_.settings.algorithm = state_.reference.algorithm;
        const std::string message =
            fmt::format("{} took over from cufft: {}", to_string(state_.settings.algorithm), reason);
        spdlog::error("{}", message);
        state_.complain(message);
        scene_->apply(state_.settings);
        applied_ = state_.settings;
    }

    /// The scene still shows what it showed; so do the controls.
    void go_back(const std::string& reason) {
        state_.settings = applied_;
        state_.complain(reason);
        spdlog::error("{}", reason);
    }

    /// Seconds of sea that this frame adds, when the clock decides.
    double advance() {
        const Clock::time_point now = Clock::now();
        const double elapsed = std::chrono::duration<double>(now - previous_).count();
        previous_ = now;
        move_camera(std::min(elapsed, longest_step));
        const bool fixed = state_.settings.was_given("dt") || state_.step_requested;
        double dt = fixed ? state_.settings.dt : std::min(elapsed, longest_step);
        if (state_.paused && !state_.step_requested) dt = 0.0;
        state_.step_requested = false;
        return dt;
    }

    /// Moves the clock, and the camera of a recording that fixes it; returns the step.
    double next_step() {
        if (const auto fixed = recording_->fixed_frame()) {
            previous_ = Clock::now();
            state_.time = fixed->time;
            scene_->set_camera(fixed->camera);
            return fixed->dt;
        }
        const double dt = is_first_frame_ ? 0.0 : advance();
        state_.time += dt;
        return dt;
    }

    void draw_frame() {
        const platform::Extent size = window_.framebuffer_size();
        if (size.empty()) return;
        recording_->begin_frame(state_, *scene_);
        if (recording_->run_over()) return;
        const double dt = next_step();
        profiler_->begin_frame();
        try {
            scene_->draw(state_.time, dt, size, gl::Framebuffer::window(), profiler_.get());
        } catch (const fft::cuda::CudaError& error) {
            fall_back(error.what());
            scene_->draw(state_.time, dt, size, gl::Framebuffer::window(), profiler_.get());
        }
        // Before the panel is drawn, so that a picture shows nothing but the sea, unless it is wanted.
        if (state_.screenshot_requested && !screenshot_with_panel_) take_screenshot(free_screenshot_name(state_));
        {
            auto scope = profiler_->scope("ui");
            panel_->draw({state_, *scene_, *profiler_, tuning_->status(), window_, programs_});
        }
        profiler_->end_frame();
        if (state_.screenshot_requested && screenshot_with_panel_) take_screenshot(free_screenshot_name(state_));
        window_.swap();
        profiler_->presented();
        is_first_frame_ = false;
    }

    void take_screenshot(const std::string& name) {
        state_.screenshot_requested = screenshot_with_panel_ = false;
        const platform::Extent size = window_.framebuffer_size();
        try {
            render::write_png(name, size.width, size.height,
                              gl::Framebuffer::window().read_rgb8(size.width, size.height));
            state_.tell("Screenshot: " + name);
        } catch (const Error& error) {
            if (name == state_.settings.screenshot) throw; // asked for on the command line: the run has failed
            state_.complain(error.what());
            spdlog::error("{}", error.what());
        }
    }

    /// `how` says what ended the run, in case that it was too early.
    void finish_run(const char* how) {
        tell_program_counts(programs_);
        tuning_->cancel(how);
        if (!run_started_) start_run();
        recording_->finish_run(state_, *scene_, how);
        const platform::Extent size = window_.framebuffer_size();
        if (state_.settings.screenshot.empty() || size.empty()) return;
        // The last moment once more, without the panel and in no measured frame.
        scene_->draw(state_.time, 0.0, size, gl::Framebuffer::window(), nullptr);
        take_screenshot(state_.settings.screenshot);
    }

    // Destroyed from the last to the first: GL objects before the window's context.
    platform::Window window_;
    gl::ProgramLibrary programs_;
    std::unique_ptr<Scene> scene_;
    std::unique_ptr<profiler::Profiler> profiler_;
    std::unique_ptr<WindowRecording> recording_;
    std::unique_ptr<Panel> panel_;
    TransformCheck transform_check_;
    std::unique_ptr<TransformTuning> tuning_;
    /// Of a transform, fused or not: the user has ended its search, or it cannot be tuned.
    std::optional<std::pair<fft::TransformDesc, bool>> declined_;
    bool run_started_ = false; ///< the recording of the run
    DemoState state_;
    Settings applied_; ///< the last settings that the scene accepted

    bool screenshot_with_panel_ = false; ///< the one that is requested
    bool looking_ = false;
    double pointer_x_ = 0.0, pointer_y_ = 0.0;
    bool is_first_frame_ = true;
    bool was_minimised_ = false;
    Clock::time_point previous_{};
    Clock::time_point last_reload_check_{};
};

} // namespace

int run_window(const Settings& settings) {
    return WindowDemo(settings).run();
}

} // namespace spindrift
