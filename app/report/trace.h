// A recording as a Chrome trace (the JSON object format of the Trace Event specification): opens in ui.perfetto.dev and
// chrome://tracing.
//
// One process with a track for the CPU (tid 1) and one for each time source (tid 2 OpenGL, tid 3 CUDA). Frames and
// scopes are complete events (ph "X") with ts and dur in microseconds from the recording's start, nested as in the
// profiler's tree, and the frame's number in args. Frame times and the GPU's clocks, power and temperature are counters
// (ph "C"). What has no GPU time is on the CPU track only.
#pragma once

#include "app/report/report.h"

#include <filesystem>
#include <string>

namespace spindrift::report {

std::string to_trace(const Report& report);

/// Throws Error(usage) unless the name ends in .json, and Error when the file could not be written later.
void check_trace_path(const std::filesystem::path& path);
void write_trace(const std::filesystem::path& path, const Report& report);

} // namespace spindrift::report
