#include "app/ocean/cuda_step.h"

#include "app/ocean/cuda/step_parameters.h"
#include "app/ocean/step_input.h"
#include "engine/error.h"

#include <bit>
#include <cassert>
#include <cmath>

namespace spindrift::ocean {
namespace {

constexpr unsigned group_threads = 256; // as step.cu is compiled for
/// A millisecond at 2 GHz: longer than the CPU takes to queue a block of steps.
constexpr long long occupied_cycles = 2'000'000;
constexpr const char* no_kernels = "built without the sea's CUDA kernels: CMake found no nvcc of CUDA 12.8 or newer";

std::size_t texel_count(const SimulationDesc& desc) {
    return static_cast<std::size_t>(desc.size) * static_cast<std::size_t>(desc.size);
}

SimulationDesc checked(const SimulationDesc& desc) {
    assert(desc.algorithm == fft::Algorithm::cufft && desc.storage == fft::Storage::buffer);
    assert(desc.interop_frames == 1 && !desc.first_of_pairs_only);
    assert(fft::is_power_of_two(desc.size));
    validate(desc.sea);
    if (cuda_step_kernels().empty()) throw Error(no_kernels);
    return desc;
}

std::string kernel_name(const char* pass, const SimulationDesc& desc) {
    return std::string(pass) + (desc.packing == fft::Packing::vec2 ? "_planar" : "_interleaved");
}

std::vector<float> download_map(const fft::cuda::CudaMemory& map) {
    std::vector<float> values(map.byte_count() / sizeof(float));
    map.download(std::as_writable_bytes(std::span(values)));
    return values;
}

} // namespace

std::optional<std::string> CudaStep::why_unavailable(const SimulationDesc& desc, const gl::DeviceLimits& limits) {
    if (auto reason = fft::why_unavailable(transform_desc(desc), limits)) return reason;
    if (cuda_step_kernels().empty()) return no_kernels;
    return std::nullopt;
}

CudaStep::CudaStep(const SimulationDesc& desc)
    : desc_(checked(desc)), log2_size_(std::countr_zero(static_cast<unsigned>(desc.size))),
      initial_(make_initial_spectrum(desc.sea, desc.size)), image_(std::string(cuda_step_kernels())),
      evolve_(image_.find(kernel_name("evolve", desc))), assemble_(image_.find(kernel_name("assemble", desc))),
      occupy_(image_.find("occupy")), spectrum_(texel_count(desc) * 4 * sizeof(float)),
      omega_index_(texel_count(desc) * sizeof(std::uint32_t)), fields_(fft::byte_count(transform_desc(desc))),
      displacement_(texel_count(desc) * 4 * sizeof(float)), derivatives_(texel_count(desc) * 4 * sizeof(float)),
      foam_(texel_count(desc) * sizeof(float)), plan_(transform_desc(desc), fields_) {
    std::vector<float> spectrum;
    write_evolve_input(initial_, spectrum);
    spectrum_.upload(std::as_bytes(std::span<const float>(spectrum)));
    omega_index_.upload(std::as_bytes(std::span<const std::uint32_t>(initial_.omega_index)));
    foam_.clear();
}

fft::cuda::LaunchDesc CudaStep::launch_desc() const {
    const auto texels = static_cast<unsigned>(texel_count(desc_));
    return {.groups = {(texels + group_threads - 1) / group_threads, 1, 1}, .threads = {group_threads, 1, 1}};
}

void CudaStep::step(double time, double dt) {
    assert(dt >= 0);
    const cuda::EvolveParameters evolve{.log2_size = log2_size_,
                                        .loop_fraction = loop_fraction(time, desc_.sea.loop_period),
                                        .wave_number_step = wave_number_step(desc_.sea)};
    evolve_.launch(launch_desc(), evolve, spectrum_.address(), omega_index_.address(), fields_.address());
    plan_.execute();
    const AssembleFactors factors = assemble_factors(desc_.sea, initial_);
    const cuda::AssembleParameters assemble{
        .log2_size = log2_size_,
        .choppiness = factors.choppiness,
        .foam_threshold = factors.foam_threshold,
        .foam_strength = factors.foam_strength,
        .foam_decay = static_cast<float>(std::exp(-desc_.sea.foam_fade_rate * dt)),
        .smallest_jacobian = static_cast<float>(Simulation::smallest_jacobian),
        .largest_slope = static_cast<float>(Simulation::largest_slope),
    };
    assemble_.launch(launch_desc(), assemble, fields_.address(), displacement_.address(), derivatives_.address(),
                     foam_.address());
}

void CudaStep::occupy() {
    occupy_.launch({}, occupied_cycles);
}

std::vector<float> CudaStep::displacement() const {
    return download_map(displacement_);
}

std::vector<float> CudaStep::derivatives() const {
    return download_map(derivatives_);
}

} // namespace spindrift::ocean
