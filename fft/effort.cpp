#include "fft/effort.h"

#include <utility>

namespace spindrift::fft {
namespace {

constexpr std::array<std::pair<Effort, std::string_view>, 3> effort_names{
    {{Effort::estimate, "estimate"}, {Effort::measure, "measure"}, {Effort::patient, "patient"}}};

} // namespace

std::string_view to_string(Effort effort) noexcept {
    for (const auto& [entry, name] : effort_names)
        if (entry == effort) return name;
    return "unknown";
}

std::optional<Effort> parse_effort(std::string_view name) noexcept {
    for (const auto& [effort, entry] : effort_names)
        if (entry == name) return effort;
    return std::nullopt;
}

} // namespace spindrift::fft
