// The sea's step without OpenGL: evolve and assemble as CUDA kernels around a cuFFT plan, in CUDA's own memory. It is
// what a program of CUDA alone would do, and what `bench step` compares with the step through interop and with GLSL.
#pragma once

#include "app/ocean/simulation.h"
#include "fft/cuda_kernels.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spindrift::ocean {

/// The kernels as PTX; empty when this build has none (CMake found no nvcc). Ends with a zero.
std::string_view cuda_step_kernels() noexcept;

/// One tile of sea, as a Simulation of the same description shows it, but for these: the maps are linear memory and
/// have no mip levels, and the foam begins with none instead of being warmed up. Displacement, Jacobian and slopes are
/// functions of the time, so there is no other difference than rounding.
class CudaStep {
public:
    /// The reason why the description cannot run here: no CUDA, no kernels in this build, or a limit of the transform.
    static std::optional<std::string> why_unavailable(const SimulationDesc& desc, const gl::DeviceLimits& limits);

    /// Sea, size and packing count; the algorithm is cufft, the storage buffer. Throws CudaError when CUDA is not
    /// connected or refuses memory, plan or kernels, Error when the sea is invalid or this build has no kernels.
    explicit CudaStep(const SimulationDesc& desc);

    /// Queues the step for `time` (s). `dt` (s, at least 0) ages the foam. Throws CudaError.
    void step(double time, double dt);
    /// Keeps the stream busy for about a millisecond, so that what is queued meanwhile runs without gaps.
    void occupy();

    /// size x size x 4 floats, row-major: (lambda Dx, h, lambda Dz, J), metres. Waits.
    std::vector<float> displacement() const;
    /// size x size x 4 floats, row-major: (slope_x, slope_z, foam coverage, slope_x^2 + slope_z^2). Waits.
    std::vector<float> derivatives() const;

    const SimulationDesc& desc() const noexcept { return desc_; }

private:
    fft::cuda::LaunchDesc launch_desc() const;

    SimulationDesc desc_;
    int log2_size_;
    InitialSpectrum initial_;
    fft::cuda::CudaKernelImage image_;
    fft::cuda::CudaKernel evolve_, assemble_, occupy_;
    fft::cuda::CudaMemory spectrum_, omega_index_, fields_, displacement_, derivatives_, foam_;
    fft::cuda::CudaMemoryPlan plan_;
};

} // namespace spindrift::ocean
