#include "fft/planner.h"

#include "engine/error.h"
#include "fft/wisdom.h"

#include <algorithm>
#include <fmt/format.h>

namespace spindrift::fft {
namespace {

/// The stage-per-dispatch kernel needs no barrier, so its work groups may have any shape: an 8 x 8 tile keeps both
/// axes' accesses within a few rows of an image's memory blocks, is two warps (one wave) of the usual GPUs, and fits
/// the smallest devices.
constexpr int stages_tile = 8;

bool is_stage_per_dispatch(Algorithm algorithm) noexcept {
    return algorithm == Algorithm::cooley_tukey_stages;
}

/// Butterflies of one line in one stage.
int butterflies_per_line(const TransformDesc& desc) noexcept {
    return desc.size / radix_of(desc.algorithm);
}

/// barrier() works inside one work group only, so a line must not be spread over two: N / radix / b invocations have to
/// fit one group. The smallest b that fits wins: the stages wait for memory, and more invocations hide more of it. On
/// an NVIDIA H200, four fields, sizes 256 to 2048, b = 1 was the fastest or within 5 % of it; b = 4 cost up to 82 %.
int smallest_fitting(const TransformDesc& desc, const gl::DeviceLimits& limits) noexcept {
    int butterflies = 1;
    while (butterflies_per_line(desc) / butterflies > max_line_invocations(limits)) butterflies *= 2;
    return butterflies;
}

std::optional<std::string> why_not_honoured(const TransformDesc& desc, const gl::DeviceLimits& limits) {
    const int asked = desc.butterflies_per_invocation;
    if (asked == 0) return std::nullopt;
    if (desc.algorithm == Algorithm::tuned)
        return fmt::format("butterflies_per_invocation is {}; tuned takes its kernels' shape from its schedule", asked);
    if (is_stage_per_dispatch(desc.algorithm)) {
        if (asked == 1) return std::nullopt;
        return fmt::format("butterflies_per_invocation is {}; {} runs 1 butterfly in each invocation", asked,
                           to_string(desc.algorithm));
    }
    const int most = butterflies_per_line(desc);
    if (!is_power_of_two(asked) || asked > most)
        return fmt::format("butterflies_per_invocation is {}; {} at size {} takes a power of two from 1 to {}", asked,
                           to_string(desc.algorithm), desc.size, most);
    if (most / asked > max_line_invocations(limits))
        return fmt::format("butterflies_per_invocation is {}, which needs work groups of {} invocations at size {}; "
                           "this device's limit is {}",
                           asked, most / asked, desc.size, max_line_invocations(limits));
    return std::nullopt;
}

} // namespace

int radix_of(Algorithm algorithm) noexcept {
    return algorithm == Algorithm::stockham_radix4 ? 4 : 2;
}

int max_line_invocations(const gl::DeviceLimits& limits) noexcept {
    return std::min(limits.max_group_invocations, limits.max_group_size[0]);
}

std::optional<std::string> why_no_work_group(const TransformDesc& desc, const gl::DeviceLimits& limits) {
    if (is_stage_per_dispatch(desc.algorithm)) {
        const int invocations = stages_tile * stages_tile;
        if (limits.max_group_invocations < invocations || limits.max_group_size[0] < stages_tile ||
            limits.max_group_size[1] < stages_tile)
            return fmt::format("{} needs work groups of {} x {} invocations; this device's limits are {} x {} and {} "
                               "together",
                               to_string(desc.algorithm), stages_tile, stages_tile, limits.max_group_size[0],
                               limits.max_group_size[1], limits.max_group_invocations);
    } else if (desc.algorithm == Algorithm::tuned) {
        if (!default_schedule(desc, limits))
            return fmt::format("tuned at size {} needs work groups of at least {} invocations and {} bytes of shared "
                               "memory; this device's limits are {} and {}",
                               desc.size, desc.size / 16, desc.size * sizeof(float), max_line_invocations(limits),
                               limits.max_shared_memory_bytes);
    } else if (max_line_invocations(limits) < 1) {
        return fmt::format("{} needs work groups of at least 1 invocation; this device's limit is {}",
                           to_string(desc.algorithm), max_line_invocations(limits));
    }
    return why_not_honoured(desc, limits);
}

LaunchPlan plan_launch(const TransformDesc& desc, const gl::DeviceLimits& limits) {
    if (const auto reason = why_unavailable(desc, limits))
        throw Error(fmt::format("transform {}: {}", to_string(desc.algorithm), *reason));

    if (desc.algorithm == Algorithm::tuned) return plan_launch(desc, schedule_for(desc, limits).value(), limits);
    const int log2_size = log2_exact(desc.size);
    LaunchPlan plan;
    if (desc.algorithm == Algorithm::cufft) return plan; // cuFFT does not say
    plan.radix = radix_of(desc.algorithm);
    plan.radix2_last_stage = plan.radix == 4 && log2_size % 2 == 1;
    plan.stages_per_axis = plan.radix == 4 ? (log2_size + 1) / 2 : log2_size;
    if (is_stage_per_dispatch(desc.algorithm)) {
        plan.work_group = {stages_tile, stages_tile, 1};
        // x counts butterflies of a line, y counts lines; both are multiples of the tile from size 16 up.
        plan.work_groups = {butterflies_per_line(desc) / stages_tile, desc.size / stages_tile, desc.layers};
        plan.dispatches_per_axis = plan.stages_per_axis;
        return plan;
    }
    plan.butterflies_per_invocation =
        desc.butterflies_per_invocation != 0 ? desc.butterflies_per_invocation : smallest_fitting(desc, limits);
    plan.work_group = {butterflies_per_line(desc) / plan.butterflies_per_invocation, 1, 1};
    plan.work_groups = {desc.size, 1, desc.layers}; // one line a group
    plan.barriers_per_dispatch = plan.stages_per_axis - 1;
    return plan;
}

LaunchPlan plan_launch(const TransformDesc& desc, const TunedSchedule& schedule, const gl::DeviceLimits& limits) {
    if (const auto reason = why_no_schedule(schedule, desc, limits)) throw Error(fmt::format("tuned: {}", *reason));
    const KernelParameters& rows = schedule.rows;
    LaunchPlan plan;
    plan.radix = *std::max_element(rows.radices.begin(), rows.radices.end());
    plan.stages_per_axis = rows.stages();
    plan.butterflies_per_invocation = rows.points / plan.radix;
    plan.work_group = {rows.invocations(), 1, 1};
    plan.work_groups = tuned_work_groups(rows, desc.layers);
    plan.barriers_per_dispatch = rows.barriers();
    plan.schedule = schedule;
    return plan;
}

} // namespace spindrift::fft
