// "Verify now": what the sea runs, checked while it moves, on data of its own. A transform is compared with the
// double-precision reference, which another thread computes because it takes longer than a frame; a fused step, whose
// transform has neither input nor output in memory, with the same step by the unfused kernels of stockham-radix4.
#pragma once

#include "app/ocean/simulation.h"
#include "fft/verification.h"

#include <future>
#include <optional>

namespace spindrift {

class TransformCheck {
public:
    /// Of the kernels that this sea runs. Does nothing while a check is running.
    void start(const ocean::Simulation& sea);
    bool running() const noexcept { return reference_.valid() || fused_step_.has_value(); }

    /// Called once in each frame, outside profiler scopes. Empty until the check ends; then its result, once.
    std::optional<fft::VerificationResult> poll(gl::ProgramLibrary& library, const gl::DeviceInfo& device);

private:
    struct FusedStep {
        ocean::SimulationDesc sea;
        ocean::InitialSpectrum initial;
        fft::TunedSchedule schedule;
    };

    bool ready(gl::ProgramLibrary& library, const gl::DeviceInfo& device) const;
    fft::VerificationResult check(gl::ProgramLibrary& library, const gl::DeviceInfo& device);

    fft::TransformDesc desc_;
    std::future<fft::VerificationCase> reference_; ///< one of the two while a check is running
    std::optional<FusedStep> fused_step_;
};

} // namespace spindrift
