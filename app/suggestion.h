// "did you mean": the nearest of the names that exist.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace spindrift {

/// The candidate with the smallest edit distance to `word`, or "" when none is near enough to be a slip of the finger.
std::string nearest_name(std::string_view word, std::span<const std::string> candidates);

/// "; did you mean NAME?" or "".
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

} // namespace spindrift
