// The times of every frame as they stand in a report, for graphs: `series` of schema "spindrift.report/1".
//
//   series   frame {interval_ms, cpu_ms, gpu_ms} and passes, by name, {gpu_ms}: one number a frame, in the order of the
//            frames, null where there is none; milliseconds to the nanosecond
#pragma once

#include "engine/profiler/recording.h"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace spindrift::report {

/// `names`: of the recording's nodes, as of pass_names().
nlohmann::ordered_json series_json(const profiler::Recording& recording, const std::vector<std::string>& names);

/// A report as text: indented, but each series on one line, since thousands of lines of numbers help nobody. Bytes that
/// are no UTF-8 are replaced, so that an odd command line does not lose the report.
std::string report_text(const nlohmann::ordered_json& report);

/// One series of a report, NaN where there is no number; empty when the report has none. `pass` may be "frame", `clock`
/// is "interval", "cpu" or "gpu".
std::vector<double> read_series(const nlohmann::ordered_json& report, const std::string& pass,
                                const std::string& clock);

} // namespace spindrift::report
