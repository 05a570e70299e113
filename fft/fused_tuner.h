// Chooses the two kernels of a fused transform (fft/fused_plan.h) by measuring them as they run: with the caller's load
// and store, on the caller's data.
//
// Method. Rows first, then columns. A search starts at the default kernel, tries what differs from the best by one
// field, and moves on to the fastest. Every kernel first runs in a whole step, and what that makes is compared with
// what the unfused kernels make; a wrong one is listed with its error and never timed. Candidates of a round take
// turns, sample by sample, each three times in a row between two timestamps. At the end whole steps of the fastest
// kernels, of the default ones and of those in use are timed side by side; the median decides.
#pragma once

#include "fft/fused_case.h"
#include "fft/kernel_search.h"

#include <memory>

namespace spindrift::fft {

class FusedTuner final : public KernelSearch {
public:
    /// `effort` is measure or patient. Throws Error when no fused kernel fits the device, its own programs do not
    /// build, or memory runs out. The library gets every kernel that is tried, and must live longer.
    FusedTuner(const TransformDesc& desc, Effort effort, FusedCase& fused_case, gl::ProgramLibrary& library,
               const gl::DeviceInfo& device);
    ~FusedTuner() override;

    void also_try(const TunedSchedule& schedule) override;
    bool step(Waiting waiting = Waiting::allowed) override;
    void end_search() noexcept override;
    bool may_end() override;
    std::size_t searches() const noexcept override { return 2; }
    std::size_t searches_finished() const noexcept override;
    const std::string& doing() const noexcept override;
    std::span<const KernelTrial> kernels() const override;
    std::span<const ScheduleTrial> schedules() const override;
    std::optional<WisdomEntry> result() const override;

private:
    class Work;
    std::unique_ptr<Work> work_;
};

} // namespace spindrift::fft
