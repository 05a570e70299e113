// A report as a page that needs nothing else: frame times, their distribution, what each pass took, percentiles, the
// command line that runs it again, settings and machine.
#pragma once

#include "app/report/comparison.h"

#include <nlohmann/json.hpp>
#include <span>
#include <string>

namespace spindrift::report {

/// `report` is what to_json(Report) makes, or a file of that schema; members that are missing leave their part out.
std::string to_html(const nlohmann::ordered_json& report);

/// Comparisons with the curves of both sides over each other. `groups` are the baseline and then the candidates in the
/// order of `comparisons`; runs without `series` are left out of the curves.
std::string to_html(std::span<const Comparison> comparisons, std::span<const Group> groups);

/// A table of keys and values of a JSON object, nested ones with dots in their keys.
std::string html_facts(const nlohmann::ordered_json& object);

/// Numbers of a report, NaN where there is none: number_at(report, {"frame", "gpu_ms", "median"}).
double number_at(const nlohmann::ordered_json& json, std::initializer_list<const char*> path);

} // namespace spindrift::report
