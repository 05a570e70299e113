// Chooses the kernels of one transform by measuring. Between frames nothing is waited for: the driver compiles in the
// background where it can, the reference and the comparisons with it are another thread's, data goes up
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
#include "fft/kernel_search.h"

#include <memory>
#include <optional>

namespace spindrift::fft {

class Tuner final : public KernelSearch {
public:
    /// `effort` is measure or patient. Another thread begins to compute the reference. Throws Error when `desc` is
    /// unavailable. The library gets every kernel that is tried, and must live longer.
    Tuner(const TransformDesc& desc, Effort effort, gl::ProgramLibrary& library, const gl::DeviceInfo& device);
    ~Tuner() override;

    void also_try(const TunedSchedule& schedule) override;
    bool step(Waiting waiting = Waiting::allowed) override;
    /// From now on no candidates but one for each search: the steps that are left compare what there is.
    void hurry() noexcept;
    void end_search() noexcept override;
    bool may_end() override;
    std::size_t searches() const noexcept override;
    std::size_t searches_finished() const noexcept override;
    const std::string& doing() const noexcept override;
    std::span<const KernelTrial> kernels() const override;
    std::span<const ScheduleTrial> schedules() const override;
    const BenchmarkTime& copy() const; ///< one pass over the same data, same run
    std::optional<WisdomEntry> result() const override;

private:
    class Work;
    std::unique_ptr<Work> work_;
};

} // namespace spindrift::fft
