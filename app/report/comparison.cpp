#include "app/report/comparison.h"

#include "app/report/outliers.h"
#include "app/report/welch.h"
#include "engine/error.h"
#include "engine/files.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace spindrift::report {
namespace {

namespace fs = std::filesystem;

/// Below this, a difference is the resolution of timestamps and not a change.
constexpr double smallest_difference_ms = 0.002;
/// What a regression's probability must be below, over all metrics together.
constexpr double significance = 0.05;

/// Copying, comparing and writing call themselves for each level of a value.
constexpr int deepest_nesting = 64;

[[noreturn]] void refuse(const std::string& path, const std::string& reason) {
    throw Error(fmt::format("cannot compare {}: {}", path, reason));
}

/// What the comparison reads, checked once so that nothing below meets a surprise.
void check_report(const std::string& path, const Json& json) {
    if (!json.is_object() || !json.contains("schema") || !json["schema"].is_string())
        refuse(path, "it is no report of this program (no \"schema\")");
    if (json["schema"] != schema)
        refuse(path, fmt::format("its schema is \"{}\"; this version reads \"{}\"", json["schema"].get<std::string>(),
                                 schema));
    for (const char* member : {"app", "system", "gl", "run", "frame", "passes", "mesh"})
        if (!json.contains(member) || !json[member].is_object())
            refuse(path, fmt::format("the report has no object \"{}\"", member));
    for (const auto& [name, pass] : json["passes"].items())
        if (!pass.is_object()) refuse(path, fmt::format("passes[\"{}\"] is no object", name));
}

Json load_report(const std::string& path) {
    const std::string text = read_file(path);
    const auto limit_depth = [&path](int depth, Json::parse_event_t, const Json&) {
        if (depth > deepest_nesting)
            refuse(path,
                   fmt::format("its values nest more than {} deep, which those of no report do", deepest_nesting));
        return true;
    };
    Json json = Json::parse(text, limit_depth, false);
    if (json.is_discarded()) refuse(path, "it is not JSON");
    check_report(path, json);
    return json;
}

std::vector<std::string> reports_in(const fs::path& folder) {
    std::vector<std::string> paths;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error))
        if (entry.path().extension() == ".json" && entry.is_regular_file(error)) paths.push_back(entry.path().string());
    if (error) refuse(folder.string(), error.message());
    if (paths.empty()) refuse(folder.string(), "the folder has no .json files");
    std::sort(paths.begin(), paths.end());
    return paths;
}

std::string joined(const std::string& prefix, const std::string& key) {
    return prefix.empty() ? key : fmt::format("{}.{}", prefix, key);
}

void append_differences(const Json& baseline, const Json& candidate, const std::string& prefix,
                        std::vector<SettingDifference>& differences) {
    const Json none(Json::value_t::discarded);
    if (baseline.is_object() && candidate.is_object()) {
        for (const auto& [key, value] : baseline.items())
            append_differences(value, candidate.contains(key) ? candidate.at(key) : none, joined(prefix, key),
                               differences);
        for (const auto& [key, value] : candidate.items())
            if (!baseline.contains(key)) append_differences(none, value, joined(prefix, key), differences);
        return;
    }
    const auto text = [](const Json& json) {
        return json.is_discarded() ? std::string("(none)") : json.dump(-1, ' ', false, Json::error_handler_t::replace);
    };
    if (text(baseline) != text(candidate)) differences.push_back({prefix, text(baseline), text(candidate)});
}

Json member(const Json& object, const char* name) {
    return object.contains(name) ? object.at(name) : Json(nullptr);
}

/// Where one number of a report stands.
struct MetricPlace {
    std::string name, clock;
    bool gates;
};

/// "gpu_ms" or "gpu_blocks_ms" of one metric in one report; nullptr when it has none.
const Json* member_at(const Json& report, const MetricPlace& place, const char* suffix) {
    const Json* owner = nullptr;
    if (place.name == "frame")
        owner = &report["frame"];
    else if (report["passes"].contains(place.name))
        owner = &report["passes"][place.name];
    const std::string key = place.clock + suffix;
    return owner == nullptr || !owner->contains(key) ? nullptr : &owner->at(key);
}

double number_of(const Json& numbers, const char* name) {
    return numbers.contains(name) && numbers[name].is_number() ? numbers[name].get<double>() : profiler::not_available;
}

/// One metric over the runs of a group.
struct Values {
    std::vector<double> medians;
    std::vector<double> blocks; ///< of a single run; empty when it was too short
    double median = profiler::not_available, min = profiler::not_available;
};

std::vector<double> blocks_of(const Group& group, const MetricPlace& place) {
    std::vector<double> blocks;
    for (const Json& report : group.reports) {
        const Json* medians = member_at(report, place, "_blocks_ms");
        if (medians == nullptr || !medians->is_array()) continue;
        for (const Json& median : *medians)
            if (median.is_number()) blocks.push_back(median.get<double>());
    }
    return blocks;
}

Values values_of(const Group& group, const MetricPlace& place) {
    Values values;
    std::vector<double> minima;
    for (const Json& report : group.reports) {
        const Json* numbers = member_at(report, place, "_ms");
        if (numbers == nullptr || !numbers->is_object() || !std::isfinite(number_of(*numbers, "median"))) continue;
        values.medians.push_back(number_of(*numbers, "median"));
        minima.push_back(number_of(*numbers, "min"));
    }
    if (values.medians.size() == 1) values.blocks = blocks_of(group, place);
    values.median = mean(values.medians);
    values.min = mean(minima);
    return values;
}

/// From the smallest to the largest, in percent of `median`.
double range_percent(std::span<const double> values, double median) {
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    return median > 0.0 ? 100.0 * (*most - *least) / median : 0.0;
}

bool has_software_renderer(const Group& group) {
    return std::any_of(group.reports.begin(), group.reports.end(),
                       [](const Json& report) { return member(report["gl"], "software_renderer") == true; });
}

double least_change(const Group& baseline, const Group& candidate, const MetricPlace& place) {
    if (has_software_renderer(baseline) || has_software_renderer(candidate))
        return least_software_change_of_single_runs;
    return place.clock == "gpu" ? least_gpu_change_of_single_runs : least_cpu_change_of_single_runs;
}

/// What a single run must move by at least; empty when a side is too short to tell.
std::optional<double> noise_floor(const Values& a, const Values& b, double least_change) {
    double floor = least_change;
    for (const Values* side : {&a, &b}) {
        const auto& parts = side->medians.size() == 1 ? side->blocks : side->medians;
        if (parts.size() < 2) return std::nullopt;
        floor = std::max(floor, range_percent(parts, side->median));
    }
    return floor;
}

bool minimum_agrees(const Values& a, const Values& b, double threshold_percent) {
    const double factor = 1.0 + threshold_percent / 100.0;
    return b.median > a.median ? b.min > a.min * factor : a.min > b.min * factor;
}

Verdict verdict_of(const MetricComparison& metric, double threshold_percent, bool beyond_noise) {
    const double difference = metric.candidate_ms - metric.baseline_ms;
    // A metric that was zero has no percentage: any difference above the clock's resolution is beyond every threshold.
    const bool beyond_threshold = std::abs(difference) > smallest_difference_ms &&
                                  (metric.baseline_ms <= 0.0 || std::abs(metric.percent) > threshold_percent);
    if (!beyond_threshold) return Verdict::same;
    if (!beyond_noise) return Verdict::within_noise;
    return difference > 0.0 ? Verdict::slower : Verdict::faster;
}

/// `tests` is the number of metrics that are judged together.
MetricComparison compare_metric(const Group& baseline, const Group& candidate, const MetricPlace& place,
                                double threshold_percent, std::size_t tests) {
    const Values a = values_of(baseline, place), b = values_of(candidate, place);
    MetricComparison metric;
    metric.name = place.name;
    metric.clock = place.clock;
    metric.gates = place.gates;
    metric.baseline_ms = a.median;
    metric.candidate_ms = b.median;
    if (a.medians.empty() || b.medians.empty()) {
        metric.verdict = Verdict::one_sided;
        return metric;
    }
    if (a.median > 0.0) metric.percent = 100.0 * (b.median - a.median) / a.median;
    if (a.medians.size() >= 2 && b.medians.size() >= 2) {
        const WelchResult test = welch(a.medians, b.medians);
        if (a.median > 0.0) metric.confidence_percent = {100.0 * test.low / a.median, 100.0 * test.high / a.median};
        metric.p = std::min(1.0, test.p * static_cast<double>(std::max<std::size_t>(1, tests)));
        metric.verdict = verdict_of(metric, threshold_percent, *metric.p < significance);
        return metric;
    }
    const double least = least_change(baseline, candidate, place);
    const std::optional<double> floor = noise_floor(a, b, least);
    if (!floor) {
        metric.verdict = Verdict::too_short;
        return metric;
    }
    metric.noise_percent = *floor;
    const bool beyond_noise = (a.median <= 0.0 || std::abs(metric.percent) > *floor) &&
                              minimum_agrees(a, b, std::max(threshold_percent, least));
    metric.verdict = verdict_of(metric, threshold_percent, beyond_noise);
    return metric;
}

/// Frame first, then each pass of either side, GPU before CPU.
std::vector<MetricPlace> places_of(const Group& baseline, const Group& candidate) {
    const Json& run = baseline.reports.front()["run"];
    const bool waits_for_display = member(run, "vsync") != "off";
    std::vector<MetricPlace> places{
        {"frame", "gpu", true}, {"frame", "cpu", true}, {"frame", "interval", !waits_for_display}};
    std::vector<std::string> names;
    for (const Group* group : {&baseline, &candidate})
        for (const Json& report : group->reports)
            for (const auto& [name, pass] : report["passes"].items())
                if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    for (const std::string& name : names) places.push_back({name, "gpu", true});
    for (const std::string& name : names) places.push_back({name, "cpu", false});
    return places;
}

} // namespace

Group load_group(const fs::path& path) {
    Group group;
    group.name = path.string();
    std::error_code error;
    group.paths = fs::is_directory(path, error) ? reports_in(path) : std::vector<std::string>{path.string()};
    for (const std::string& file : group.paths) group.reports.push_back(load_report(file));
    for (std::size_t index = 1; index < group.reports.size(); ++index) {
        const auto differences = different_settings(group.reports[0], group.reports[index]);
        if (!differences.empty())
            refuse(group.name, fmt::format("its reports are not repeats of one run: {} is {} in {} and {} in {}",
                                           differences[0].key, differences[0].baseline, group.paths[0],
                                           differences[0].candidate, group.paths[index]));
    }
    return group;
}

std::vector<SettingDifference> different_settings(const Json& baseline, const Json& candidate) {
    const auto settings = [](const Json& report) {
        Json run = report["run"];
        for (const char* free_to_differ : {"command_line", "frames", "warmup", "schedule"}) run.erase(free_to_differ);
        // Parameters that have a member of their own would be listed twice.
        if (run.contains("parameters") && run["parameters"].is_object())
            for (const auto& [key, value] : report["run"].items()) run["parameters"].erase(key);
        return Json{{"run", run}, {"mesh", report["mesh"]}, {"build_type", member(report["app"], "build_type")}};
    };
    std::vector<SettingDifference> differences;
    append_differences(settings(baseline), settings(candidate), "", differences);
    return differences;
}

std::vector<SettingDifference> different_facts(const Json& baseline, const Json& candidate) {
    const auto facts = [](const Json& report) {
        Json json;
        json["app"] = report["app"];
        json["app"].erase("build_type");
        json["gl"] = report["gl"];
        json["cuda"] = member(report, "cuda");
        json["system"] = report["system"];
        json["run"] = {{"frames", member(report["run"], "frames")},
                       {"warmup", member(report["run"], "warmup")},
                       {"schedule", member(report["run"], "schedule")}}; // what wisdom chose
        return json;
    };
    std::vector<SettingDifference> differences;
    append_differences(facts(baseline), facts(candidate), "", differences);
    return differences;
}

const char* to_string(Verdict verdict) noexcept {
    switch (verdict) {
    case Verdict::same:
        return "same";
    case Verdict::faster:
        return "faster";
    case Verdict::slower:
        return "slower";
    case Verdict::within_noise:
        return "within noise";
    case Verdict::too_short:
        return "too short to judge";
    case Verdict::one_sided:
        return "one side only";
    }
    return "";
}

std::vector<const MetricComparison*> Comparison::regressions() const {
    std::vector<const MetricComparison*> found;
    for (const MetricComparison& metric : metrics)
        if (metric.gates && metric.verdict == Verdict::slower) found.push_back(&metric);
    const auto is_leaf = [&](const MetricComparison* metric) {
        return metric->name != "frame" && std::find(parents.begin(), parents.end(), metric->name) == parents.end();
    };
    // A pass that grew from zero has no percentage and comes first.
    const auto size = [](const MetricComparison* metric) {
        return std::isfinite(metric->percent) ? metric->percent : std::numeric_limits<double>::infinity();
    };
    std::stable_sort(found.begin(), found.end(), [&](const MetricComparison* left, const MetricComparison* right) {
        if (is_leaf(left) != is_leaf(right)) return is_leaf(left);
        return size(left) > size(right);
    });
    return found;
}

std::size_t Comparison::compared() const {
    return static_cast<std::size_t>(std::count_if(metrics.begin(), metrics.end(), [](const MetricComparison& metric) {
        return metric.gates && metric.verdict != Verdict::one_sided;
    }));
}

std::size_t Comparison::count(Verdict verdict) const {
    return static_cast<std::size_t>(std::count_if(metrics.begin(), metrics.end(), [&](const MetricComparison& metric) {
        return metric.gates && metric.verdict == verdict;
    }));
}

Comparison compare(const Group& baseline, const Group& candidate, double threshold_percent) {
    Comparison comparison;
    comparison.baseline = baseline.name;
    comparison.candidate = candidate.name;
    comparison.baseline_runs = baseline.reports.size();
    comparison.candidate_runs = candidate.reports.size();
    comparison.baseline_outliers = outliers_of(baseline);
    comparison.candidate_outliers = outliers_of(candidate);
    comparison.threshold_percent = threshold_percent;
    comparison.settings = different_settings(baseline.reports.front(), candidate.reports.front());
    comparison.facts = different_facts(baseline.reports.front(), candidate.reports.front());
    for (const Group* group : {&baseline, &candidate})
        for (const auto& [name, pass] : group->reports.front()["passes"].items())
            if (const Json parent = member(pass, "parent"); parent.is_string())
                comparison.parents.push_back(parent.get<std::string>());
    const std::vector<MetricPlace> places = places_of(baseline, candidate);
    const auto tests = static_cast<std::size_t>(
        std::count_if(places.begin(), places.end(), [](const MetricPlace& place) { return place.gates; }));
    for (const MetricPlace& place : places) {
        MetricComparison metric = compare_metric(baseline, candidate, place, threshold_percent, tests);
        const bool nowhere = !std::isfinite(metric.baseline_ms) && !std::isfinite(metric.candidate_ms);
        if (!nowhere) comparison.metrics.push_back(std::move(metric));
    }
    return comparison;
}

double parse_threshold(const std::string& text) {
    std::string_view digits = text;
    if (digits.ends_with('%')) digits.remove_suffix(1);
    double value = 0.0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc{} || end != digits.data() + digits.size() || !std::isfinite(value) || value < 0.0)
        throw Error(ExitCode::usage,
                    fmt::format("--threshold {}: must be a percentage of at least 0, such as 5%", text));
    return value;
}

} // namespace spindrift::report
