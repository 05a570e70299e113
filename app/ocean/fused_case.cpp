#include "app/ocean/fused_case.h"

#include "fft/warm_up.h"

#include <fmt/format.h>

namespace spindrift::ocean {
namespace {

/// s: any time but zero, at which every phase is one.
constexpr double measured_time = 12.5;

SimulationDesc unfused(SimulationDesc desc) {
    desc.fused = false;
    desc.mips = false;
    desc.storage = fft::Storage::buffer;
    desc.algorithm = fft::Algorithm::stockham_radix4;
    desc.intermediate = fft::Precision::fp32;
    return desc;
}

} // namespace

std::optional<std::string> FusedStepCase::why_unavailable(const SimulationDesc& desc, const gl::DeviceLimits& limits) {
    if (auto reason = fft::why_unavailable(transform_desc(desc), limits)) return reason;
    if (auto reason = fft::why_unavailable(transform_desc(unfused(desc)), limits))
        return fmt::format("nothing to compare a fused sea with: stockham-radix4: {}", *reason);
    if (!fft::default_fused_schedule(transform_desc(desc), limits))
        return fmt::format(
            "size is {}; work groups that hold all fields of a line of it need more than this device's {} "
            "invocations or {} bytes of shared memory",
            desc.size, limits.max_group_invocations, limits.max_shared_memory_bytes);
    return std::nullopt;
}

bool FusedStepCase::prepare(const SimulationDesc& desc, gl::ProgramLibrary& library, const gl::DeviceInfo& device) {
    const bool sea = Simulation::prepare(unfused(desc), library, device.limits);
    const bool warm_up = fft::WarmUp::prepare(library, device);
    return sea && warm_up;
}

FusedStepCase::FusedStepCase(const SimulationDesc& desc, const InitialSpectrum* initial, gl::ProgramLibrary& library,
                             const gl::DeviceInfo& device)
    : shaders_(fused_shaders(desc)), sea_(unfused(desc), library, device, initial) {}

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
