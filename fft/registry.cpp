#include "fft/registry.h"

#include <cassert>

namespace spindrift::fft {
namespace {

constexpr std::array<AlgorithmInfo, all_algorithms.size()> infos{{
    {Algorithm::cooley_tukey_stages, "cooley-tukey-stages", "Cooley-Tukey, a pass per stage",
     "Radix-2 decimation in time with one dispatch per stage: one program for every size, many dispatches.", "3.1"},
    {Algorithm::cooley_tukey, "cooley-tukey", "Cooley-Tukey",
     "Radix-2 decimation in time with all stages of an axis in one dispatch; the input is read bit-reversed.", "3.1.1"},
    {Algorithm::stockham_radix2, "stockham-radix2", "Stockham radix 2",
     "Radix-2 Stockham with all stages of an axis in one dispatch; natural order throughout, no bit reversal.", "3.2"},
    {Algorithm::stockham_radix4, "stockham-radix4", "Stockham radix 4",
     "Radix-4 Stockham with all stages of an axis in one dispatch: half the stages and half the memory traffic.",
     "3.3"},
    {Algorithm::tuned, "tuned", "Tuned",
     "Generated kernels of radix 2 to 16 in registers and shared memory, one dispatch per axis, chosen by measuring.",
     "5.2"},
    {Algorithm::cufft, "cufft", "cuFFT",
     "NVIDIA's library on the same memory, through CUDA-GL interop: a fast transform between two context switches.",
     "4.1"},
}};

} // namespace

std::span<const AlgorithmInfo> algorithms() noexcept {
    return infos;
}

const AlgorithmInfo& algorithm_info(Algorithm algorithm) noexcept {
    for (const AlgorithmInfo& info : infos)
        if (info.algorithm == algorithm) return info;
    assert(false && "an algorithm without an entry");
    return infos[0];
}

std::string algorithm_names() {
    std::string names;
    for (const AlgorithmInfo& info : infos) {
        if (!names.empty()) names += ", ";
        names += info.name;
    }
    return names;
}

std::vector<Availability> availability(const TransformDesc& desc, const gl::DeviceLimits& limits) {
    std::vector<Availability> result;
    for (const AlgorithmInfo& info : infos) {
        TransformDesc candidate = desc;
        candidate.algorithm = info.algorithm;
        result.push_back({info.algorithm, why_unavailable(candidate, limits)});
    }
    return result;
}

std::vector<int> available_sizes(TransformDesc desc, const gl::DeviceLimits& limits) {
    std::vector<int> sizes;
    for (int size = min_size; size <= largest_size; size *= 2) {
        desc.size = size;
        if (!why_unavailable(desc, limits)) sizes.push_back(size);
    }
    return sizes;
}

} // namespace spindrift::fft
