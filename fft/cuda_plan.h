// One cuFFT plan on memory that OpenGL owns.
#pragma once

#include "engine/gl/buffer.h"
#include "engine/gl/texture.h"
#include "engine/profiler/profiler.h"
#include "fft/cuda_module.h"
#include "fft/transform.h"

#include <memory>
#include <vector>

namespace spindrift::fft::cuda {

/// Times of one run, microseconds.
struct InteropTimes {
    double map_cpu = 0;   ///< in cudaGraphicsMapResources: OpenGL's work so far is handed over
    double unmap_cpu = 0; ///< in cudaGraphicsUnmapResources: CUDA's is handed back
    double transform = 0; ///< cuFFT alone, between two CUDA events; not a number when it was not timed
};

/// Registers its data once, at attach() or the first run, and keeps it registered. The data must outlive the plan, or
/// detach() must be called before it goes; OpenGL must not touch it inside run(). Destroying a plan never fails, not
/// even after CUDA has given up.
class CudaPlan {
public:
    /// Throws CudaError when CUDA is not connected, or memory runs out.
    explicit CudaPlan(const TransformDesc& desc);

    /// `data` is a buffer or a texture, by its OpenGL name, as the description's storage says. Throws CudaError.
    void attach(unsigned data);
    void detach() noexcept;

    /// Takes the data over from OpenGL, transforms it, and gives it back: both queues are in order, nothing waits on
    /// the CPU that the driver does not make wait. Throws CudaError, with the data given back where CUDA allows. Scopes
    /// in `profiler`, where there is one: fft.interop on OpenGL's clock, what the frame pays; in it map and unmap with
    /// CPU times alone, cufft on CUDA's clock (and copies, for textures).
    void run(unsigned data, profiler::Profiler* profiler);

    /// The next `runs` runs keep their times; memory and events are made here.
    void time_runs(std::size_t runs);
    /// Of the runs since time_runs(). Waits for the GPU.
    std::vector<InteropTimes> times();

private:
    // They keep the module's functions: what was made must be destroyed even when CUDA is no longer connected.
    struct PlanDeleter {
        const Interface* functions = nullptr;
        void operator()(Plan* plan) const noexcept { functions->destroy_plan(plan); }
    };
    struct EventDeleter {
        const Interface* functions = nullptr;
        void operator()(Event* event) const noexcept { functions->destroy_event(event); }
    };
    using EventHandle = std::unique_ptr<Event, EventDeleter>;
    struct TimedRun {
        EventHandle begin, end; ///< never empty
        InteropTimes times;
    };

    EventHandle make_event() const;
    void transform(profiler::Profiler* profiler, TimedRun* timed);

    const Interface* functions_;
    TransformDesc desc_;
    std::unique_ptr<Plan, PlanDeleter> plan_;
    unsigned attached_ = 0; ///< 0 = nothing
    std::vector<TimedRun> timed_runs_;
    std::size_t next_timed_ = 0;
};

} // namespace spindrift::fft::cuda
