#include "app/transform_check.h"

#include <chrono>
#include <exception>
#include <fmt/format.h>
#include <limits>
#include <spdlog/spdlog.h>

namespace spindrift {

void TransformCheck::start(const fft::TransformDesc& desc) {
    if (running()) return;
    desc_ = desc;
    prepared_ = std::async(std::launch::async, [desc] { return fft::make_verification_case(desc); });
}

std::optional<fft::VerificationResult> TransformCheck::poll(gl::ProgramLibrary& library,
                                                            const gl::DeviceLimits& limits) {
    if (!running() || prepared_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return std::nullopt;
    // An error that a frame before left behind is not this transform's.
    if (const std::string earlier = gl::drain_errors(); !earlier.empty())
        spdlog::warn("the driver reported {} before the check began", earlier);
    try {
        return fft::verify_transform(prepared_.get(), library, limits);
    } catch (const std::exception& error) { // memory ran out on the other thread, or here
        constexpr double infinity = std::numeric_limits<double>::infinity();
        return fft::VerificationResult{
            .desc = desc_, .norms = {infinity, infinity}, .failure = fmt::format("not checked: {}", error.what())};
    }
}

} // namespace spindrift
