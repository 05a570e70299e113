#include "app/ocean/fused_case.h"

namespace spindrift::ocean {
namespace {

/// s: any time but zero, at which every phase is one.
constexpr double measured_time = 12.5;

SimulationDesc unfused(SimulationDesc desc, const gl::DeviceInfo& device) {
    desc.fused = false;
    desc.mips = false;
    desc.storage = fft::Storage::buffer;
    desc.algorithm = fft::Algorithm::stockham_radix4;
    desc.intermediate = fft::Precision::fp32;
    if (fft::why_unavailable(transform_desc(desc), device.limits)) desc.algorithm = fft::Algorithm::cooley_tukey;
    return desc;
}

} // namespace

FusedStepCase::FusedStepCase(const SimulationDesc& desc, const InitialSpectrum* initial, gl::ProgramLibrary& library,
                             const gl::DeviceInfo& device)
    : shaders_(fused_shaders(desc)), sea_(unfused(desc, device), library, device, initial) {}

void FusedStepCase::bind_rows(const gl::Program& rows) {
    sea_.bind_fused_rows(rows, measured_time);
}

void FusedStepCase::bind_columns(const gl::Program& columns) {
    sea_.bind_fused_columns(columns);
}

void FusedStepCase::poison() {
    sea_.poison_maps();
}

void FusedStepCase::run_unfused() {
    sea_.run_without_history(measured_time);
}

std::vector<const gl::Texture*> FusedStepCase::outputs() const {
    return {&sea_.displacement(), &sea_.derivatives()};
}

} // namespace spindrift::ocean
