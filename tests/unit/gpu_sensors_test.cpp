// Sensors without a GPU: invented functions in the place of the driver's library.
#include "app/report/gpu_facts.h"
#include "engine/profiler/gpu_sensors.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

namespace spindrift::profiler {
namespace {

/// A library with three cards, two of one name. Plain functions, as the real one has, so the state is global.
struct InventedLibrary {
    int inits = 0, shutdowns = 0;
    unsigned count = 3;
    bool starts = true, tells_power = true;
    unsigned long long reasons = 0x4;
} library;

int names[3] = {0, 1, 2};

NvmlApi invented_api() {
    library = InventedLibrary{};
    NvmlApi api;
    api.init = [] { return library.starts ? (++library.inits, 0) : 9; };
    api.shutdown = [] { return ++library.shutdowns, 0; };
    api.driver_version = [](char* text, unsigned length) { return std::strncpy(text, "555.1", length), 0; };
    api.device_count = [](unsigned* count) { return *count = library.count, 0; };
    api.device_by_index = [](unsigned index, NvmlApi::Device* device) { return *device = &names[index], 0; };
    api.device_name = [](NvmlApi::Device device, char* text, unsigned length) {
        static constexpr const char* all[] = {"Card 3080", "Card 3080 Ti", "Card 3080 Ti"};
        std::strncpy(text, all[*static_cast<int*>(device)], length);
        return 0;
    };
    api.clock_mhz = [](NvmlApi::Device device, int kind, unsigned* mhz) {
        *mhz = static_cast<unsigned>(1000 * kind + *static_cast<int*>(device));
        return 0;
    };
    api.power_milliwatts = [](NvmlApi::Device, unsigned* power) {
        *power = 123'456;
        return library.tells_power ? 0 : 3;
    };
    api.temperature_c = [](NvmlApi::Device, int, unsigned* value) { return *value = 61, 0; };
    api.clock_reasons = [](NvmlApi::Device, unsigned long long* bits) { return *bits = library.reasons, 0; };
    return api;
}

TEST(GpuSensors, TheRenderersNameChoosesTheDevice) {
    const NvmlApi api = invented_api();
    {
        const SensorsOrReason one = make_nvml_sensors(api, "Card 3080/PCIe/SSE2");
        ASSERT_TRUE(one.sensors) << one.reason;
        EXPECT_EQ(one.sensors->description(), "NVML: Card 3080, driver 555.1");
        const SensorReading reading = one.sensors->read();
        EXPECT_DOUBLE_EQ(reading.clock_mhz, 1000.0);
        EXPECT_DOUBLE_EQ(reading.memory_clock_mhz, 2000.0);
        EXPECT_DOUBLE_EQ(reading.power_w, 123.456);
        EXPECT_DOUBLE_EQ(reading.temperature_c, 61.0);
        EXPECT_TRUE(reading.has_clock_reasons);
        EXPECT_EQ(reading.clock_reasons, 4u);
        const SensorsOrReason two = make_nvml_sensors(api, "Card 3080 Ti/PCIe/SSE2");
        ASSERT_TRUE(two.sensors);
        EXPECT_EQ(two.sensors->description(), "NVML: Card 3080 Ti, driver 555.1, the first of 2 of this name");
        EXPECT_DOUBLE_EQ(two.sensors->read().clock_mhz, 1001.0);
    }
    EXPECT_EQ(library.inits, 2);
    EXPECT_EQ(library.shutdowns, 2);
}

TEST(GpuSensors, WithoutTheDeviceThereIsAReason) {
    const NvmlApi api = invented_api();
    const SensorsOrReason other = make_nvml_sensors(api, "llvmpipe (LLVM 15)");
    EXPECT_FALSE(other.sensors);
    EXPECT_EQ(other.reason, "none of NVML's 3 devices is llvmpipe (LLVM 15)");
    library.count = 0;
    EXPECT_EQ(make_nvml_sensors(api, "").reason, "NVML knows no device");
    EXPECT_EQ(library.inits, library.shutdowns);
    library.starts = false;
    EXPECT_EQ(make_nvml_sensors(api, "").reason, "NVML does not start, code 9");
    EXPECT_EQ(library.shutdowns, 2) << "what did not start is not shut down";
}

TEST(GpuSensors, WhatADeviceDoesNotTellIsNotAvailable) {
    NvmlApi api = invented_api();
    api.clock_reasons = nullptr;
    const SensorsOrReason found = make_nvml_sensors(api, "");
    ASSERT_TRUE(found.sensors);
    library.tells_power = false;
    const SensorReading reading = found.sensors->read();
    EXPECT_TRUE(std::isnan(reading.power_w));
    EXPECT_FALSE(std::isnan(reading.clock_mhz));
    EXPECT_FALSE(reading.has_clock_reasons);
}

TEST(GpuSensors, ReasonsHaveNames) {
    EXPECT_EQ(clock_reason_names(0x45, false),
              (std::vector<std::string>{"idle", "software power cap", "hardware thermal slowdown"}));
    EXPECT_EQ(clock_reason_names(0x45, true),
              (std::vector<std::string>{"software power cap", "hardware thermal slowdown"}));
    EXPECT_EQ(clock_reason_names(0x8000, true), (std::vector<std::string>{"unknown reason 0x8000"}));
    EXPECT_TRUE(clock_reason_names(0, false).empty());
}

TEST(GpuSensors, SearchingNeverThrows) {
    const SensorsOrReason found = find_gpu_sensors("a renderer that nobody has");
    EXPECT_FALSE(found.sensors);
    EXPECT_FALSE(found.reason.empty());
}

TEST(SensorSampler, KeepsWhatWasReservedAndOnlyWhileRecording) {
    SensorSampler sampler(make_nvml_sensors(invented_api(), "").sensors, std::chrono::milliseconds(0));
    sampler.sample();
    EXPECT_DOUBLE_EQ(sampler.latest().temperature_c, 61.0);
    EXPECT_TRUE(sampler.stop_recording().empty());
    sampler.record(3);
    for (int index = 0; index < 5; ++index) sampler.sample();
    const std::vector<SensorReading> kept = sampler.stop_recording();
    ASSERT_EQ(kept.size(), 3u);
    EXPECT_LE(kept[0].time, kept[2].time);
    sampler.sample();
    EXPECT_TRUE(sampler.stop_recording().empty());
}

TEST(SensorSampler, ItsThreadReadsAndEnds) {
    SensorSampler sampler(make_nvml_sensors(invented_api(), "").sensors, std::chrono::milliseconds(1));
    sampler.record(2);
    while (sampler.latest().time == 0) std::this_thread::yield(); // CTest's limit ends it when the thread never reads
    SUCCEED();
}

report::GpuFacts three_readings() {
    report::GpuFacts gpu;
    gpu.source = "NVML: Card";
    for (const auto& [second, clock] : {std::pair{1, 1000.0}, {2, 1500.0}, {9, 100.0}}) {
        SensorReading reading;
        reading.time = Nanoseconds{second} * 1'000'000'000;
        reading.clock_mhz = clock;
        reading.memory_clock_mhz = 3000.0;
        reading.has_clock_reasons = true;
        reading.clock_reasons = second == 9 ? 0x8 : 0x5;
        gpu.readings.push_back(reading);
    }
    return gpu;
}

/// From second 0.5 to second 3.
Recording recording_of_three_seconds() {
    Recording recording;
    recording.origin = 500'000'000;
    RecordedFrame frame;
    frame.cpu_end = 2'500'000'000;
    recording.frames.push_back(frame);
    return recording;
}

TEST(GpuFacts, OnlyTheRecordingCounts) {
    const auto json = report::gpu_json(three_readings(), recording_of_three_seconds());
    EXPECT_EQ(json["readings"], 2);
    EXPECT_DOUBLE_EQ(json["clock_mhz"]["min"], 1000.0);
    EXPECT_DOUBLE_EQ(json["clock_mhz"]["median"], 1250.0);
    EXPECT_DOUBLE_EQ(json["clock_mhz"]["max"], 1500.0);
    EXPECT_TRUE(json["power_w"]["median"].is_null());
    EXPECT_EQ(json["clock_reasons"], (std::vector<std::string>{"idle", "software power cap"}));
    EXPECT_EQ(report::gpu_notes(three_readings(), recording_of_three_seconds()),
              (std::vector<std::string>{"the GPU's SM clock moved between 1000 and 1500 MHz",
                                        "the GPU's clocks were held down: software power cap"}));
    EXPECT_TRUE(report::gpu_json({}, recording_of_three_seconds()).is_null());
    EXPECT_EQ(report::gpu_json(three_readings(), {})["readings"], 0);
}

TEST(GpuFacts, TheLatestReadingUnlessItIsOld) {
    const report::GpuFacts gpu = three_readings();
    const auto clock_at = [&](double seconds) {
        const SensorReading* reading = report::reading_at(gpu.readings, static_cast<Nanoseconds>(seconds * 1e9));
        return reading == nullptr ? -1.0 : reading->clock_mhz;
    };
    EXPECT_DOUBLE_EQ(clock_at(0.9), -1.0);
    EXPECT_DOUBLE_EQ(clock_at(1.0), 1000.0);
    EXPECT_DOUBLE_EQ(clock_at(1.5), 1000.0);
    EXPECT_DOUBLE_EQ(clock_at(1.6), -1.0);
    EXPECT_DOUBLE_EQ(clock_at(2.25), 1500.0);
}

} // namespace
} // namespace spindrift::profiler
