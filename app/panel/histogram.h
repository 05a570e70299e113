// Counts of samples in equal bins, for a drawn histogram.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace spindrift {

/// `bins` equal parts of [low, high); what lies beyond is counted in the first or the last. Samples that are not finite
/// are left out. Needs low < high and at least one bin.
inline std::vector<std::size_t> histogram(std::span<const double> samples, double low, double high, std::size_t bins) {
    std::vector<std::size_t> counts(bins, 0);
    for (const double sample : samples) {
        if (!std::isfinite(sample)) continue;
        const double place = (sample - low) / (high - low) * static_cast<double>(bins);
        ++counts[static_cast<std::size_t>(std::clamp(place, 0.0, static_cast<double>(bins - 1)))];
    }
    return counts;
}

} // namespace spindrift
