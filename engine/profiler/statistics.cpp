#include "engine/profiler/statistics.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace spindrift::profiler {

double percentile_of_sorted(std::span<const double> sorted, double rank) {
    assert(rank >= 0.0 && rank <= 1.0);
    assert(std::is_sorted(sorted.begin(), sorted.end()));
    if (sorted.empty()) return not_available;
    const double position = rank * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(position);
    if (below + 1 >= sorted.size()) return sorted.back();
    return std::lerp(sorted[below], sorted[below + 1], position - static_cast<double>(below));
}

std::vector<double> sorted_finite(std::span<const double> samples) {
    std::vector<double> finite;
    finite.reserve(samples.size());
    std::copy_if(samples.begin(), samples.end(), std::back_inserter(finite),
                 [](double sample) { return std::isfinite(sample); });
    std::sort(finite.begin(), finite.end());
    return finite;
}

double percentile(std::span<const double> samples, double rank) {
    return percentile_of_sorted(sorted_finite(samples), rank);
}

std::vector<double> block_medians(std::span<const double> samples, std::size_t blocks) {
    std::vector<double> medians;
    if (blocks == 0 || samples.size() < 2 * blocks) return medians;
    for (std::size_t block = 0; block < blocks; ++block) {
        const std::size_t begin = samples.size() * block / blocks, end = samples.size() * (block + 1) / blocks;
        medians.push_back(percentile(samples.subspan(begin, end - begin), 0.5));
    }
    return medians;
}

Summary summarize(std::span<const double> samples) {
    const std::vector<double> sorted = sorted_finite(samples);
    Summary summary;
    summary.count = sorted.size();
    if (sorted.empty()) return summary;
    summary.median = percentile_of_sorted(sorted, 0.50);
    summary.p95 = percentile_of_sorted(sorted, 0.95);
    summary.p99 = percentile_of_sorted(sorted, 0.99);
    summary.p999 = percentile_of_sorted(sorted, 0.999);
    summary.min = sorted.front();
    summary.max = sorted.back();
    return summary;
}

} // namespace spindrift::profiler
