// `spindrift doctor`: what works on this machine, what does not, and why. Nothing that it finds makes it fail; its exit
// code says whether the demo can run in some way.
#include "app/assets.h"
#include "app/command_line.h"
#include "app/commands/command.h"
#include "app/ocean/cuda_step.h"
#include "app/wisdom_file.h"
#include "engine/error.h"
#include "engine/files.h"
#include "engine/gl/shader_source.h"
#include "engine/platform/headless_context.h"
#include "engine/platform/window.h"
#include "engine/profiler/gpu_sensors.h"
#include "fft/cuda_module.h"
#include "fft/transform.h"

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <sys/utsname.h>

namespace spindrift {
namespace {

using Json = nlohmann::ordered_json;

/// One way to a context: what it found, or why there is none.
struct Attempt {
    std::optional<gl::DeviceInfo> device;
    std::string platform;
    fft::cuda::Connection cuda;
    std::string reason;
};

template <class MakeContext>
Attempt try_context(MakeContext make) {
    try {
        const auto context = make();
        fft::cuda::Connection cuda = fft::cuda::connect(*context);
        return {context->device(), context->platform(), std::move(cuda), {}};
    } catch (const std::exception& error) {
        return {std::nullopt, {}, {}, error.what()};
    }
}

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

std::string operating_system() {
    utsname system{};
    if (uname(&system) != 0) return "unknown";
    return fmt::format("{} {} {}", system.sysname, system.release, system.machine);
}

Json to_json(const gl::DeviceLimits& limits) {
    return {{"max_group_invocations", limits.max_group_invocations},
            {"max_group_size", limits.max_group_size},
            {"max_group_count", limits.max_group_count},
            {"max_shared_memory_bytes", limits.max_shared_memory_bytes},
            {"max_texture_size", limits.max_texture_size},
            {"max_array_layers", limits.max_array_layers},
            {"max_storage_block_bytes", limits.max_storage_block_bytes},
            {"max_compute_image_uniforms", limits.max_compute_image_uniforms},
            {"timestamp_bits", limits.timestamp_bits}};
}

Json to_json(const Attempt& attempt) {
    Json json{{"ok", attempt.device.has_value()}};
    if (!attempt.device) {
        json["reason"] = attempt.reason;
        return json;
    }
    json["platform"] = attempt.platform;
    json["vendor"] = attempt.device->vendor;
    json["renderer"] = attempt.device->renderer;
    json["gl"] = attempt.device->version;
    json["glsl"] = attempt.device->glsl_version;
    json["software_renderer"] = attempt.device->software_renderer;
    json["program_binary_formats"] = attempt.device->program_binary_formats.size();
    json["limits"] = to_json(attempt.device->limits);
    return json;
}

/// What CUDA says of the context that the demo would take.
Json to_json(const fft::cuda::Connection& cuda) {
    const fft::cuda::DeviceFacts& facts = cuda.facts;
    Json json{{"ok", cuda.interop.available}, {"reason", cuda.interop.reason}};
    json["sea_kernels"] = !ocean::cuda_step_kernels().empty();
    if (cuda.module.empty()) return json;
    json["module"] = cuda.module.string();
    json["driver"] = fft::cuda::version_text(facts.driver_version);
    json["runtime"] = fft::cuda::version_text(facts.runtime_version);
    json["cufft"] = facts.cufft_version;
    if (facts.ordinal >= 0)
        json["device"] = {{"ordinal", facts.ordinal},
                          {"name", facts.name},
                          {"pci_bus", facts.pci_bus},
                          {"memory_bytes", facts.memory_bytes}};
    return json;
}

/// Every algorithm at every size, as the ocean runs it: vec4, two layers of an image, inverse.
Json transforms_on(const gl::DeviceLimits& limits) {
    Json list = Json::array();
    for (const fft::Algorithm algorithm : fft::all_algorithms) {
        for (const fft::Packing packing : fft::all_packings) {
            Json sizes = Json::array();
            Json refused = Json::array();
            for (int size = fft::min_size; size <= fft::max_size_of(algorithm); size *= 2) {
                const fft::TransformDesc desc{.size = size,
                                              .algorithm = algorithm,
                                              .packing = packing,
                                              .layers = 4 / fft::complex_per_texel(packing)};
                if (const auto reason = fft::why_unavailable(desc, limits))
                    refused.push_back({{"size", size}, {"reason", *reason}});
                else
                    sizes.push_back(size);
            }
            list.push_back({{"algorithm", to_string(algorithm)},
                            {"packing", to_string(packing)},
                            {"sizes", std::move(sizes)},
                            {"unavailable", std::move(refused)}});
        }
    }
    return list;
}

/// Clocks, power and temperature for reports: what tells them, and what they are now.
Json sensors_of(const Attempt& usable) {
    const profiler::SensorsOrReason found =
        profiler::find_gpu_sensors(usable.device ? std::string_view(usable.device->renderer) : std::string_view());
    if (!found.sensors) return {{"ok", false}, {"reason", found.reason}};
    const profiler::SensorReading reading = found.sensors->read();
    const auto number = [](double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); };
    return {{"ok", true},
            {"source", found.sensors->description()},
            {"clock_mhz", number(reading.clock_mhz)},
            {"memory_clock_mhz", number(reading.memory_clock_mhz)},
            {"power_w", number(reading.power_w)},
            {"temperature_c", number(reading.temperature_c)}};
}

std::string describe_sensors(const Json& sensors) {
    if (!sensors.at("ok").get<bool>())
        return fmt::format("GPU sensors: none, so reports have no clocks\n  {}\n",
                           sensors.at("reason").get<std::string>());
    const auto value = [&](const char* name, const char* unit) {
        const Json& number = sensors.at(name);
        return number.is_null() ? std::string("unknown") : fmt::format("{:.0f} {}", number.get<double>(), unit);
    };
    return fmt::format("GPU sensors: {}\n  clock {}, memory {}, power {}, temperature {}\n",
                       sensors.at("source").get<std::string>(), value("clock_mhz", "MHz"),
                       value("memory_clock_mhz", "MHz"), value("power_w", "W"), value("temperature_c", "degrees C"));
}

Json examine() {
    const Attempt window = try_context([] {
        return std::make_unique<platform::Window>(platform::WindowDesc{.size = {64, 64}, .visible = false});
    });
    const Attempt headless = try_context([] { return std::make_unique<platform::HeadlessContext>(); });
    Json json{{"schema", "spindrift.doctor/1"}};
    json["app"] = {{"version", SPINDRIFT_VERSION}, {"build", SPINDRIFT_BUILD_TYPE}, {"compiler", SPINDRIFT_COMPILER}};
    json["system"] = {{"os", operating_system()},
                      {"display", environment("DISPLAY")},
                      {"wayland_display", environment("WAYLAND_DISPLAY")}};
    json["window"] = to_json(window);
    json["headless"] = to_json(headless);
    const Attempt& usable = window.device ? window : headless;
    json["transforms"] = usable.device ? transforms_on(usable.device->limits) : Json::array();
    json["gpu_sensors"] = sensors_of(usable);
    json["wisdom"] = usable.device ? load_wisdom(*usable.device, gl::ShaderSources::embedded()).state : "";
    json["cuda"] = to_json(usable.cuda);
    if (!usable.device) json["cuda"]["reason"] = "no OpenGL context to pair it with";
    const auto assets = assets_folder();
    const auto config = config_folder();
    const auto cache = cache_folder();
    json["folders"] = {{"executable", executable_path().string()},
                       {"assets", assets ? assets->string() : ""},
                       {"shaders", fmt::format("embedded, {} files", gl::ShaderSources::embedded().list().size())},
                       {"config", config ? config->string() : ""},
                       {"cache", cache ? cache->string() : ""}};
    json["ok"] = usable.device.has_value();
    return json;
}

std::string word(const Json& value, const char* when_empty) {
    const auto text = value.get<std::string>();
    return text.empty() ? when_empty : text;
}

std::string describe(const char* title, const Json& attempt) {
    if (!attempt.at("ok").get<bool>())
        return fmt::format("{}: does not work\n  {}\n", title, attempt.at("reason").get<std::string>());
    const Json& limits = attempt.at("limits");
    return fmt::format("{}: works\n"
                       "  platform   {}\n  renderer   {} ({}){}\n  OpenGL     {}\n  GLSL       {}\n"
                       "  compute    {} invocations in a work group, {} KiB of shared memory\n"
                       "  textures   up to {} x {}, {} layers\n  timestamps {}\n"
                       "  programs   {}\n",
                       title, attempt.at("platform").get<std::string>(), attempt.at("renderer").get<std::string>(),
                       attempt.at("vendor").get<std::string>(),
                       attempt.at("software_renderer").get<bool>() ? ": a software renderer, correct but slow" : "",
                       attempt.at("gl").get<std::string>(), attempt.at("glsl").get<std::string>(),
                       limits.at("max_group_invocations").get<int>(),
                       limits.at("max_shared_memory_bytes").get<int>() / 1024, limits.at("max_texture_size").get<int>(),
                       limits.at("max_texture_size").get<int>(), limits.at("max_array_layers").get<int>(),
                       limits.at("timestamp_bits").get<int>() > 0
                           ? fmt::format("{} bits", limits.at("timestamp_bits").get<int>())
                           : "none: passes cannot be timed on the GPU",
                       attempt.at("program_binary_formats").get<int>() > 0
                           ? "compiled ones can be kept on disk"
                           : "compiled anew at each start: the driver does not give them away");
}

std::string describe_cuda(const Json& cuda) {
    std::string text = cuda.at("ok").get<bool>()
                           ? std::string("CUDA: works, and with it cufft\n")
                           : fmt::format("CUDA: not available\n  {}\n", cuda.at("reason").get<std::string>());
    if (cuda.contains("module"))
        text += fmt::format("  module     {}\n  versions   driver for CUDA {}, runtime {}, cuFFT {}\n",
                            cuda.at("module").get<std::string>(), cuda.at("driver").get<std::string>(),
                            cuda.at("runtime").get<std::string>(), cuda.at("cufft").get<int>());
    if (cuda.contains("device")) {
        const Json& device = cuda.at("device");
        text += fmt::format("  device     {}, CUDA device {}, PCI {}: the GPU of the OpenGL context\n",
                            device.at("name").get<std::string>(), device.at("ordinal").get<int>(),
                            device.at("pci_bus").get<std::string>());
    }
    text +=
        fmt::format("  kernels    {}\n", cuda.at("sea_kernels").get<bool>()
                                             ? "the sea's are built in, for bench step"
                                             : "the sea's are not built in: CMake found no nvcc of CUDA 12.8 or newer");
    return text;
}

/// Sizes that are refused for the same reason share a line.
std::string describe_refused(const Json& refused) {
    std::string text;
    for (std::size_t first = 0; first < refused.size();) {
        std::string sizes;
        std::size_t index = first;
        for (; index < refused.size() && refused[index].at("reason") == refused[first].at("reason"); ++index)
            sizes += fmt::format("{}{}", index == first ? "" : ", ", refused[index].at("size").get<int>());
        text += fmt::format("    not {}: {}\n", sizes, refused[first].at("reason").get<std::string>());
        first = index;
    }
    return text;
}

std::string describe_transforms(const Json& transforms) {
    std::string text = "Transforms:\n";
    for (const Json& entry : transforms) {
        text += fmt::format("  {:<20} {}  ", entry.at("algorithm").get<std::string>(),
                            entry.at("packing").get<std::string>());
        for (const Json& size : entry.at("sizes")) text += fmt::format(" {}", size.get<int>());
        text += "\n";
        text += describe_refused(entry.at("unavailable"));
    }
    return transforms.empty() ? text + "  none without OpenGL 4.5\n" : text;
}

std::string describe(const Json& json) {
    const Json& system = json.at("system");
    const Json& folders = json.at("folders");
    std::string text = version_line() + "\n";
    text += fmt::format("System: {}\n  DISPLAY {}, WAYLAND_DISPLAY {}\n", system.at("os").get<std::string>(),
                        word(system.at("display"), "is not set"), word(system.at("wayland_display"), "is not set"));
    text += describe("Window", json.at("window"));
    text += describe("Headless", json.at("headless"));
    text += describe_transforms(json.at("transforms"));
    text += describe_sensors(json.at("gpu_sensors"));
    text += fmt::format("Wisdom: {}\n", word(json.at("wisdom"), "none without OpenGL 4.5"));
    text += describe_cuda(json.at("cuda"));
    text +=
        fmt::format("Folders:\n  program    {}\n  assets     {}\n  shaders    {}\n  settings   {}\n  cache      {}\n",
                    word(folders.at("executable"), "unknown"), word(folders.at("assets"), "not found"),
                    word(folders.at("shaders"), "none"), word(folders.at("config"), "none: no home folder"),
                    word(folders.at("cache"), "none: no home folder"));
    if (!json.at("ok").get<bool>()) return text + "The demo cannot run here: it needs OpenGL 4.5.\n";
    const bool has_window = json.at("window").at("ok").get<bool>();
    return text + (has_window ? "The demo can run here.\n" : "The demo can run here with --headless only.\n");
}

class DoctorCommand : public Command {
public:
    std::string name() const override { return "doctor"; }
    std::string summary() const override { return "tells what works on this machine, what does not, and why"; }
    void add_options(CLI::App& options) override {
        options.add_option("--json", json_file_, "Writes the same as JSON")->type_name("FILE.json")->take_last();
    }

    int run() override {
        if (!json_file_.empty()) check_writable(json_file_);
        const Json json = examine();
        // Driver strings may hold any bytes; a replacement character is better than no report.
        if (!json_file_.empty())
            write_file_atomically(json_file_, json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
        print_out(describe(json));
        return static_cast<int>(json.at("ok").get<bool>() ? ExitCode::success : ExitCode::no_gpu);
    }

private:
    std::string json_file_;
};

const RegisterCommand<DoctorCommand> registration;

} // namespace
} // namespace spindrift
