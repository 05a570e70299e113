// What the caller of a fused transform (fft/fused_plan.h) brings along to have its kernels checked and measured as they
// run: with its load and store, on its data.
#pragma once

#include "engine/gl/texture.h"
#include "fft/fused_plan.h"
#include "fft/verification.h"

#include <vector>

namespace spindrift::fft {

/// Lives longer than whatever uses it.
class FusedCase {
public:
    virtual ~FusedCase() = default;

    virtual const FusedShaders& shaders() const = 0;
    /// Uniforms of the program, and everything that its load (rows) or its store (columns) needs.
    virtual void bind_rows(const gl::Program& rows) = 0;
    virtual void bind_columns(const gl::Program& columns) = 0;
    /// What `columns` writes becomes NaN.
    virtual void poison() = 0;
    /// Makes it by the unfused kernels instead, from the same input.
    virtual void run_unfused() = 0;
    virtual std::vector<const gl::Texture*> outputs() const = 0;
};

/// What fused kernels make may differ from what the unfused ones make by this much, as relative L2.
inline constexpr double fused_fp32_gate = 1e-5, fused_fp16_gate = 1e-3;
constexpr double fused_gate_of(const TransformDesc& desc) noexcept {
    return desc.intermediate == Precision::fp16 ? fused_fp16_gate : fused_fp32_gate;
}

/// Runs both once, the fused kernels in a plan of their own with NaN between rows and columns, and compares the
/// outputs. The norms are those of the output that differs most. Waits for the GPU. Never throws for what the device
/// does wrong.
VerificationResult verify_fused(const TransformDesc& desc, const TunedSchedule& schedule, FusedCase& fused_case,
                                gl::ProgramLibrary& library, const gl::DeviceLimits& limits);

} // namespace spindrift::fft
