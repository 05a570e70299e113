// "Verify now": one transform checked while the sea moves. The expected result is computed on another thread, because
// it takes longer than a frame; then the GPU runs the transform once, in a plan and on data of its own.
#pragma once

#include "fft/verification.h"

#include <future>
#include <optional>

namespace spindrift {

class TransformCheck {
public:
    /// Does nothing while a check is running.
    void start(const fft::TransformDesc& desc);
    bool running() const noexcept { return prepared_.valid(); }

    /// Called once in each frame, outside profiler scopes. Empty until the check ends; then its result, once.
    std::optional<fft::VerificationResult> poll(gl::ProgramLibrary& library, const gl::DeviceLimits& limits);

private:
    fft::TransformDesc desc_;
    std::future<fft::VerificationCase> prepared_;
};

} // namespace spindrift
