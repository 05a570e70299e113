// Times of a benchmark in JSON, the same members everywhere.
#pragma once

#include "fft/benchmark.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace spindrift {

/// {"median": ..., "p5": ..., "p95": ..., "min": ..., "max": ..., "samples": ...}; null without samples.
nlohmann::ordered_json time_json(const fft::BenchmarkTime& time);
/// Throws nlohmann::json::exception for what time_json() does not write.
fft::BenchmarkTime parse_time_json(const nlohmann::ordered_json& json);

/// "ok", "rel_l2" (null where it is no number), "us" and, where there is one, "failure" of something that was tried.
template <class Trial>
void add_outcome(nlohmann::ordered_json& json, const Trial& trial) {
    json["ok"] = trial.ok;
    json["rel_l2"] = std::isfinite(trial.relative_l2) ? nlohmann::ordered_json(trial.relative_l2) : nullptr;
    json["us"] = time_json(trial.time);
    if (!trial.failure.empty()) json["failure"] = trial.failure;
}

} // namespace spindrift
