#include "app/report/gpu_facts.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace spindrift::report {
namespace {

using Json = nlohmann::ordered_json;
using profiler::SensorReading;

constexpr profiler::Nanoseconds oldest_reading = 500'000'000;

std::vector<SensorReading> during(const GpuFacts& gpu, const profiler::Recording& recording) {
    std::vector<SensorReading> readings;
    if (recording.frames.empty()) return readings;
    const profiler::Nanoseconds begin = recording.origin, end = recording.origin + recording.frames.back().cpu_end;
    std::copy_if(gpu.readings.begin(), gpu.readings.end(), std::back_inserter(readings),
                 [&](const SensorReading& reading) { return reading.time >= begin && reading.time <= end; });
    return readings;
}

profiler::Summary summary_of(std::span<const SensorReading> readings, double SensorReading::*field) {
    std::vector<double> values;
    values.reserve(readings.size());
    for (const SensorReading& reading : readings) values.push_back(reading.*field);
    return profiler::summarize(values);
}

Json range_json(const profiler::Summary& summary) {
    const auto number = [](double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); };
    return {{"min", number(summary.min)}, {"median", number(summary.median)}, {"max", number(summary.max)}};
}

std::uint64_t reasons_of(std::span<const SensorReading> readings) {
    std::uint64_t reasons = 0;
    for (const SensorReading& reading : readings)
        if (reading.has_clock_reasons) reasons |= reading.clock_reasons;
    return reasons;
}

} // namespace

const SensorReading* reading_at(std::span<const SensorReading> readings, profiler::Nanoseconds time) {
    const auto after = std::upper_bound(readings.begin(), readings.end(), time,
                                        [](profiler::Nanoseconds at, const SensorReading& r) { return at < r.time; });
    if (after == readings.begin()) return nullptr;
    const SensorReading& reading = *std::prev(after);
    return time - reading.time <= oldest_reading ? &reading : nullptr;
}

std::vector<std::string> gpu_notes(const GpuFacts& gpu, const profiler::Recording& recording) {
    const std::vector<SensorReading> readings = during(gpu, recording);
    std::vector<std::string> notes;
    const auto note_clock = [&](const char* name, double SensorReading::*field) {
        const profiler::Summary clock = summary_of(readings, field);
        if (clock.count == 0 || !(clock.max - clock.min > clock_moved_percent / 100.0 * clock.max)) return;
        notes.push_back(
            fmt::format("the GPU's {} clock moved between {:.0f} and {:.0f} MHz", name, clock.min, clock.max));
    };
    note_clock("SM", &SensorReading::clock_mhz);
    note_clock("memory", &SensorReading::memory_clock_mhz);
    const std::vector<std::string> limits = profiler::clock_reason_names(reasons_of(readings), true);
    if (!limits.empty()) notes.push_back(fmt::format("the GPU's clocks were held down: {}", fmt::join(limits, ", ")));
    return notes;
}

Json gpu_json(const GpuFacts& gpu, const profiler::Recording& recording) {
    if (gpu.source.empty()) return nullptr;
    const std::vector<SensorReading> readings = during(gpu, recording);
    Json json;
    json["source"] = gpu.source;
    json["readings"] = readings.size();
    json["clock_mhz"] = range_json(summary_of(readings, &SensorReading::clock_mhz));
    json["memory_clock_mhz"] = range_json(summary_of(readings, &SensorReading::memory_clock_mhz));
    json["power_w"] = range_json(summary_of(readings, &SensorReading::power_w));
    json["temperature_c"] = range_json(summary_of(readings, &SensorReading::temperature_c));
    json["clock_reasons"] = profiler::clock_reason_names(reasons_of(readings), false);
    return json;
}

} // namespace spindrift::report
