#include "app/transform_check.h"

#include "app/ocean/fused_case.h"

#include <chrono>
#include <exception>
#include <fmt/format.h>
#include <limits>
#include <spdlog/spdlog.h>

namespace spindrift {

void TransformCheck::start(const ocean::Simulation& sea) {
    if (running()) return;
    desc_ = sea.plan().desc();
    if (sea.is_fused())
        fused_step_.emplace(FusedStep{sea.desc(), sea.initial_spectrum(), sea.fused_schedule()});
    else
        reference_ = std::async(std::launch::async, [desc = desc_] { return fft::make_verification_case(desc); });
}

bool TransformCheck::ready(gl::ProgramLibrary& library, const gl::DeviceInfo& device) const {
    if (fused_step_) return ocean::FusedStepCase::prepare(fused_step_->sea, library, device);
    return reference_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

fft::VerificationResult TransformCheck::check(gl::ProgramLibrary& library, const gl::DeviceInfo& device) {
    if (!fused_step_) return fft::verify_transform(reference_.get(), library, device.limits);
    ocean::FusedStepCase step(fused_step_->sea, &fused_step_->initial, library, device);
    return fft::verify_fused(desc_, fused_step_->schedule, step, library, device.limits);
}

std::optional<fft::VerificationResult> TransformCheck::poll(gl::ProgramLibrary& library, const gl::DeviceInfo& device) {
    if (!running()) return std::nullopt;
    fft::VerificationResult result{.desc = desc_, .fused = fused_step_.has_value(), .norms = {}, .failure = {}};
    try {
        if (!ready(library, device)) return std::nullopt;
        // An error that a frame before left behind is not this transform's.
        if (const std::string earlier = gl::drain_errors(); !earlier.empty())
            spdlog::warn("the driver reported {} before the check began", earlier);
        result = check(library, device);
    } catch (const std::exception& error) { // memory ran out on the other thread, or here; or a shader does not build
        constexpr double infinity = std::numeric_limits<double>::infinity();
        result.norms = {infinity, infinity};
        result.failure = fmt::format("not checked: {}", error.what());
    }
    fused_step_.reset();
    return result;
}

} // namespace spindrift
