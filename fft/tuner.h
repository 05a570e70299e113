// Chooses the kernels of one transform by measuring, in small steps: a program that draws frames calls step() between
// them, a command calls it in a loop, and both may stop at any time. Between frames nothing is waited for: the driver
// compiles in the background where it can, the reference and the comparisons with it are another thread's, data goes up
// in slices and comes back when it is there, and the GPU gets no more samples than it is done with in a few
// milliseconds.
//
// Method. Rows and columns are searched apart, for each place that the values between them can have. A search starts at
// the default kernel, tries what differs from the best by one field, and moves on to the fastest. Every kernel is
// compared with the double-precision reference, on this driver, before it is timed; a wrong one is listed with its
// error and never timed. Candidates of a round take turns, sample by sample, on a GPU that was kept busy before, with a
// spell of arithmetic in front of each sample so that the GPU never waits for the CPU. The fastest rows and columns,
// and the default schedule, then run as whole transforms, checked and timed in the same way; the median decides.
#pragma once

#include "engine/gl/device.h"
#include "engine/gl/program.h"
#include "fft/benchmark.h"
#include "fft/tuned.h"
#include "fft/tuner_steps.h"
#include "fft/wisdom.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace spindrift::fft {

/// One kernel that was tried, on one axis.
struct KernelTrial {
    KernelParameters kernel;
    bool ok = false;        ///< within its gate
    std::string failure;    ///< why not: above the gate, a program that does not build, an error of the driver
    double relative_l2 = 0; ///< of lines of this axis
    BenchmarkTime time;     ///< of one pass, microseconds; without samples when it is wrong or was not timed yet
};

/// One whole transform.
struct ScheduleTrial {
    TunedSchedule schedule;
    bool ok = false;
    std::string failure;
    double relative_l2 = 0;
    BenchmarkTime time; ///< of one transform between two timestamps, microseconds
};

class Tuner {
public:
    /// `effort` is measure or patient. Another thread begins to compute the reference. Throws Error when `desc` is
    /// unavailable. The library gets every kernel that is tried, and must live longer.
    Tuner(const TransformDesc& desc, Effort effort, gl::ProgramLibrary& library, const gl::DeviceInfo& device);
    Tuner(Tuner&&) noexcept;
    Tuner& operator=(Tuner&&) = delete;
    ~Tuner();

    /// A schedule that competes with those that are found, such as the one in use. Before the searches have ended.
    void also_try(const TunedSchedule& schedule);

    /// Compiles and checks one kernel, or measures for some milliseconds; without waiting, a part of this, or nothing
    /// when something is not ready yet. False when there is nothing left to do. Throws Error when memory runs out.
    bool step(Waiting waiting = Waiting::allowed);
    /// From now on no candidates but one for each search: the steps that are left compare what there is.
    void hurry() noexcept;
    /// The same for the search that is going on: those behind it take place.
    void end_search() noexcept;
    /// For a search that is given up: its end would wait for the thread that computes the reference, but for no longer
    /// once this has returned true. Never waits; no step() afterwards.
    bool may_end();
    std::size_t searches() const noexcept; ///< rows and columns for each place between them
    std::size_t searches_finished() const noexcept;

    const std::string& doing() const noexcept;    ///< for a progress line: what the last step did
    std::span<const KernelTrial> kernels() const; ///< all, in the order in which they were tried
    std::span<const ScheduleTrial> schedules() const;
    const BenchmarkTime& copy() const; ///< one pass over the same data, same run
    /// The fastest schedule once step() has returned false; empty when none was right.
    std::optional<WisdomEntry> result() const;

private:
    class Work;
    std::unique_ptr<Work> work_;
};

/// Kernels that differ from `kernel` in one field, those that the device cannot run left out. Exposed for tests.
std::vector<KernelParameters> neighbours(const KernelParameters& kernel, const TransformDesc& desc, Effort effort,
                                         const gl::DeviceLimits& limits);

} // namespace spindrift::fft
