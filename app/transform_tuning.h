// Measuring the kernels of `tuned` for the transform that runs, by itself or fused: in the window while the sea moves,
// in a headless run before its first frame. The result becomes wisdom, in use and in the file of this GPU.
#pragma once

#include "app/ocean/fused_case.h"
#include "app/tuning_process.h"
#include "fft/kernel_search.h"

#include <chrono>
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
    TuningProgress progress;
    bool elsewhere = false;      ///< by a process of its own, so that no frame waits for it
    double longest_step_ms = 0;  ///< of the CPU's time
    double longest_pause_ms = 0; ///< between the beginnings of two steps: in a window, the longest frame
    /// Why it was cancelled or has failed; of a search that is done, why the result is not kept in the file. Or empty.
    std::string why;
    /// Of a search that is done: the schedule that ran before and the one that runs now, measured side by side.
    std::optional<fft::ScheduleTrial> before, after;

    double fraction() const noexcept; ///< 0 to 1, for a progress bar
};

class TransformTuning {
public:
    /// `programs` gets nothing but the kernels of the result: those that are tried have a library of their own.
    /// `program` is the path of spindrift, for a process of its own that searches; where that cannot be had, or is on
    /// another GPU, the log says so and this process searches. Empty: this process does.
    TransformTuning(gl::ProgramLibrary& programs, const gl::DeviceInfo& device, std::string program = {});

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
    /// A fused sea, as it is when the search begins.
    struct Sea {
        ocean::SimulationDesc desc;
        std::optional<ocean::InitialSpectrum> initial;
    };
    /// A search that was given up and has a thread, or a process, that has not noticed yet.
    struct Leaving {
        std::unique_ptr<TuningProcess> process;
        std::unique_ptr<gl::ProgramLibrary> candidates;
        std::unique_ptr<ocean::FusedStepCase> fused_case;
        std::unique_ptr<fft::KernelSearch> search;
    };

    void begin(const fft::TransformDesc& desc, std::optional<Sea> sea, fft::Effort effort);
    bool begin_elsewhere();
    void begin_here();
    bool begin_fused(fft::Waiting waiting);
    bool advance(fft::Waiting waiting);
    bool advance_elsewhere();
    bool advance_here(fft::Waiting waiting);
    void take_result_from_elsewhere();
    bool adopt(fft::Waiting waiting);
    void finish();
    void fail(const std::string& why);
    void give_up();
    void end_search();

    gl::ProgramLibrary& programs_;
    const gl::DeviceInfo& device_;
    std::string program_;
    TuningStatus status_;
    std::optional<fft::TunedSchedule> before_;
    std::optional<Sea> sea_;                   ///< of a fused step
    std::optional<fft::FusedShaders> shaders_; ///< of a fused step
    bool awaits_unfused_kernels_ = false;      ///< fused: the search begins when these are built
    std::optional<fft::WisdomEntry> entry_;    ///< the result, once it is known
    std::optional<std::chrono::steady_clock::time_point> last_step_;
    std::vector<std::unique_ptr<Leaving>> leaving_; ///< never assigned: a library must outlive what uses it
    std::unique_ptr<TuningProcess> process_;        ///< the search, elsewhere
    std::unique_ptr<gl::ProgramLibrary> candidates_;
    std::unique_ptr<ocean::FusedStepCase> fused_case_; ///< of a fused step
    std::unique_ptr<fft::KernelSearch> search_;        ///< here; after the library and the case that it uses
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
