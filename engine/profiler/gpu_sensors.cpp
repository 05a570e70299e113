#include "engine/profiler/gpu_sensors.h"

#include <algorithm>
#include <array>
#include <dlfcn.h>
#include <fmt/format.h>
#include <utility>

namespace spindrift::profiler {
namespace {

constexpr int success = 0;
constexpr int sm_clock = 1, memory_clock = 2;
constexpr int gpu_temperature = 0;

struct ClockReason {
    std::uint64_t bit;
    bool limits;
    const char* name;
};
constexpr std::array clock_reasons{
    ClockReason{0x001, false, "idle"},
    ClockReason{0x002, false, "application clocks"},
    ClockReason{0x004, true, "software power cap"},
    ClockReason{0x008, true, "hardware slowdown"},
    ClockReason{0x010, false, "sync boost"},
    ClockReason{0x020, true, "software thermal slowdown"},
    ClockReason{0x040, true, "hardware thermal slowdown"},
    ClockReason{0x080, true, "hardware power brake"},
    ClockReason{0x100, false, "display clocks"},
};

class NvmlSensors final : public GpuSensors {
public:
    NvmlSensors(const NvmlApi& api, NvmlApi::Device device, std::string description)
        : api_(api), device_(device), description_(std::move(description)) {}
    ~NvmlSensors() override { api_.shutdown(); }

    const std::string& description() const override { return description_; }

    SensorReading read() override {
        SensorReading reading;
        unsigned value = 0;
        if (api_.clock_mhz(device_, sm_clock, &value) == success) reading.clock_mhz = value;
        if (api_.clock_mhz(device_, memory_clock, &value) == success) reading.memory_clock_mhz = value;
        if (api_.power_milliwatts(device_, &value) == success) reading.power_w = value / 1000.0;
        if (api_.temperature_c(device_, gpu_temperature, &value) == success) reading.temperature_c = value;
        unsigned long long bits = 0;
        if (api_.clock_reasons != nullptr && api_.clock_reasons(device_, &bits) == success) {
            reading.has_clock_reasons = true;
            reading.clock_reasons = bits;
        }
        return reading;
    }

private:
    NvmlApi api_;
    NvmlApi::Device device_;
    std::string description_;
};

std::string name_of(const NvmlApi& api, NvmlApi::Device device) {
    std::array<char, 128> text{};
    if (api.device_name(device, text.data(), static_cast<unsigned>(text.size() - 1)) != success) return {};
    return text.data();
}

template <class Function>
bool load(void* library, Function& function, std::initializer_list<const char*> names) {
    for (const char* name : names) {
        function = reinterpret_cast<Function>(::dlsym(library, name));
        if (function != nullptr) return true;
    }
    return false;
}

} // namespace

std::vector<std::string> clock_reason_names(std::uint64_t reasons, bool limits_only) {
    std::vector<std::string> names;
    for (const ClockReason& reason : clock_reasons) {
        if ((reasons & reason.bit) != 0 && (reason.limits || !limits_only)) names.emplace_back(reason.name);
        reasons &= ~reason.bit;
    }
    if (reasons != 0) names.push_back(fmt::format("unknown reason {:#x}", reasons));
    return names;
}

SensorsOrReason make_nvml_sensors(const NvmlApi& api, std::string_view renderer) {
    if (const int code = api.init(); code != success)
        return {nullptr, fmt::format("NVML does not start, code {}", code)};
    const auto fail = [&](std::string reason) {
        api.shutdown();
        return SensorsOrReason{nullptr, std::move(reason)};
    };
    const std::string_view wanted = renderer.substr(0, renderer.find('/'));
    unsigned count = 0;
    if (const int code = api.device_count(&count); code != success)
        return fail(fmt::format("NVML does not count its devices, code {}", code));
    NvmlApi::Device chosen = nullptr;
    std::string chosen_name;
    int matches = 0;
    for (unsigned index = 0; index < count; ++index) {
        NvmlApi::Device device = nullptr;
        if (api.device_by_index(index, &device) != success) continue;
        const std::string name = name_of(api, device);
        if (!wanted.empty() && name != wanted) continue;
        if (matches++ > 0) continue;
        chosen = device;
        chosen_name = name;
    }
    if (matches == 0)
        return fail(count == 0 ? std::string("NVML knows no device")
                               : fmt::format("none of NVML's {} devices is {}", count, wanted));
    std::array<char, 96> driver{};
    if (api.driver_version(driver.data(), static_cast<unsigned>(driver.size() - 1)) != success) driver[0] = '\0';
    std::string description = fmt::format("NVML: {}, driver {}", chosen_name, driver.data());
    if (matches > 1) description += fmt::format(", the first of {} of this name", matches);
    return {std::make_unique<NvmlSensors>(api, chosen, std::move(description)), {}};
}

SensorsOrReason find_gpu_sensors(std::string_view renderer) {
    constexpr const char* name = "libnvidia-ml.so.1";
    void* library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL); // never closed: its functions are in use until the end
    if (library == nullptr) return {nullptr, fmt::format("{} is not installed", name)};
    NvmlApi api;
    const bool complete = load(library, api.init, {"nvmlInit_v2"}) && load(library, api.shutdown, {"nvmlShutdown"}) &&
                          load(library, api.driver_version, {"nvmlSystemGetDriverVersion"}) &&
                          load(library, api.device_count, {"nvmlDeviceGetCount_v2"}) &&
                          load(library, api.device_by_index, {"nvmlDeviceGetHandleByIndex_v2"}) &&
                          load(library, api.device_name, {"nvmlDeviceGetName"}) &&
                          load(library, api.clock_mhz, {"nvmlDeviceGetClockInfo"}) &&
                          load(library, api.power_milliwatts, {"nvmlDeviceGetPowerUsage"}) &&
                          load(library, api.temperature_c, {"nvmlDeviceGetTemperature"});
    if (!complete) return {nullptr, fmt::format("{} lacks functions that are needed", name)};
    load(library, api.clock_reasons,
         {"nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"});
    return make_nvml_sensors(api, renderer);
}

SensorSampler::SensorSampler(std::unique_ptr<GpuSensors> sensors, std::chrono::milliseconds interval)
    : sensors_(std::move(sensors)), interval_(interval) {
    if (interval_.count() > 0) thread_ = std::thread([this] { run(); });
}

SensorSampler::~SensorSampler() {
    {
        const std::lock_guard lock(mutex_);
        quits_ = true;
    }
    wake_.notify_all();
    if (thread_.joinable()) thread_.join();
}

void SensorSampler::run() {
    std::unique_lock lock(mutex_);
    while (!quits_) {
        lock.unlock(); // the driver may take its time
        sample();
        lock.lock();
        wake_.wait_for(lock, interval_, [this] { return quits_; });
    }
}

void SensorSampler::sample() {
    SensorReading reading = sensors_->read();
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    reading.time = std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
    const std::lock_guard lock(mutex_);
    latest_ = reading;
    if (records_ && kept_.size() < kept_.capacity()) kept_.push_back(reading);
}

SensorReading SensorSampler::latest() const {
    const std::lock_guard lock(mutex_);
    return latest_;
}

void SensorSampler::record(std::size_t capacity) {
    std::vector<SensorReading> reserved;
    reserved.reserve(capacity);
    const std::lock_guard lock(mutex_);
    kept_ = std::move(reserved);
    records_ = true;
}

std::vector<SensorReading> SensorSampler::stop_recording() {
    const std::lock_guard lock(mutex_);
    records_ = false;
    return std::exchange(kept_, {});
}

} // namespace spindrift::profiler
