#include "fft/cuda_module.h"

#include "engine/files.h"

#include <cmath>
#include <dlfcn.h>
#include <fmt/format.h>
#include <vector>

namespace spindrift::fft::cuda {
namespace {

struct Loaded {
    const Interface* functions = nullptr;
    std::filesystem::path path;
    std::string reason; ///< why there are no functions
    bool connected = false;
};

Loaded& loaded() {
    static Loaded instance;
    return instance;
}

std::string loader_message() {
    const char* message = dlerror();
    return message == nullptr ? "unknown error of the dynamic loader" : message;
}

/// Without the driver's library nothing of CUDA works, and looking for it first spares other machines the loading of
/// some hundred megabytes of cuFFT.
bool has_driver_library() {
    void* library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
    if (library != nullptr) dlclose(library);
    return library != nullptr;
}

Loaded load() {
    Loaded result;
    const std::filesystem::path path =
        (executable_path().parent_path() / SPINDRIFT_MODULE_FOLDER / "spindrift_cuda.so").lexically_normal();
    if (!std::filesystem::exists(path)) {
        result.reason = "this build has no CUDA module: CMake found no CUDA toolkit";
        return result;
    }
    if (!has_driver_library()) {
        result.reason = "no NVIDIA driver with CUDA: libcuda.so.1 was not found";
        return result;
    }
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        result.reason = fmt::format("the CUDA module does not load: {}", loader_message());
        return result;
    }
    const auto get = reinterpret_cast<GetInterface>(dlsym(library, interface_symbol));
    const Interface* functions = get == nullptr ? nullptr : get();
    if (functions == nullptr || functions->version != interface_version) {
        result.reason = fmt::format("{} belongs to another version of this program", path.string());
        return result;
    }
    result.functions = functions;
    result.path = path;
    return result;
}

class CudaTimeSource final : public profiler::TimeSource {
public:
    CudaTimeSource() : functions_(module_functions()) { require(functions_.create_event(&anchor_)); }
    ~CudaTimeSource() override {
        for (Event* event : events_) functions_.destroy_event(event);
        functions_.destroy_event(anchor_);
    }
    CudaTimeSource(const CudaTimeSource&) = delete;
    CudaTimeSource& operator=(const CudaTimeSource&) = delete;

    std::string_view name() const noexcept override { return "CUDA"; }
    bool has_timestamps() const noexcept override { return true; }

    // A slot whose event CUDA refused has no time, which the profiler counts as absurd; the refusal itself is thrown by
    // the transform that the slot was to time.
    std::size_t create_slot() override {
        Event* event = nullptr;
        functions_.create_event(&event);
        events_.push_back(event);
        return events_.size() - 1;
    }
    void record(std::size_t slot) override {
        if (events_[slot] != nullptr) functions_.record(events_[slot]);
    }
    bool available(std::size_t slot) override { return events_[slot] == nullptr || functions_.passed(events_[slot]); }
    std::int64_t elapsed(std::size_t begin_slot, std::size_t end_slot) override {
        return between(events_[begin_slot], events_[end_slot]);
    }

    void anchor() override {
        if (functions_.record(anchor_) == nullptr) functions_.wait(anchor_);
    }
    std::int64_t since_anchor(std::size_t slot) override { return between(anchor_, events_[slot]); }

    void finish() override {
        for (Event* event : events_)
            if (event != nullptr && !functions_.passed(event)) functions_.wait(event);
    }

private:
    static constexpr std::int64_t no_time = -1;

    std::int64_t between(Event* begin, Event* end) const {
        float milliseconds = 0.0F;
        if (begin == nullptr || end == nullptr || functions_.elapsed(begin, end, &milliseconds) != nullptr)
            return no_time;
        return std::llround(static_cast<double>(milliseconds) * 1e6);
    }

    const Interface& functions_;
    std::vector<Event*> events_;
    Event* anchor_ = nullptr;
};

Connection connect_current() {
    Loaded& module = loaded();
    if (module.functions == nullptr) module = load();
    Connection connection;
    connection.module = module.path;
    module.connected = false;
    if (module.functions == nullptr) {
        connection.interop.reason = module.reason;
        return connection;
    }
    if (const char* error = module.functions->connect(&connection.facts)) {
        connection.interop.reason = fmt::format("CUDA and this OpenGL context do not go together: {}", error);
        return connection;
    }
    module.connected = true;
    connection.interop = {.available = true,
                          .reason = {},
                          .device = connection.facts.name,
                          .driver = version_text(connection.facts.driver_version),
                          .runtime = version_text(connection.facts.runtime_version),
                          .cufft = fmt::format("{}", connection.facts.cufft_version)};
    return connection;
}

} // namespace

Connection connect(platform::Context& context) {
    Connection connection = connect_current();
    context.set_cuda(connection.interop);
    return connection;
}

const Interface& module_functions() {
    const Loaded& module = loaded();
    if (!module.connected)
        throw CudaError(module.reason.empty() ? std::string("CUDA is not connected to this OpenGL context")
                                              : module.reason);
    return *module.functions;
}

void require(const char* message) {
    if (message != nullptr) throw CudaError(message);
}

std::size_t free_memory() {
    std::size_t bytes = 0;
    require(module_functions().free_memory(&bytes));
    return bytes;
}

std::unique_ptr<profiler::TimeSource> make_time_source() {
    return std::make_unique<CudaTimeSource>();
}

std::string version_text(int version) {
    return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

} // namespace spindrift::fft::cuda
