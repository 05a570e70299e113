#include "fft/fused_case.h"

#include "engine/error.h"

#include <algorithm>
#include <limits>

namespace spindrift::fft {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::vector<std::vector<float>> download(const FusedCase& fused_case) {
    std::vector<std::vector<float>> result;
    for (const gl::Texture* output : fused_case.outputs()) {
        result.emplace_back(output->element_count());
        output->download(result.back());
    }
    return result;
}

void run_fused(const FusedPlan& plan, FusedCase& fused_case) {
    fused_case.bind_rows(plan.rows());
    plan.execute_rows();
    fused_case.bind_columns(plan.columns());
    plan.execute_columns();
    gl::memory_barrier(gl::Visibility::image | gl::Visibility::texture_fetch | gl::Visibility::texture_update);
}

} // namespace

VerificationResult verify_fused(const TransformDesc& desc, const TunedSchedule& schedule, FusedCase& fused_case,
                                gl::ProgramLibrary& library, const gl::DeviceLimits& limits) {
    VerificationResult result{
        .desc = desc, .fused = true, .norms = {infinity, infinity}, .gate = fused_gate_of(desc), .failure = {}};
    try {
        FusedPlan plan(desc, schedule, fused_case.shaders(), library, limits);
        fused_case.poison();
        fused_case.run_unfused();
        const auto expected = download(fused_case);
        fused_case.poison();
        plan.fill_scratch(std::numeric_limits<float>::quiet_NaN());
        run_fused(plan, fused_case);
        const auto made = download(fused_case);
        result.norms = {};
        for (std::size_t index = 0; index < made.size(); ++index) {
            const reference::ErrorNorms norms = reference::error_norms(made[index], expected[index]);
            result.norms.relative_l2 = std::max(result.norms.relative_l2, norms.relative_l2);
            result.norms.max_over_rms = std::max(result.norms.max_over_rms, norms.max_over_rms);
        }
        result.failure = gl::drain_errors();
    } catch (const Error& error) {
        result.failure = error.what();
        gl::drain_errors();
    }
    result.ok = result.failure.empty() && result.norms.relative_l2 < result.gate;
    return result;
}

} // namespace spindrift::fft
