// How much a planner may measure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace spindrift::fft {

/// How much a planner may measure. estimate: nothing, wisdom or the default schedule is taken. measure: neighbours of
/// the default. patient: more of them, until no change of one field is faster.
enum class Effort : std::uint8_t { estimate, measure, patient };
inline constexpr std::array all_efforts{Effort::estimate, Effort::measure, Effort::patient};
std::string_view to_string(Effort effort) noexcept;
std::optional<Effort> parse_effort(std::string_view name) noexcept;

} // namespace spindrift::fft
