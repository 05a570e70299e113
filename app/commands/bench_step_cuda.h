// The rows of `bench step` that need no OpenGL: the whole step in CUDA around cuFFT. What they cost is what cuFFT is
// worth to a program that has everything in CUDA; beside it stands what the way there and back adds.
//
// Method. A block is that of the other rows, sixteen consecutive steps, between two CUDA events. OpenGL is finished
// before it and CUDA behind it, so that neither runs while the other is timed. So both start a block with an empty
// queue, which the steady stream of the other rows does not have: a spell of work goes first, untimed, in CUDA before
// its block and in OpenGL behind it, and the CPU gets ahead of the GPU meanwhile.
#pragma once

#include "app/commands/bench_step.h"
#include "app/ocean/cuda_step.h"
#include "fft/warm_up.h"

#include <memory>
#include <optional>

namespace spindrift {

/// The planar layout, which cuFFT likes best, and the interleaved one of the other rows; none unless cufft is asked
/// for.
std::vector<ocean::SimulationDesc> bench_step_cuda_candidates(const BenchStepSettings& settings, int size);

/// The candidates of one size.
class BenchStepCuda {
public:
    /// Candidates that cannot run have their reason in their result.
    BenchStepCuda(const BenchStepSettings& settings, int size, gl::ProgramLibrary& programs,
                  const gl::DeviceInfo& device);

    /// One block of every candidate.
    void block(bool measured);
    /// With the displacement map of another candidate at `time`; empty when there is none.
    void compare(double time, const std::vector<float>& reference, const std::string& name_of_reference);
    /// Waits for nothing: every block has been waited for.
    std::vector<BenchStepResult> results();

private:
    struct Run {
        BenchStepResult result;
        std::unique_ptr<ocean::CudaStep> sea; ///< null when it is not available, or has failed
        int step = 0;
        std::vector<double> gpu, cpu; ///< of one step, microseconds
    };

    void add(const ocean::SimulationDesc& desc, const gl::DeviceInfo& device);
    bool is_any_running() const;
    static void block(Run& run, bool measured);

    std::optional<fft::WarmUp> warm_up_; ///< where anything is measured
    std::vector<Run> runs_;
};

} // namespace spindrift
