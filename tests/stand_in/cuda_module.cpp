// In the place of spindrift_cuda.so, and of libcuda.so.1 too, where there is no NVIDIA GPU: accepts everything,
// transforms nothing, and refuses what STAND_IN_CUDA_REFUSES names, "map 10" being the tenth call of map and all after
// it. So the program's part in losing CUDA can be tested anywhere; what real CUDA does is tests/cuda.
#include "fft/cuda/interface.h"

#include <cstdlib>
#include <cstring>
#include <map>
#include <sstream>
#include <string>

namespace spindrift::fft::cuda {

// What the handles point to is the module's own affair; here it is nothing.
struct Plan {};
struct Event {};
struct KernelImage {};
struct Kernel {};

namespace {

const char* answer(const std::string& function) {
    static std::map<std::string, int> calls;
    static std::string message;
    const char* wanted = std::getenv("STAND_IN_CUDA_REFUSES");
    std::string refused;
    int first = 0;
    if (wanted != nullptr) std::istringstream(wanted) >> refused >> first;
    if (++calls[function] < first || function != refused) return nullptr;
    message = function + ": unspecified launch failure (stand-in)";
    return message.c_str();
}

const char* connect(DeviceFacts* facts) {
    facts->driver_version = facts->runtime_version = 13000;
    facts->cufft_version = 12000;
    facts->ordinal = 0;
    std::strcpy(facts->name, "stand-in");
    facts->memory_bytes = std::size_t{1} << 30U;
    return answer("connect");
}

const char* free_memory(std::size_t* bytes) {
    *bytes = std::size_t{1} << 30U;
    return answer("free_memory");
}

template <typename Handle>
const char* create(const char* function, Handle** handle) {
    const char* error = answer(function);
    if (error == nullptr) *handle = new Handle;
    return error;
}

const char* elapsed(Event*, Event*, float* milliseconds) {
    *milliseconds = 0.125F;
    return answer("elapsed");
}

// Nothing that a window does comes here.
const char* not_stood_in_for() {
    return "the stand-in has no memory and no kernels";
}

} // namespace

extern "C" __attribute__((visibility("default"))) const Interface* spindrift_cuda_interface() {
    static constexpr Interface functions{
        .version = interface_version,
        .connect = connect,
        .free_memory = free_memory,
        .create_plan = [](const PlanDesc*, Plan** plan) { return create("create_plan", plan); },
        .destroy_plan = [](Plan* plan) { delete plan; },
        .attach = [](Plan*, unsigned) { return answer("attach"); },
        .detach = [](Plan*) {},
        .map = [](Plan*) { return answer("map"); },
        .load = [](Plan*) { return answer("load"); },
        .transform = [](Plan*) { return answer("transform"); },
        .store = [](Plan*) { return answer("store"); },
        .unmap = [](Plan*) { return answer("unmap"); },
        .create_event = [](Event** event) { return create("create_event", event); },
        .destroy_event = [](Event* event) { delete event; },
        .record = [](Event*) { return answer("record"); },
        .passed = [](Event*) { return true; },
        .wait = [](Event*) { return answer("wait"); },
        .elapsed = elapsed,
        .allocate = [](std::size_t, void**) { return not_stood_in_for(); },
        .free = [](void*) {},
        .upload = [](void*, const void*, std::size_t) { return not_stood_in_for(); },
        .download = [](const void*, void*, std::size_t) { return not_stood_in_for(); },
        .clear = [](void*, std::size_t) { return not_stood_in_for(); },
        .use_memory = [](Plan*, void*) { return not_stood_in_for(); },
        .load_image = [](const void*, KernelImage**) { return not_stood_in_for(); },
        .unload_image = [](KernelImage*) {},
        .find_kernel = [](KernelImage*, const char*, Kernel**) { return not_stood_in_for(); },
        .launch = [](Kernel*, const LaunchDesc*, const void* const*) { return not_stood_in_for(); },
        .finish = []() { return not_stood_in_for(); },
        .fail_next = [](const char*) {},
    };
    return &functions;
}

} // namespace spindrift::fft::cuda
