// Two reports, or two groups of repeats, side by side: which times differ by more than chance and a threshold.
//
// A group's value is the mean of its runs' medians. What can be said about the difference depends on the repeats:
//   - At least two runs on both sides: Welch's test and its 95 % interval over the runs (welch.h), since frames inside
//   a
//     run are correlated and their number says nothing. A metric is slower or faster when it moved by more than the
//     threshold and the test's probability, times the number of metrics that are judged (Bonferroni), is below 5 %: so
//     at most one in twenty comparisons of equal builds names anything, however many passes there are.
//   - A single run on a side: no interval and no probability, only a noise floor. The median must have moved by more
//     than the threshold, by more than a stated least change (10 % of a GPU time, see below), and by more than the
//     medians of ten consecutive parts of either run (or the runs of a group) differ among themselves; and the fastest
//     frames must show it too, because other work on the machine moves medians more easily than minima.
//   - Runs of fewer than 20 frames have no such parts: they are shown and never judged.
#pragma once

#include "app/report/report.h"

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace spindrift::report {

/// Smaller differences between two single runs are never called one, whatever the threshold: as much may come from
/// clocks, temperature, where memory lies and what else the machine does, which only repeats show. In percent: of times
/// on the GPU's clock; of times on the CPU's; and of all times where a software renderer shares the CPU with everybody.
inline constexpr double least_gpu_change_of_single_runs = 10.0;
inline constexpr double least_cpu_change_of_single_runs = 50.0;
inline constexpr double least_software_change_of_single_runs = 300.0;

/// Runs with the same settings. `name` is what the user typed.
struct Group {
    std::string name;
    std::vector<std::string> paths;
    std::vector<Json> reports;
};

/// A report file, or a folder whose .json files are repeats of one run. Throws Error naming the file and what is wrong:
/// unreadable, no JSON, another schema, a member missing, or repeats whose settings differ.
Group load_group(const std::filesystem::path& path);

struct SettingDifference {
    std::string key, baseline, candidate; ///< values as JSON text; "(none)" where one side lacks the key
};
/// What must be equal for times to be comparable: algorithm, size, packing, storage, cascades, seed, dt, vsync, picture
/// size, window or headless, every other parameter, mesh, build type.
std::vector<SettingDifference> different_settings(const Json& baseline, const Json& candidate);
/// What may differ and should be known: GPU, driver, commit, version, compiler, CPU, number of frames.
std::vector<SettingDifference> different_facts(const Json& baseline, const Json& candidate);

enum class Verdict {
    same,         ///< within the threshold
    faster,       ///< beyond the threshold, and more than chance
    slower,       ///< likewise: a regression if the metric gates
    within_noise, ///< beyond the threshold, but no more than runs or parts of runs differ among themselves
    too_short,    ///< a single run with too few frames to tell
    one_sided,    ///< only one side has this metric
};
const char* to_string(Verdict verdict) noexcept;

struct MetricComparison {
    std::string name;  ///< a pass, or "frame"
    std::string clock; ///< "gpu", "cpu" or "interval"
    bool gates = true; ///< whether `slower` is a regression; CPU times of single passes are shown only
    double baseline_ms = profiler::not_available;
    double candidate_ms = profiler::not_available;
    double percent = profiler::not_available;                    ///< (candidate - baseline) / baseline
    std::optional<std::pair<double, double>> confidence_percent; ///< 95 %, over runs: with repeats on both sides only
    std::optional<double> p;             ///< likewise: of "no difference", times the number of metrics judged
    std::optional<double> noise_percent; ///< with a single run on a side: what it must move by
    Verdict verdict = Verdict::same;
};

/// A run whose median frame time is far from those of its group (outliers.h says how far). Marked, never left out.
struct RunOutlier {
    std::string run;   ///< its file
    std::string clock; ///< "interval", "gpu" or "cpu"
    double median_ms = 0.0, group_median_ms = 0.0;
    double score = 0.0; ///< modified z-score; infinite where more than half of the runs are equal
};

struct Comparison {
    std::string baseline, candidate;
    std::size_t baseline_runs = 0, candidate_runs = 0;
    std::vector<RunOutlier> baseline_outliers, candidate_outliers;
    double threshold_percent = 0.0;
    std::vector<SettingDifference> settings, facts;
    std::vector<MetricComparison> metrics;

    /// Metrics that gate and are slower: passes without children first, the largest change first.
    std::vector<const MetricComparison*> regressions() const;
    /// Metrics that gate and have times on both sides; 0 means that nothing was compared.
    std::size_t compared() const;
    std::size_t count(Verdict verdict) const; ///< of the metrics that gate
    std::vector<std::string> parents;         ///< passes that have passes below them
};

/// Throws nothing: whether different settings are acceptable is the caller's question.
Comparison compare(const Group& baseline, const Group& candidate, double threshold_percent);

/// A table for a terminal, with what differs above it and the conclusion below.
std::string to_text(const Comparison& comparison, bool with_cpu_of_passes);
/// Schema "spindrift.comparison/1".
Json to_json(std::span<const Comparison> comparisons);

/// "5%" or "5": a percentage of at least 0. Throws Error(usage).
double parse_threshold(const std::string& text);

} // namespace spindrift::report
