// A transform whose first load and last store are the caller's: two dispatches that compute what they would read and
// use what they would write, with only the values between the axes in memory.
//
// The caller's shaders are those of fft/tuned.comp with another file in place of fft/tuned_load.glsl (rows) or
// fft/tuned_store.glsl (columns). They may use any binding but these: images and buffers 1 (rows) and 0 (columns) for
// the values between, buffer 2 for the twiddles.
#pragma once

#include "engine/gl/buffer.h"
#include "engine/gl/program.h"
#include "engine/gl/texture.h"
#include "fft/plan.h"
#include "fft/tuned.h"

#include <optional>
#include <string>

namespace spindrift::fft {

struct FusedShaders {
    std::string rows; ///< file below shaders/
    gl::Defines row_defines;
    std::string columns;
    gl::Defines column_defines;
};

/// Kernels of a fused transform, each with all layers in a work group. From times on one GPU (NOTES.md), fitted to the
/// limits. Empty when none fits the device, or when desc.layers is none that a group can hold (1, 2 or 4).
std::optional<TunedSchedule> default_fused_schedule(const TransformDesc& desc, const gl::DeviceLimits& limits);

/// What a fused plan should use: the active wisdom's schedule where it fits these limits, else the default.
std::optional<TunedSchedule> fused_schedule_for(const TransformDesc& desc, const gl::DeviceLimits& limits);

/// Why `schedule` is none of a fused transform of `desc` on this device; empty when it is one.
std::optional<std::string> why_no_fused_schedule(const TunedSchedule& schedule, const TransformDesc& desc,
                                                 const gl::DeviceLimits& limits);

/// The program of one of its kernels.
gl::ProgramRecipe fused_recipe(const KernelParameters& kernel, const TransformDesc& desc, const FusedShaders& shaders);

/// Lives in one context, and not longer than the library that it was made with.
class FusedPlan {
public:
    /// The ends of `schedule` are of no account. Throws Error when it is none for `desc` on this device, a program does
    /// not build or memory runs out.
    FusedPlan(const TransformDesc& desc, const TunedSchedule& schedule, const FusedShaders& shaders,
              gl::ProgramLibrary& library, const gl::DeviceLimits& limits);

    /// For uniforms.
    const gl::Program& rows() const noexcept { return *rows_; }
    const gl::Program& columns() const noexcept { return *columns_; }

    /// What the caller's shaders need is bound before; the values between are visible to the columns afterwards.
    void execute_rows() const;
    /// Ends without a barrier: only the caller knows what his store writes.
    void execute_columns() const;

    /// Never changes a result: tests poison with NaN.
    void fill_scratch(float value);
    const TunedSchedule& schedule() const noexcept { return schedule_; }
    KernelFacts facts() const;

private:
    void bind_between(unsigned binding, gl::Access access) const;

    TransformDesc desc_;
    TunedSchedule schedule_;
    const gl::Program* rows_;
    const gl::Program* columns_;
    gl::Buffer row_twiddles_;
    gl::Buffer column_twiddles_;
    gl::Texture between_texture_{gl::no_create}; ///< one of the two
    gl::Buffer between_buffer_{gl::no_create};
};

} // namespace spindrift::fft
