// A comparison as a table and as JSON.
#include "app/report/comparison.h"
#include "app/report/outliers.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace spindrift::report {
namespace {

std::string milliseconds(double value) {
    return std::isfinite(value) ? fmt::format("{:.4f}", value) : "-";
}

std::string percentage(double value) {
    return std::isfinite(value) ? fmt::format("{:+.1f} %", value) : "-";
}

std::string metric_label(const MetricComparison& metric) {
    return metric.name + " " + metric.clock;
}

Json number(double value) {
    return std::isfinite(value) ? Json(value) : Json(nullptr);
}

std::string differences_text(const std::vector<SettingDifference>& differences) {
    std::string text;
    for (const SettingDifference& difference : differences)
        text += fmt::format("  {}: {} | {}\n", difference.key, difference.baseline, difference.candidate);
    return text;
}

/// A side's name, how many runs it has, and which of them are outliers.
std::string side_text(const char* letter, const std::string& name, std::size_t runs,
                      const std::vector<RunOutlier>& outliers) {
    std::string text =
        runs == 1 ? fmt::format("{}: {}\n", letter, name) : fmt::format("{}: {} ({} runs)\n", letter, name, runs);
    for (const RunOutlier& outlier : outliers)
        text += fmt::format("  outlier, counted all the same: {}\n", to_text(outlier));
    return text;
}

Json side_json(const std::string& name, std::size_t runs, const std::vector<RunOutlier>& outliers) {
    Json json{{"name", name}, {"runs", runs}, {"outliers", Json::array()}};
    for (const RunOutlier& outlier : outliers)
        json["outliers"].push_back({{"run", outlier.run},
                                    {"clock", outlier.clock},
                                    {"median_ms", number(outlier.median_ms)},
                                    {"group_median_ms", number(outlier.group_median_ms)},
                                    {"modified_z_score", number(outlier.score)}});
    return json;
}

std::string table(const Comparison& comparison, bool with_cpu_of_passes) {
    std::size_t width = 6;
    for (const MetricComparison& metric : comparison.metrics) width = std::max(width, metric_label(metric).size());
    const auto any = [&comparison](auto has) {
        return std::any_of(comparison.metrics.begin(), comparison.metrics.end(), has);
    };
    const bool has_intervals =
        any([](const MetricComparison& metric) { return metric.confidence_percent.has_value(); });
    const bool has_noise = any([](const MetricComparison& metric) { return metric.noise_percent.has_value(); });
    std::string text = fmt::format("{:<{}}  {:>12}  {:>12}  {:>12}  {:>10}", "metric", width, "A (ms)", "B (ms)",
                                   "B - A (ms)", "change");
    if (has_intervals) text += fmt::format("  {:>22}", "95 % interval");
    if (has_noise) text += fmt::format("  {:>9}", "noise");
    text += "  verdict\n";
    for (const MetricComparison& metric : comparison.metrics) {
        if (!metric.gates && metric.name != "frame" && !with_cpu_of_passes) continue;
        text += fmt::format("{:<{}}  {:>12}  {:>12}  {:>12}  {:>10}", metric_label(metric), width,
                            milliseconds(metric.baseline_ms), milliseconds(metric.candidate_ms),
                            milliseconds(metric.candidate_ms - metric.baseline_ms), percentage(metric.percent));
        if (has_intervals) {
            const std::string interval = metric.confidence_percent
                                             ? fmt::format("{:+.1f} to {:+.1f} %", metric.confidence_percent->first,
                                                           metric.confidence_percent->second)
                                             : "-";
            text += fmt::format("  {:>22}", interval);
        }
        if (has_noise)
            text += fmt::format("  {:>9}", metric.noise_percent ? fmt::format("{:.1f} %", *metric.noise_percent) : "-");
        text += fmt::format("  {}{}\n", to_string(metric.verdict), metric.gates ? "" : " (not judged)");
    }
    return text;
}

std::string conclusion(const Comparison& comparison) {
    const auto regressions = comparison.regressions();
    std::string text;
    for (const MetricComparison* metric : regressions)
        text +=
            fmt::format("regression: {} {} -> {} ms ({})\n", metric_label(*metric), milliseconds(metric->baseline_ms),
                        milliseconds(metric->candidate_ms), percentage(metric->percent));
    const std::size_t faster = comparison.count(Verdict::faster), noisy = comparison.count(Verdict::within_noise);
    const std::size_t unjudged = comparison.count(Verdict::too_short);
    if (unjudged > 0)
        text += fmt::format("{} metric(s) not judged: a single run needs at least {} frames to tell a difference from "
                            "noise\n",
                            unjudged, 2 * blocks_per_run);
    const char* const noise = noisy > 0 ? " that stands out from the noise" : "";
    if (regressions.empty() && faster > 0)
        text += fmt::format("no regression beyond {:g} %{}; {} metric(s) faster\n", comparison.threshold_percent, noise,
                            faster);
    else if (regressions.empty() && unjudged < comparison.compared())
        text += fmt::format("no difference beyond {:g} %{}\n", comparison.threshold_percent, noise);
    if (noisy > 0)
        text += fmt::format(
            "{} metric(s) moved further, but runs differ as much by themselves: repeat them and compare two "
            "folders of reports\n",
            noisy);
    return text;
}

Json differences_json(const std::vector<SettingDifference>& differences) {
    Json json = Json::array();
    for (const SettingDifference& difference : differences)
        json.push_back(
            {{"key", difference.key}, {"baseline", difference.baseline}, {"candidate", difference.candidate}});
    return json;
}

Json metric_json(const MetricComparison& metric) {
    Json json;
    json["name"] = metric.name;
    json["clock"] = metric.clock;
    json["gates"] = metric.gates;
    json["baseline_ms"] = number(metric.baseline_ms);
    json["candidate_ms"] = number(metric.candidate_ms);
    json["difference_ms"] = number(metric.candidate_ms - metric.baseline_ms);
    json["difference_percent"] = number(metric.percent);
    json["confidence_percent"] = metric.confidence_percent ? Json{number(metric.confidence_percent->first),
                                                                  number(metric.confidence_percent->second)}
                                                           : Json(nullptr);
    json["p"] = metric.p ? number(*metric.p) : Json(nullptr);
    json["noise_percent"] = metric.noise_percent ? number(*metric.noise_percent) : Json(nullptr);
    json["verdict"] = to_string(metric.verdict);
    return json;
}

} // namespace

std::string to_text(const Comparison& comparison, bool with_cpu_of_passes) {
    std::string text = side_text("A", comparison.baseline, comparison.baseline_runs, comparison.baseline_outliers) +
                       side_text("B", comparison.candidate, comparison.candidate_runs, comparison.candidate_outliers);
    if (!comparison.settings.empty())
        text += "settings that differ, so that the times need not be comparable (A | B):\n" +
                differences_text(comparison.settings);
    if (!comparison.facts.empty()) text += "also different (A | B):\n" + differences_text(comparison.facts);
    text += fmt::format("\n{}\n{}", table(comparison, with_cpu_of_passes), conclusion(comparison));
    return text;
}

Json to_json(std::span<const Comparison> comparisons) {
    Json json;
    json["schema"] = "spindrift.comparison/1";
    bool ok = true;
    Json list = Json::array();
    for (const Comparison& comparison : comparisons) {
        Json entry;
        entry["baseline"] = side_json(comparison.baseline, comparison.baseline_runs, comparison.baseline_outliers);
        entry["candidate"] = side_json(comparison.candidate, comparison.candidate_runs, comparison.candidate_outliers);
        entry["threshold_percent"] = comparison.threshold_percent;
        entry["settings"] = differences_json(comparison.settings);
        entry["facts"] = differences_json(comparison.facts);
        entry["metrics"] = Json::array();
        for (const MetricComparison& metric : comparison.metrics) entry["metrics"].push_back(metric_json(metric));
        entry["regressions"] = Json::array();
        for (const MetricComparison* metric : comparison.regressions())
            entry["regressions"].push_back({{"name", metric->name}, {"clock", metric->clock}});
        ok = ok && entry["regressions"].empty();
        list.push_back(std::move(entry));
    }
    json["comparisons"] = std::move(list);
    json["ok"] = ok;
    return json;
}

} // namespace spindrift::report
