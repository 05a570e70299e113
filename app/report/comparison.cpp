#include "app/report/comparison.h"

#include "engine/error.h"
#include "engine/files.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <numeric>

namespace spindrift::report {
namespace {

namespace fs = std::filesystem;

/// Below this, a difference is the resolution of timestamps and not a change.
constexpr double smallest_difference_ms = 0.002;

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
    double median = profiler::not_available, min = profiler::not_available, p95 = profiler::not_available;
};

double mean(std::span<const double> values) {
    if (values.empty()) return profiler::not_available;
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

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
    std::vector<double> minima, p95s;
    for (const Json& report : group.reports) {
        const Json* numbers = member_at(report, place, "_ms");
        if (numbers == nullptr || !numbers->is_object() || !std::isfinite(number_of(*numbers, "median"))) continue;
        values.medians.push_back(number_of(*numbers, "median"));
        minima.push_back(number_of(*numbers, "min"));
        p95s.push_back(number_of(*numbers, "p95"));
    }
    if (values.medians.size() == 1) values.blocks = blocks_of(group, place);
    values.median = mean(values.medians);
    values.min = mean(minima);
    values.p95 = mean(p95s);
    return values;
}

double sample_variance(std::span<const double> values) {
    const double centre = mean(values);
    double squares = 0.0;
    for (const double value : values) squares += (value - centre) * (value - centre);
    return squares / static_cast<double>(values.size() - 1);
}

/// 97.5 % quantile of Student's t for whole degrees of freedom; beyond the table by its first-order expansion.
double student_quantile(double degrees) {
    constexpr std::array<double, 30> table{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                                           2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
                                           2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};
    if (degrees > 30.0) return 1.95996 + 2.3723 / degrees;
    return table[static_cast<std::size_t>(std::clamp(degrees, 1.0, 30.0)) - 1]; // rounded down: the wider interval
}

/// Welch's interval for the difference of the two means, in the samples' unit.
std::pair<double, double> welch_interval(std::span<const double> baseline, std::span<const double> candidate) {
    const double difference = mean(candidate) - mean(baseline);
    const double from_a = sample_variance(baseline) / static_cast<double>(baseline.size());
    const double from_b = sample_variance(candidate) / static_cast<double>(candidate.size());
    const double variance = from_a + from_b;
    if (variance <= 0.0) return {difference, difference};
    const double degrees = variance * variance /
                           (from_a * from_a / static_cast<double>(baseline.size() - 1) +
                            from_b * from_b / static_cast<double>(candidate.size() - 1));
    // Squares of absurdly large or small times leave the range of double: then the widest interval.
    const double half = student_quantile(std::isfinite(degrees) ? degrees : 1.0) * std::sqrt(variance);
    return {difference - half, difference + half};
}

/// Samples for an interval: the runs where both sides have repeats, else parts of runs; empty without either.
struct Samples {
    std::span<const double> baseline, candidate;
    bool are_runs = false;
};

Samples samples_of(const Values& a, const Values& b) {
    if (a.medians.size() >= 2 && b.medians.size() >= 2) return {a.medians, b.medians, true};
    const auto parts = [](const Values& values) {
        return std::span<const double>(values.medians.size() == 1 ? values.blocks : values.medians);
    };
    if (parts(a).size() >= 2 && parts(b).size() >= 2) return {parts(a), parts(b), false};
    return {};
}

bool minimum_agrees(const Values& a, const Values& b, double threshold_percent) {
    const double factor = 1.0 + threshold_percent / 100.0;
    return b.median > a.median ? b.min > a.min * factor : a.min > b.min * factor;
}

MetricComparison compare_metric(const Group& baseline, const Group& candidate, const MetricPlace& place,
                                double threshold_percent) {
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
    const double difference = b.median - a.median;
    if (a.median > 0.0) metric.percent = 100.0 * difference / a.median;
    bool beyond_noise = false;
    if (const Samples samples = samples_of(a, b); !samples.baseline.empty()) {
        const auto [low, high] = welch_interval(samples.baseline, samples.candidate);
        if (a.median > 0.0) metric.confidence_percent = {100.0 * low / a.median, 100.0 * high / a.median};
        // Parts of one run do not show what differs between runs: their whole interval must lie beyond the threshold.
        const double margin = samples.are_runs ? 0.0 : a.median * threshold_percent / 100.0;
        beyond_noise =
            (low > margin || high < -margin) && (samples.are_runs || minimum_agrees(a, b, threshold_percent));
    } else {
        beyond_noise =
            (difference > 0.0 ? b.median > a.p95 : a.median > b.p95) && minimum_agrees(a, b, threshold_percent);
    }
    // A metric that was zero has no percentage: any difference above the clock's resolution is beyond every threshold.
    const bool beyond_threshold = std::abs(difference) > smallest_difference_ms &&
                                  (a.median <= 0.0 || std::abs(metric.percent) > threshold_percent);
    if (!beyond_threshold)
        metric.verdict = Verdict::same;
    else if (!beyond_noise)
        metric.verdict = Verdict::within_noise;
    else
        metric.verdict = difference > 0.0 ? Verdict::slower : Verdict::faster;
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
        for (const char* free_to_differ : {"command_line", "frames", "warmup"}) run.erase(free_to_differ);
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
        json["run"] = {{"frames", member(report["run"], "frames")}, {"warmup", member(report["run"], "warmup")}};
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

Comparison compare(const Group& baseline, const Group& candidate, double threshold_percent) {
    Comparison comparison;
    comparison.baseline = baseline.name;
    comparison.candidate = candidate.name;
    comparison.baseline_runs = baseline.reports.size();
    comparison.candidate_runs = candidate.reports.size();
    comparison.threshold_percent = threshold_percent;
    comparison.settings = different_settings(baseline.reports.front(), candidate.reports.front());
    comparison.facts = different_facts(baseline.reports.front(), candidate.reports.front());
    for (const Group* group : {&baseline, &candidate})
        for (const auto& [name, pass] : group->reports.front()["passes"].items())
            if (const Json parent = member(pass, "parent"); parent.is_string())
                comparison.parents.push_back(parent.get<std::string>());
    for (const MetricPlace& place : places_of(baseline, candidate)) {
        MetricComparison metric = compare_metric(baseline, candidate, place, threshold_percent);
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
