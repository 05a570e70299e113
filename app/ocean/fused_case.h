// The sea as what fused kernels are checked and measured with: a step of its own, in maps of its own, so that a sea
// that is being shown is left alone.
#pragma once

#include "app/ocean/simulation.h"
#include "fft/fused_case.h"

#include <optional>
#include <string>

namespace spindrift::ocean {

class FusedStepCase final : public fft::FusedCase {
public:
    /// The reason why the fused step of this sea cannot be measured here; empty when it can.
    static std::optional<std::string> why_unavailable(const SimulationDesc& desc, const gl::DeviceLimits& limits);
    /// gl::ProgramLibrary::prepare() of the programs that the constructor needs.
    static bool prepare(const SimulationDesc& desc, gl::ProgramLibrary& library, const gl::DeviceInfo& device);

    /// Size, packing, intermediate and sea of `desc` count. `initial`, when there is one, is the sea's spectrum, which
    /// takes long to make. The unfused kernels are those of stockham-radix4. Throws Error as a Simulation does.
    FusedStepCase(const SimulationDesc& desc, const InitialSpectrum* initial, gl::ProgramLibrary& library,
                  const gl::DeviceInfo& device);

    const fft::FusedShaders& shaders() const override { return shaders_; }
    void bind_rows(const gl::Program& rows) override;
    void bind_columns(const gl::Program& columns) override;
    void poison() override;
    void run_unfused() override;
    std::vector<const gl::Texture*> outputs() const override;

private:
    fft::FusedShaders shaders_;
    Simulation sea_;
};

} // namespace spindrift::ocean
