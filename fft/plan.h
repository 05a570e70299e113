// A transform that is ready to run: its programs, its scratch memory and its twiddle table.
#pragma once

#include "engine/gl/buffer.h"
#include "engine/gl/program.h"
#include "engine/gl/texture.h"
#include "fft/planner.h"
#include "fft/transform.h"

#include <span>
#include <string>
#include <vector>

namespace spindrift::fft {

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
    int shared_memory_bytes = 0; ///< 0: these kernels exchange values through images or buffers
    std::size_t scratch_bytes = 0;
};

/// Transforms in place, in `data`, as often as wanted. A plan may be moved; it must not outlive the library that it was
/// made with, and lives in one context.
///
/// The intermediate results alternate between `data` and the plan's scratch. After both axes the result is in `data`.
/// After the horizontal axis alone it is in `data` when stages_per_axis is even, else in the scratch, where only the
/// vertical axis of the same plan looks for it.
///
/// Memory: what shaders wrote into `data` must have been made visible before execute() (gl::memory_barrier with
/// Visibility::image or storage_buffer). execute() ends with a barrier, so that image loads, texel fetches, buffer
/// reads and downloads that follow see the result.
class Plan {
public:
    /// Throws Error with the sentence of why_unavailable(), or when a program does not build or memory runs out.
    Plan(const TransformDesc& desc, gl::ProgramLibrary& library, const gl::DeviceLimits& limits);

    const TransformDesc& desc() const noexcept { return desc_; }
    const LaunchPlan& launch() const noexcept { return launch_; }
    KernelFacts facts() const noexcept;

    /// Throw Error when `data` is not what the description says (storage, format, dimensions, bytes).
    void execute(gl::Texture& data);
    void execute(gl::Buffer& data);

    /// One axis; horizontal comes first. Both in this order are execute().
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
    };

    void build_passes(gl::ProgramLibrary& library);
    void check(const gl::Texture& data) const;
    void check(const gl::Buffer& data) const;
    void bind(gl::Texture& data) const;
    void bind(gl::Buffer& data) const;
    template <class Data>
    void run(std::size_t first, std::size_t last, Data& data);
    void dispatch(std::size_t index) const;

    TransformDesc desc_;
    LaunchPlan launch_;
    std::vector<Pass> passes_;
    std::vector<Step> steps_; ///< parallel to passes_
    gl::Buffer twiddles_{gl::no_create};
    gl::Texture scratch_texture_{gl::no_create};
    gl::Buffer scratch_buffer_{gl::no_create};
};

/// exp(-2 pi i k / size) for k = 0 .. size - 1 as (re, im) pairs, computed in double and rounded to float.
std::vector<float> twiddle_table(int size);

/// The texture that a plan with this description transforms.
gl::TextureDesc data_texture_desc(const TransformDesc& desc);

/// The program that runs one axis of `desc`; what Plan asks its library for.
/// `first_store` and `scaled` matter to the algorithms with one dispatch per axis only.
gl::ProgramRecipe kernel_recipe(const TransformDesc& desc, const LaunchPlan& launch, Axis axis, int first_store,
                                bool scaled);

} // namespace spindrift::fft
