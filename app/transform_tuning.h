// Measuring the kernels of `tuned` for the transform that runs, by itself or fused: in the window while the sea moves,
// in a headless run before its first frame. The result becomes wisdom, in use and in the file of this GPU.
#pragma once

#include "app/ocean/fused_case.h"
#include "fft/kernel_search.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace spindrift {

enum class TuningPhase {
    idle, ///< nothing was tuned yet
    running,
    done,
    cancelled,
    failed, ///< an error, or no kernel was right
};

/// What the panel shows of the present or the last search.
struct TuningStatus {
    TuningPhase phase = TuningPhase::idle;
    fft::TransformDesc desc; ///< what is or was tuned
    bool fused = false;      ///< the sea's fused step with it
    fft::Effort effort = fft::Effort::measure;
    std::string doing; ///< what is being tried
    std::size_t searches = 0, searches_finished = 0;
    std::size_t kernels = 0;      ///< tried so far
    double best_microseconds = 0; ///< the fastest pass of the search that is going on; 0 = none was timed yet
    double longest_step_ms = 0;   ///< of the CPU's time
    /// Why it was cancelled or has failed; of a search that is done, why the result is not kept in the file. Or empty.
    std::string why;
    /// Of a search that is done: the schedule that ran before and the one that runs now, measured side by side.
    std::optional<fft::ScheduleTrial> before, after;

    double fraction() const noexcept; ///< 0 to 1, for a progress bar
};

class TransformTuning {
public:
    /// `programs` gets nothing but the kernels of the result: those that are tried have a library of their own.
    TransformTuning(gl::ProgramLibrary& programs, const gl::DeviceInfo& device);

    /// Begins a search; one that is running is given up. Never throws for what the device cannot do: the phase is
    /// failed then.
    void start(const fft::TransformDesc& desc, fft::Effort effort);
    /// The same for the fused step of a sea; `initial`, when there is one, is its spectrum and is copied.
    void start_fused(const ocean::SimulationDesc& sea, const ocean::InitialSpectrum* initial, fft::Effort effort);
    /// Nothing of the search is kept. `why` is a sentence for the user.
    void cancel(std::string why);
    bool running() const noexcept { return status_.phase == TuningPhase::running; }

    /// Outside profiler scopes, once in each frame (never waiting) or in a loop. True once, when the result has become
    /// wisdom and Scene::remake_plan() would take it.
    bool step(fft::Waiting waiting);
    const TuningStatus& status() const noexcept { return status_; }

private:
    bool advance(fft::Waiting waiting);
    void give_up();
    void begin(const fft::TransformDesc& desc, bool fused, fft::Effort effort);
    bool begin_fused(fft::Waiting waiting);
    void announce();
    void end_search();
    void follow();
    bool adopt(fft::Waiting waiting);
    void finish();
    void fail(const std::string& why);

    gl::ProgramLibrary& programs_;
    const gl::DeviceInfo& device_;
    TuningStatus status_;
    std::optional<fft::TunedSchedule> before_;
    /// Of a fused step whose unfused kernels are being built.
    struct Awaited {
        ocean::SimulationDesc sea;
        std::optional<ocean::InitialSpectrum> initial;
    };
    std::optional<Awaited> awaited_;
    /// A search that was given up and has a thread that has not noticed yet.
    struct Leaving {
        std::unique_ptr<gl::ProgramLibrary> candidates;
        std::unique_ptr<ocean::FusedStepCase> fused_case;
        std::unique_ptr<fft::KernelSearch> search;
    };
    std::vector<std::unique_ptr<Leaving>> leaving_; ///< never assigned: a library must outlive what uses it
    std::unique_ptr<gl::ProgramLibrary> candidates_;
    std::unique_ptr<ocean::FusedStepCase> fused_case_; ///< of a fused step
    std::unique_ptr<fft::KernelSearch> search_;        ///< after the library and the case that it uses
};

/// "512 image vec4 4 fields", "512 fused vec4 4 fields": what is tuned, for people.
std::string describe_tuned(const fft::TransformDesc& desc, bool fused = false);
/// "before 14.2 us, now 11.9 us, rel L2 1.2e-07: SCHEDULE", of a search that is done.
std::string tuning_outcome(const TuningStatus& status);

/// Where `effort` asks for it and the active wisdom does not know `desc`: measures it, with a progress line on a
/// terminal, and puts the result to use. False when `stop` said so; then nothing is kept. Throws Error when no kernel
/// is right.
bool tune_first(const fft::TransformDesc& desc, fft::Effort effort, gl::ProgramLibrary& programs,
                const gl::DeviceInfo& device, const std::function<bool()>& stop);
/// The same for the transform of a sea, fused where the sea is.
bool tune_first(const ocean::SimulationDesc& sea, fft::Effort effort, gl::ProgramLibrary& programs,
                const gl::DeviceInfo& device, const std::function<bool()>& stop);

} // namespace spindrift
