// Decides how a transform is cut into work groups. Pure functions of a description and a device's limits, so that tests
// can plan for devices they do not have.
#pragma once

#include "fft/transform.h"
#include "fft/tuned.h"

#include <array>
#include <optional>
#include <string>

namespace spindrift::fft {

/// Everything that the kernels and their dispatches need to know about their shape.
struct LaunchPlan {
    int radix = 2;           ///< of every stage but, with radix 4 and odd log2 N, the last
    int stages_per_axis = 0; ///< passes over the data along one axis
    bool radix2_last_stage = false;
    int butterflies_per_invocation = 1; ///< radix-sized butterflies that one invocation computes in each stage
    std::array<int, 3> work_group{};    ///< local size
    std::array<int, 3> work_groups{};   ///< of one dispatch
    int dispatches_per_axis = 1;
    int barriers_per_dispatch = 0;                        ///< of the horizontal axis, where the axes differ
    std::optional<TunedSchedule> schedule = std::nullopt; ///< tuned: its kernels; work_group etc. are the rows'

    bool operator==(const LaunchPlan&) const = default;
};

/// log2 of a power of two.
constexpr int log2_exact(int power_of_two) noexcept {
    int log = 0;
    while ((1 << log) < power_of_two) ++log;
    return log;
}

int radix_of(Algorithm algorithm) noexcept;

/// Invocations that the largest one-dimensional work group of the device can have.
int max_line_invocations(const gl::DeviceLimits& limits) noexcept;

/// The sentence why no work group fits, or why an explicit butterflies_per_invocation cannot be honoured; empty when
/// there is one. Expects an otherwise valid description.
std::optional<std::string> why_no_work_group(const TransformDesc& desc, const gl::DeviceLimits& limits);

/// Throws Error(runtime_failure) with the sentence of why_unavailable().
LaunchPlan plan_launch(const TransformDesc& desc, const gl::DeviceLimits& limits);
/// Of `tuned` with this schedule. Throws Error with the sentence of why_no_schedule().
LaunchPlan plan_launch(const TransformDesc& desc, const TunedSchedule& schedule, const gl::DeviceLimits& limits);

} // namespace spindrift::fft
