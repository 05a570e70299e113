// A search for the fastest kernels of one transform, in small steps: a program that draws frames calls step() between
// them, a command calls it in a loop, and both may stop at any time.
#pragma once

#include "fft/benchmark.h"
#include "fft/tuned.h"
#include "fft/tuner_steps.h"
#include "fft/wisdom.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace spindrift::fft {

/// One kernel that was tried, on one axis.
struct KernelTrial {
    KernelParameters kernel;
    bool ok = false;        ///< within its gate
    std::string failure;    ///< why not: above the gate, a program that does not build, an error of the driver
    double relative_l2 = 0; ///< of lines of this axis; fused, of what the whole step makes with it
    BenchmarkTime time;     ///< of one pass, microseconds; without samples when it is wrong or was not timed yet
};

/// One whole transform, or fused step.
struct ScheduleTrial {
    TunedSchedule schedule;
    bool ok = false;
    std::string failure;
    double relative_l2 = 0;
    BenchmarkTime time; ///< of one between two timestamps, microseconds
};

class KernelSearch {
public:
    virtual ~KernelSearch() = default;
    KernelSearch(const KernelSearch&) = delete;
    KernelSearch& operator=(const KernelSearch&) = delete;

    /// A schedule that competes with those that are found, such as the one in use. Before the searches have ended.
    virtual void also_try(const TunedSchedule& schedule) = 0;

    /// Compiles and checks one kernel, or measures for some milliseconds; without waiting, a part of this, or nothing
    /// when something is not ready yet. False when there is nothing left to do. Throws Error when memory runs out.
    virtual bool step(Waiting waiting = Waiting::allowed) = 0;
    /// From now on no candidates but one for the search that is going on: those behind it take place.
    virtual void end_search() noexcept = 0;
    /// For a search that is given up: its end would wait for another thread's work, but for no longer once this has
    /// returned true. Never waits; no step() afterwards.
    virtual bool may_end() = 0;

    virtual std::size_t searches() const noexcept = 0; ///< rows and columns for each place between them
    virtual std::size_t searches_finished() const noexcept = 0;
    virtual const std::string& doing() const noexcept = 0;    ///< for a progress line: what the last step did
    virtual std::span<const KernelTrial> kernels() const = 0; ///< all, in the order in which they were tried
    virtual std::span<const ScheduleTrial> schedules() const = 0;
    /// The fastest schedule once step() has returned false; empty when none was right.
    virtual std::optional<WisdomEntry> result() const = 0;

protected:
    KernelSearch() = default;
};

// What the searches have in common.

/// The fastest of the schedules that are right and were timed, as the entry of a search with that effort.
std::optional<WisdomEntry> fastest_entry(std::span<const ScheduleTrial> schedules, const TransformDesc& desc,
                                         Effort effort, bool fused);
/// Logs and clears GL errors that are pending: what a frame before left behind is no kernel's fault.
void forget_earlier_errors();

/// Kernels that differ from `kernel` in one field, those that the device cannot run left out.
std::vector<KernelParameters> neighbours(const KernelParameters& kernel, const TransformDesc& desc, Effort effort,
                                         const gl::DeviceLimits& limits);

} // namespace spindrift::fft
