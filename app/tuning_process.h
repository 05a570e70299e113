// A search for kernels in a process of its own: `spindrift tune --progress json`. A driver that compiles a kernel, or
// sees it for the first time, holds up whoever asked, and in some drivers all of the process's contexts; here that is
// not the process which draws frames. It has an invisible window: so it is on the same GPU, and a driver that keeps
// what it has compiled does so in one place for both (an NVIDIA driver has one for GLX and another one for EGL).
#pragma once

#include "app/tuning_messages.h"
#include "engine/platform/child_process.h"
#include "fft/effort.h"
#include "fft/transform.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace spindrift {

struct TuningProcessDesc {
    std::string program; ///< path of spindrift
    fft::TransformDesc desc;
    bool fused = false; ///< the sea's fused step with it
    fft::Effort effort = fft::Effort::measure;
    std::optional<std::filesystem::path> shader_folder; ///< in place of the embedded shaders
};

/// The arguments that ask for this search, the program first.
std::vector<std::string> tuning_command(const TuningProcessDesc& desc);

class TuningProcess {
public:
    /// Throws Error when the process cannot be started.
    explicit TuningProcess(const TuningProcessDesc& desc);

    /// Reads what the process has said since. Never waits. False once it has ended and there is a result. Throws Error
    /// with the reason when it has ended without one.
    bool step();
    const TuningProgress& progress() const noexcept { return progress_; }
    /// After step() has returned false.
    const TuningResult& result() const noexcept { return *result_; }

    /// For a search that is given up; step() is not called any more.
    void kill() noexcept { process_.kill(); }
    /// Whether it is gone: its end does not wait then.
    bool may_end();

private:
    platform::ChildProcess process_;
    TuningProgress progress_;
    std::optional<TuningResult> result_;
};

} // namespace spindrift
