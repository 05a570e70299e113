// Clocks, power and temperature of the GPU during a recording, for reports.
#pragma once

#include "engine/profiler/gpu_sensors.h"
#include "engine/profiler/recording.h"

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

namespace spindrift::report {

struct GpuFacts {
    std::string source;                            ///< GpuSensors::description(); empty without sensors
    std::vector<profiler::SensorReading> readings; ///< in the order of time; those outside the recording do not count
};

/// Clocks that move by more than this between the lowest and the highest reading are worth a note.
inline constexpr double clock_moved_percent = 3.0;

/// The latest reading at or before `time` (steady clock), unless it is older than half a second; nullptr when there is
/// none.
const profiler::SensorReading* reading_at(std::span<const profiler::SensorReading> readings,
                                          profiler::Nanoseconds time);

/// Sentences about what makes times of this recording hard to compare: clocks that moved, and what held them down.
std::vector<std::string> gpu_notes(const GpuFacts& gpu, const profiler::Recording& recording);

/// The report's object "gpu"; null without sensors.
nlohmann::ordered_json gpu_json(const GpuFacts& gpu, const profiler::Recording& recording);

} // namespace spindrift::report
