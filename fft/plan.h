// A transform that is ready to run: its programs, its scratch memory and its twiddle table.
#pragma once

#include "engine/gl/buffer.h"
#include "engine/gl/program.h"
#include "engine/gl/texture.h"
#include "engine/profiler/profiler.h"
#include "fft/planner.h"
#include "fft/transform.h"
#include "fft/tuned.h"
#include "fft/twiddles.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace spindrift::fft {

namespace cuda {
class CudaPlan;
}

/// One dispatch of a plan.
struct Pass {
    std::string name; ///< "horizontal", "vertical", or with the stage: "horizontal.3"
    Axis axis = Axis::horizontal;
    int stage = -1; ///< of a stage-per-dispatch algorithm; -1 = all stages of the axis
};

/// What a reader wants to know about a kernel.
struct KernelFacts {
    int radix = 2;
    int stages_per_axis = 0;
    std::array<int, 3> work_group{};
    int butterflies_per_invocation = 1;
    int dispatches_per_transform = 0;
    int barriers_per_dispatch = 0;
    int shared_memory_bytes = 0; ///< of a work group; 0: the kernels exchange values through images or buffers
    std::size_t scratch_bytes = 0;
    std::string schedule; ///< of `tuned`, for people; else empty. The other facts are the row kernel's
};

/// Transforms in place, in `data`, as often as wanted. A plan may be moved; it must not outlive the library that it was
/// made with, and lives in one context.
///
/// The intermediate results alternate between `data` and the plan's scratch. After both axes the result is in `data`.
/// After the horizontal axis alone it is in `data` or in the scratch (with the older algorithms in `data` when
/// stages_per_axis is even), where only the vertical axis of the same plan looks for it.
///
/// Memory: what shaders wrote into `data` must have been made visible before execute() (gl::memory_barrier with
/// Visibility::image or storage_buffer). execute() ends with a barrier, so that image loads, texel fetches, buffer
/// reads and downloads that follow see the result.
///
/// A cufft plan has no passes, programs or scratch of its own. It registers `data` with CUDA at the first execute(), or
/// in attach(), and keeps it registered until detach() or its end: `data` must live until then. What CUDA refuses is a
/// cuda::CudaError.
class Plan {
public:
    /// Throws Error with the sentence of why_unavailable(), or when a program does not build or memory runs out.
    Plan(const TransformDesc& desc, gl::ProgramLibrary& library, const gl::DeviceLimits& limits);
    /// `tuned` with kernels of the caller's choice. Throws Error when they are none for `desc` on this device.
    Plan(const TransformDesc& desc, const TunedSchedule& schedule, gl::ProgramLibrary& library,
         const gl::DeviceLimits& limits);
    Plan(Plan&&) noexcept;
    Plan& operator=(Plan&&) noexcept;
    ~Plan();

    const TransformDesc& desc() const noexcept { return desc_; }
    const LaunchPlan& launch() const noexcept { return launch_; }
    KernelFacts facts() const;

    /// Throw Error when `data` is not what the description says (storage, format, dimensions, bytes).
    /// Scopes in `profiler`, where there is one: fft.horizontal and fft.vertical; of a cufft plan fft.interop.
    void execute(gl::Texture& data, profiler::Profiler* profiler = nullptr);
    void execute(gl::Buffer& data, profiler::Profiler* profiler = nullptr);

    /// Gets ready what execute() would otherwise do the first time, so that it fails here; and the end of it, before
    /// `data` goes. Only cufft plans have anything to do.
    void attach(gl::Texture& data);
    void attach(gl::Buffer& data);
    void detach() noexcept;
    /// The part of a cufft plan that can be timed; null in others.
    cuda::CudaPlan* cuda() noexcept { return cuda_.get(); }

    /// One axis; horizontal comes first. Both in this order are execute(). Not of cufft plans, which do both at once.
    void execute_axis(Axis axis, gl::Texture& data);
    void execute_axis(Axis axis, gl::Buffer& data);

    /// The dispatches in order, so that a profiler can time each.
    std::span<const Pass> passes() const noexcept { return passes_; }
    void execute_pass(std::size_t index, gl::Texture& data);
    void execute_pass(std::size_t index, gl::Buffer& data);

    /// Fills the scratch with a value. It never changes a result: tests poison it with NaN to prove that.
    void fill_scratch(float value);

private:
    struct Step {
        gl::Program* program;
        int first_store; ///< store that the pass reads: 0 = data, 1 = scratch
        float result_scale;
        std::array<int, 3> work_groups;
        const gl::Buffer* twiddles;
    };

    Plan(const TransformDesc& desc, const LaunchPlan& launch, gl::ProgramLibrary& library);
    void build_passes(gl::ProgramLibrary& library);
    void build_tuned_passes(gl::ProgramLibrary& library);
    void bind_tuned_scratch(std::size_t index) const;
    unsigned binding_of_data(std::size_t index) const;
    Storage intermediate_storage() const;
    void check(const gl::Texture& data) const;
    void check(const gl::Buffer& data) const;
    void bind(std::size_t index, gl::Texture& data) const;
    void bind(std::size_t index, gl::Buffer& data) const;
    template <class Data>
    void run(std::size_t first, std::size_t last, Data& data);
    void dispatch(std::size_t index) const;
    template <class Data>
    void execute_profiled(Data& data, profiler::Profiler* profiler);
    template <class Data>
    void execute_cufft(Data& data, profiler::Profiler* profiler);
    void scale(gl::Texture& data) const;
    void scale(gl::Buffer& data) const;

    TransformDesc desc_;
    LaunchPlan launch_;
    std::vector<Pass> passes_;
    std::vector<Step> steps_; ///< parallel to passes_
    std::unique_ptr<gl::Buffer> twiddles_;
    std::unique_ptr<gl::Buffer> column_twiddles_; ///< where the axes have tables of their own
    gl::Texture scratch_texture_{gl::no_create};
    gl::Buffer scratch_buffer_{gl::no_create};
    std::unique_ptr<cuda::CudaPlan> cuda_;
    gl::Program* scale_program_ = nullptr; ///< of cufft plans with a scaling: cuFFT has none
};

/// The texture that a plan with this description transforms.
gl::TextureDesc data_texture_desc(const TransformDesc& desc);

/// The program that runs one axis of `desc`; what Plan asks its library for.
/// `first_store` and `scaled` matter to the algorithms with one dispatch per axis only.
gl::ProgramRecipe kernel_recipe(const TransformDesc& desc, const LaunchPlan& launch, Axis axis, int first_store,
                                bool scaled);

/// The program that multiplies the data of `desc` by the factor of its scaling.
gl::ProgramRecipe scale_recipe(const TransformDesc& desc);

} // namespace spindrift::fft
