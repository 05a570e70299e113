// What the GPU says about itself while it works: clocks, power, temperature, and what holds its clocks down. Read ten
// times a second by a thread of its own, so that no frame waits for a driver's answer. NVIDIA's management library
// (NVML) is one source; it is looked for at run time and nothing is needed to build with it.
#pragma once

#include "engine/profiler/recording.h"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace spindrift::profiler {

/// NaN where the device does not tell.
struct SensorReading {
    Nanoseconds time = 0; ///< steady clock
    double clock_mhz = not_available;
    double memory_clock_mhz = not_available;
    double power_w = not_available;
    double temperature_c = not_available;
    bool has_clock_reasons = false;
    std::uint64_t clock_reasons = 0; ///< bits of clock_reason_names()
};

/// Names of the bits, "software power cap" and so on; `limits_only` leaves out those that do not hold a busy GPU back
/// (idle, clocks chosen by the user). Unknown bits are named by their number.
std::vector<std::string> clock_reason_names(std::uint64_t reasons, bool limits_only);

class GpuSensors {
public:
    GpuSensors() = default;
    GpuSensors(const GpuSensors&) = delete;
    GpuSensors& operator=(const GpuSensors&) = delete;
    virtual ~GpuSensors() = default;
    virtual const std::string& description() const = 0; ///< "NVML: NVIDIA H200, driver 580.159.04"
    /// Everything but the time. Never throws: what fails is not available.
    virtual SensorReading read() = 0;
};

/// The functions of NVML that are used, by NVIDIA's public documentation ("NVML API Reference"). Each returns 0 for
/// success. Handles are opaque pointers.
struct NvmlApi {
    using Device = void*;
    int (*init)() = nullptr;
    int (*shutdown)() = nullptr;
    int (*driver_version)(char* text, unsigned length) = nullptr;
    int (*device_count)(unsigned* count) = nullptr;
    int (*device_by_index)(unsigned index, Device* device) = nullptr;
    int (*device_name)(Device device, char* text, unsigned length) = nullptr;
    int (*clock_mhz)(Device device, int kind, unsigned* mhz) = nullptr;         ///< kind 1: SM, 2: memory
    int (*power_milliwatts)(Device device, unsigned* milliwatts) = nullptr;     ///
    int (*temperature_c)(Device device, int sensor, unsigned* value) = nullptr; ///< sensor 0: the GPU itself
    int (*clock_reasons)(Device device, unsigned long long* bits) = nullptr;    ///< may be missing
};

/// Sensors, or the reason why there are none.
struct SensorsOrReason {
    std::unique_ptr<GpuSensors> sensors;
    std::string reason; ///< a sentence without a full stop; empty with sensors
};

/// The device with the name in front of the first slash of OpenGL's renderer, "NVIDIA H200/PCIe/SSE2". Where several
/// have that name the first is taken, and the description says so. `renderer` empty: the first device.
SensorsOrReason make_nvml_sensors(const NvmlApi& api, std::string_view renderer);
/// The same with the system's libnvidia-ml.so.1. The library stays loaded.
SensorsOrReason find_gpu_sensors(std::string_view renderer);

/// Takes a reading every `interval` on its own thread; with an interval of 0 only when sample() is called (for tests).
class SensorSampler {
public:
    explicit SensorSampler(std::unique_ptr<GpuSensors> sensors,
                           std::chrono::milliseconds interval = std::chrono::milliseconds(100));
    ~SensorSampler();
    SensorSampler(const SensorSampler&) = delete;
    SensorSampler& operator=(const SensorSampler&) = delete;

    const std::string& description() const { return sensors_->description(); }
    SensorReading latest() const;
    /// Keeps readings from now on, up to `capacity`, for which memory is reserved here; those of before are forgotten.
    void record(std::size_t capacity);
    /// Ends that, and returns what was kept.
    std::vector<SensorReading> stop_recording();
    void sample();

private:
    void run();

    std::unique_ptr<GpuSensors> sensors_; ///< read by one thread only
    std::chrono::milliseconds interval_;
    mutable std::mutex mutex_; ///< of what follows
    std::condition_variable wake_;
    SensorReading latest_;
    std::vector<SensorReading> kept_;
    bool records_ = false, quits_ = false;
    std::thread thread_;
};

} // namespace spindrift::profiler
