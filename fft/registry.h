// The list of algorithms, for menus, tables and messages.
#pragma once

#include "fft/transform.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace spindrift::fft {

struct AlgorithmInfo {
    Algorithm algorithm;
    std::string_view name;         ///< on the command line and in reports
    std::string_view display_name; ///< in the panel
    std::string_view description;  ///< one sentence
    std::string_view section;      ///< of J. F. Mota, "High Performance Fourier Transforms on GPUs with GLSL", 2023
};

/// All algorithms in the order in which they are shown.
std::span<const AlgorithmInfo> algorithms() noexcept;
const AlgorithmInfo& algorithm_info(Algorithm algorithm) noexcept;

/// "cooley-tukey-stages, cooley-tukey, ...": for messages about an unknown name.
std::string algorithm_names();

struct Availability {
    Algorithm algorithm;
    std::optional<std::string> reason; ///< why it is unavailable; empty when it is available
};

/// Asks why_unavailable() for every algorithm with the other fields of `desc`.
std::vector<Availability> availability(const TransformDesc& desc, const gl::DeviceLimits& limits);

/// The sizes, ascending, that `desc` with that size can run; desc.size is ignored.
std::vector<int> available_sizes(TransformDesc desc, const gl::DeviceLimits& limits);

} // namespace spindrift::fft
