#include "app/report/outliers.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>

namespace spindrift::report {
namespace {

constexpr double normal_quartile = 0.6745;

/// Of an even number of values, the mean of the two in the middle.
double median_of(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

/// The median frame times of all runs on one clock; nothing when a run has none.
std::optional<std::vector<double>> frame_times(const Group& group, const char* clock) {
    std::vector<double> times;
    for (const Json& report : group.reports) {
        const Json& frame = report["frame"];
        const std::string key = fmt::format("{}_ms", clock);
        if (!frame.contains(key) || !frame[key].is_object() || !frame[key].contains("median")) return std::nullopt;
        const Json& median = frame[key]["median"];
        if (!median.is_number() || !std::isfinite(median.get<double>())) return std::nullopt;
        times.push_back(median.get<double>());
    }
    return times;
}

std::string name_of(const Group& group, std::size_t run) {
    return run < group.paths.size() ? group.paths[run] : fmt::format("{}, run {}", group.name, run + 1);
}

} // namespace

std::vector<double> modified_z_scores(std::span<const double> milliseconds) {
    if (milliseconds.empty()) return {};
    const double median = median_of({milliseconds.begin(), milliseconds.end()});
    std::vector<double> distances;
    for (const double value : milliseconds) distances.push_back(std::abs(value - median));
    const double spread = std::max(median_of(distances), clock_resolution_ms);
    std::vector<double> scores;
    for (const double value : milliseconds) scores.push_back(normal_quartile * (value - median) / spread);
    return scores;
}

std::vector<RunOutlier> outliers_of(const Group& group) {
    if (group.reports.size() < least_runs_for_outliers) return {};
    for (const char* clock : {"interval", "gpu", "cpu"}) {
        const auto times = frame_times(group, clock);
        if (!times) continue;
        const std::vector<double> scores = modified_z_scores(*times);
        std::vector<RunOutlier> outliers;
        for (std::size_t run = 0; run < scores.size(); ++run)
            if (std::abs(scores[run]) > outlier_score)
                outliers.push_back({.run = name_of(group, run),
                                    .clock = clock,
                                    .median_ms = (*times)[run],
                                    .group_median_ms = median_of(*times),
                                    .score = scores[run]});
        return outliers;
    }
    return {};
}

std::string to_text(const RunOutlier& outlier) {
    return fmt::format("{}: frame {} {:.4f} ms, median of the group {:.4f} ms (modified z-score {:.1f})", outlier.run,
                       outlier.clock, outlier.median_ms, outlier.group_median_ms, outlier.score);
}

} // namespace spindrift::report
