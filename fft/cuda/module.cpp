// The CUDA module: cuFFT on OpenGL's memory or on CUDA's own, and kernels that the program brings along. Host code
// only.
#include "fft/cuda/interface.h"

// cuda_gl_interop.h wants OpenGL's types and nothing else of it.
#include <GL/gl.h>
#include <cuda_gl_interop.h>
#include <cuda_runtime_api.h>
#include <cufft.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

#define SPINDRIFT_CUDA_LIBRARIES (CUDART_VERSION >= 12080)

namespace spindrift::fft::cuda {

struct Plan {
    PlanDesc desc;
    cufftHandle handle = 0;
    bool has_handle = false;
    cudaGraphicsResource_t resource = nullptr;
    bool mapped = false;
    cufftComplex* elements = nullptr; ///< while mapped: the buffer's memory, or `linear`
    cufftComplex* linear = nullptr;   ///< of image plans: what cuFFT can address
};

struct Event {
    cudaEvent_t event = nullptr;
    bool recorded = false;
};

// A Kernel is never defined: it stands for a cudaKernel_t, which CUDA owns.
#if SPINDRIFT_CUDA_LIBRARIES
struct KernelImage {
    cudaLibrary_t library = nullptr;
    // The driver compiles when it likes, perhaps later than in the call that is given these, and then writes here.
    std::array<char, 4096> log{};
    std::array<cudaJitOption, 2> options{cudaJitErrorLogBuffer, cudaJitErrorLogBufferSizeBytes};
    std::array<void*, 2> values{log.data(), reinterpret_cast<void*>(log.size())};
};
#endif

namespace {

constexpr GLenum texture_2d_array = 0x8C1A; // of OpenGL 3.0, newer than some gl.h

struct State {
    cudaStream_t stream = nullptr; ///< one for everything: mapping, copies, transforms and events stay in order
    int device = -1;
    std::string message;
    std::string failing; ///< the function whose next call is to fail
};

State& state() {
    static State instance;
    return instance;
}

const char* failure(std::string text) {
    state().message = std::move(text);
    return state().message.c_str();
}

/// Null for success. Takes the error out of CUDA's own memory of the last one, so that the next call is judged alone;
/// an error that corrupted the context comes back by itself.
const char* check(cudaError_t error, const char* call) {
    if (error == cudaSuccess) return nullptr;
    cudaGetLastError();
    return failure(std::string(call) + ": " + cudaGetErrorString(error) + " (" + cudaGetErrorName(error) + ")");
}

const char* cufft_error_text(cufftResult result) {
    switch (result) {
    case CUFFT_ALLOC_FAILED:
        return "no memory for the work area (CUFFT_ALLOC_FAILED)";
    case CUFFT_INVALID_SIZE:
        return "this size is not supported (CUFFT_INVALID_SIZE)";
    case CUFFT_EXEC_FAILED:
        return "the GPU did not run it (CUFFT_EXEC_FAILED)";
    case CUFFT_SETUP_FAILED:
        return "the library could not be set up (CUFFT_SETUP_FAILED)";
    default:
        return "failed";
    }
}

const char* check(cufftResult result, const char* call) {
    if (result == CUFFT_SUCCESS) return nullptr;
    cudaGetLastError();
    return failure(std::string(call) + ": " + cufft_error_text(result) + ", cufftResult " +
                   std::to_string(static_cast<int>(result)));
}

/// A failure that a test asked for, once.
const char* injected(const char* function) {
    if (state().failing != function) return nullptr;
    state().failing.clear();
    return failure(std::string(function) + ": fails because a test asked for it");
}

std::size_t element_count(const PlanDesc& desc) {
    return static_cast<std::size_t>(desc.size) * static_cast<std::size_t>(desc.size);
}

std::size_t byte_count(const PlanDesc& desc) {
    return element_count(desc) * static_cast<std::size_t>(desc.layers * desc.complex_per_element) *
           sizeof(cufftComplex);
}

const char* pair_with_gl(DeviceFacts& facts) {
    std::array<int, 8> devices{};
    unsigned count = 0;
    if (const char* error =
            check(cudaGLGetDevices(&count, devices.data(), static_cast<unsigned>(devices.size()), cudaGLDeviceListAll),
                  "cudaGLGetDevices"))
        return error;
    if (count == 0) return failure("cudaGLGetDevices: no CUDA device draws this OpenGL context");
    facts.ordinal = devices.front();
    return nullptr;
}

const char* connect(DeviceFacts* facts) {
    *facts = {};
    if (const char* error = check(cudaRuntimeGetVersion(&facts->runtime_version), "cudaRuntimeGetVersion"))
        return error;
    if (const char* error = check(cufftGetVersion(&facts->cufft_version), "cufftGetVersion")) return error;
    if (const char* error = check(cudaDriverGetVersion(&facts->driver_version), "cudaDriverGetVersion")) return error;
    if (facts->driver_version == 0) return failure("no NVIDIA driver is loaded");
    if (facts->driver_version / 1000 < facts->runtime_version / 1000)
        return failure("the NVIDIA driver is for CUDA " + std::to_string(facts->driver_version / 1000) +
                       ", this program was built for CUDA " + std::to_string(facts->runtime_version / 1000));
    int count = 0;
    if (const char* error = check(cudaGetDeviceCount(&count), "cudaGetDeviceCount")) return error;
    if (const char* error = pair_with_gl(*facts)) return error;

    cudaDeviceProp properties{};
    if (const char* error = check(cudaGetDeviceProperties(&properties, facts->ordinal), "cudaGetDeviceProperties"))
        return error;
    std::snprintf(facts->name, sizeof(facts->name), "%s", properties.name);
    facts->memory_bytes = properties.totalGlobalMem;
    if (cudaDeviceGetPCIBusId(facts->pci_bus, sizeof(facts->pci_bus), facts->ordinal) != cudaSuccess)
        cudaGetLastError();
    if (const char* error = check(cudaSetDevice(facts->ordinal), "cudaSetDevice")) return error;
    if (state().stream != nullptr && state().device == facts->ordinal) return nullptr;
    state().device = facts->ordinal;
    return check(cudaStreamCreateWithFlags(&state().stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
}

const char* free_memory(std::size_t* bytes) {
    std::size_t total = 0;
    return check(cudaMemGetInfo(bytes, &total), "cudaMemGetInfo");
}

void detach(Plan* plan) {
    if (plan->resource == nullptr) return;
    if (plan->mapped && cudaGraphicsUnmapResources(1, &plan->resource, state().stream) != cudaSuccess)
        cudaGetLastError();
    // The work that reads the memory has to be over before the memory goes.
    if (cudaStreamSynchronize(state().stream) != cudaSuccess) cudaGetLastError();
    if (cudaGraphicsUnregisterResource(plan->resource) != cudaSuccess) cudaGetLastError();
    plan->resource = nullptr;
    plan->mapped = false;
}

void destroy_plan(Plan* plan) {
    if (plan == nullptr) return;
    detach(plan);
    if (plan->has_handle) cufftDestroy(plan->handle);
    if (plan->linear != nullptr && cudaFree(plan->linear) != cudaSuccess) cudaGetLastError();
    delete plan;
}

const char* make_handle(Plan& plan) {
    if (const char* error = check(cufftCreate(&plan.handle), "cufftCreate")) return error;
    plan.has_handle = true;
    if (const char* error = check(cufftSetStream(plan.handle, state().stream), "cufftSetStream")) return error;
    const PlanDesc& desc = plan.desc;
    std::array<int, 2> extent{desc.size, desc.size};
    const int elements = static_cast<int>(element_count(desc));
    const bool interleaved = desc.complex_per_element == 2;
    const int stride = interleaved ? 2 : 1;
    const int distance = interleaved ? 1 : elements;
    const int batch = interleaved ? 2 : desc.layers;
    std::size_t work_bytes = 0;
    return check(cufftMakePlanMany(plan.handle, 2, extent.data(), extent.data(), stride, distance, extent.data(),
                                   stride, distance, CUFFT_C2C, batch, &work_bytes),
                 "cufftMakePlanMany");
}

const char* create_plan(const PlanDesc* desc, Plan** result) {
    *result = nullptr;
    if (const char* error = injected("create_plan")) return error;
    struct Deleter {
        void operator()(Plan* plan) const { destroy_plan(plan); }
    };
    std::unique_ptr<Plan, Deleter> plan(new Plan);
    plan->desc = *desc;
    if (const char* error = make_handle(*plan)) return error;
    if (desc->image) {
        void* memory = nullptr;
        if (const char* error = check(cudaMalloc(&memory, byte_count(*desc)), "cudaMalloc")) return error;
        plan->linear = static_cast<cufftComplex*>(memory);
    }
    *result = plan.release();
    return nullptr;
}

const char* attach(Plan* plan, unsigned data) {
    detach(plan);
    if (const char* error = injected("attach")) return error;
    if (plan->desc.image)
        return check(
            cudaGraphicsGLRegisterImage(&plan->resource, data, texture_2d_array, cudaGraphicsRegisterFlagsNone),
            "cudaGraphicsGLRegisterImage");
    return check(cudaGraphicsGLRegisterBuffer(&plan->resource, data, cudaGraphicsRegisterFlagsNone),
                 "cudaGraphicsGLRegisterBuffer");
}

const char* map(Plan* plan) {
    if (const char* error = injected("map")) return error;
    if (const char* error =
            check(cudaGraphicsMapResources(1, &plan->resource, state().stream), "cudaGraphicsMapResources"))
        return error;
    plan->mapped = true;
    plan->elements = plan->linear;
    if (plan->desc.image) return nullptr;
    void* memory = nullptr;
    std::size_t bytes = 0;
    if (const char* error = check(cudaGraphicsResourceGetMappedPointer(&memory, &bytes, plan->resource),
                                  "cudaGraphicsResourceGetMappedPointer"))
        return error;
    if (bytes < byte_count(plan->desc))
        return failure("the buffer has " + std::to_string(bytes) + " bytes, the plan needs " +
                       std::to_string(byte_count(plan->desc)));
    plan->elements = static_cast<cufftComplex*>(memory);
    return nullptr;
}

/// Every layer of the texture to the linear memory, or back.
const char* copy_layers(Plan& plan, bool to_linear) {
    const PlanDesc& desc = plan.desc;
    const auto size = static_cast<std::size_t>(desc.size);
    const std::size_t row_bytes = size * static_cast<std::size_t>(desc.complex_per_element) * sizeof(cufftComplex);
    for (int layer = 0; layer < desc.layers; ++layer) {
        cudaArray_t array = nullptr;
        if (const char* error =
                check(cudaGraphicsSubResourceGetMappedArray(&array, plan.resource, static_cast<unsigned>(layer), 0),
                      "cudaGraphicsSubResourceGetMappedArray"))
            return error;
        char* linear = reinterpret_cast<char*>(plan.linear) + static_cast<std::size_t>(layer) * row_bytes * size;
        const cudaError_t error = to_linear ? cudaMemcpy2DFromArrayAsync(linear, row_bytes, array, 0, 0, row_bytes,
                                                                         size, cudaMemcpyDeviceToDevice, state().stream)
                                            : cudaMemcpy2DToArrayAsync(array, 0, 0, linear, row_bytes, row_bytes, size,
                                                                       cudaMemcpyDeviceToDevice, state().stream);
        if (const char* message = check(error, to_linear ? "cudaMemcpy2DFromArrayAsync" : "cudaMemcpy2DToArrayAsync"))
            return message;
    }
    return nullptr;
}

const char* load(Plan* plan) {
    return plan->desc.image ? copy_layers(*plan, true) : nullptr;
}

const char* store(Plan* plan) {
    return plan->desc.image ? copy_layers(*plan, false) : nullptr;
}

const char* transform(Plan* plan) {
    if (const char* error = injected("transform")) return error;
    const PlanDesc& desc = plan->desc;
    const int direction = desc.inverse ? CUFFT_INVERSE : CUFFT_FORWARD;
    const int runs = desc.complex_per_element == 2 ? desc.layers : 1;
    for (int run = 0; run < runs; ++run) {
        cufftComplex* data = plan->elements + static_cast<std::size_t>(run) * 2 * element_count(desc);
        if (const char* error = check(cufftExecC2C(plan->handle, data, data, direction), "cufftExecC2C")) return error;
    }
    return nullptr;
}

const char* unmap(Plan* plan) {
    if (!plan->mapped) return nullptr;
    if (const char* error = injected("unmap")) return error; // detach() does it then
    plan->mapped = false;
    return check(cudaGraphicsUnmapResources(1, &plan->resource, state().stream), "cudaGraphicsUnmapResources");
}

const char* create_event(Event** result) {
    *result = nullptr;
    auto event = std::make_unique<Event>();
    if (const char* error = check(cudaEventCreate(&event->event), "cudaEventCreate")) return error;
    *result = event.release();
    return nullptr;
}

void destroy_event(Event* event) {
    if (event == nullptr) return;
    if (cudaEventDestroy(event->event) != cudaSuccess) cudaGetLastError();
    delete event;
}

const char* record(Event* event) {
    const char* error = check(cudaEventRecord(event->event, state().stream), "cudaEventRecord");
    event->recorded = error == nullptr;
    return error;
}

bool passed(Event* event) {
    const cudaError_t result = cudaEventQuery(event->event);
    if (result == cudaSuccess) return true;
    cudaGetLastError();
    return result != cudaErrorNotReady;
}

const char* wait(Event* event) {
    return check(cudaEventSynchronize(event->event), "cudaEventSynchronize");
}

const char* elapsed(Event* begin, Event* end, float* milliseconds) {
    if (!begin->recorded || !end->recorded) return failure("cudaEventElapsedTime: an event was not recorded");
    return check(cudaEventElapsedTime(milliseconds, begin->event, end->event), "cudaEventElapsedTime");
}

const char* allocate(std::size_t bytes, void** address) {
    *address = nullptr;
    if (const char* error = injected("allocate")) return error;
    return check(cudaMalloc(address, bytes), "cudaMalloc");
}

/// Before something goes that work on the stream may still use.
void synchronize_quietly() {
    if (cudaStreamSynchronize(state().stream) != cudaSuccess) cudaGetLastError();
}

void free_address(void* address) {
    if (address == nullptr) return;
    synchronize_quietly();
    if (cudaFree(address) != cudaSuccess) cudaGetLastError();
}

const char* finish() {
    return check(cudaStreamSynchronize(state().stream), "cudaStreamSynchronize");
}

const char* copy(void* target, const void* source, std::size_t bytes, cudaMemcpyKind kind) {
    if (const char* error = check(cudaMemcpyAsync(target, source, bytes, kind, state().stream), "cudaMemcpyAsync"))
        return error;
    return finish();
}

const char* upload(void* address, const void* source, std::size_t bytes) {
    return copy(address, source, bytes, cudaMemcpyHostToDevice);
}

const char* download(const void* address, void* target, std::size_t bytes) {
    return copy(target, address, bytes, cudaMemcpyDeviceToHost);
}

const char* clear(void* address, std::size_t bytes) {
    return check(cudaMemsetAsync(address, 0, bytes, state().stream), "cudaMemsetAsync");
}

const char* use_memory(Plan* plan, void* address) {
    detach(plan);
    if (plan->desc.image) return failure("a plan for textures does not run on memory of CUDA's own");
    plan->elements = static_cast<cufftComplex*>(address);
    return nullptr;
}

#if SPINDRIFT_CUDA_LIBRARIES

/// With what the compiler in the driver says, where it says anything.
const char* check(cudaError_t error, const std::string& call, const KernelImage& image) {
    const char* message = check(error, call.c_str());
    if (message == nullptr || image.log.front() == '\0') return message;
    std::string log(image.log.data(), strnlen(image.log.data(), image.log.size()));
    std::replace(log.begin(), log.end(), '\n', ' ');
    return failure(std::string(message) + ": " + log);
}

void unload_image(KernelImage* image) {
    if (image == nullptr) return;
    synchronize_quietly();
    if (image->library != nullptr && cudaLibraryUnload(image->library) != cudaSuccess) cudaGetLastError();
    delete image;
}

const char* load_image(const void* content, KernelImage** result) {
    *result = nullptr;
    if (const char* error = injected("load_image")) return error;
    struct Deleter {
        void operator()(KernelImage* image) const { unload_image(image); }
    };
    std::unique_ptr<KernelImage, Deleter> image(new KernelImage);
    if (const char* error =
            check(cudaLibraryLoadData(&image->library, content, image->options.data(), image->values.data(),
                                      static_cast<unsigned>(image->options.size()), nullptr, nullptr, 0),
                  "cudaLibraryLoadData", *image)) {
        image->library = nullptr;
        return error;
    }
    *result = image.release();
    return nullptr;
}

const char* find_kernel(KernelImage* image, const char* name, Kernel** result) {
    *result = nullptr;
    cudaKernel_t kernel = nullptr;
    if (const char* error = check(cudaLibraryGetKernel(&kernel, image->library, name),
                                  std::string("cudaLibraryGetKernel ") + name, *image))
        return error;
    // Images may be loaded lazily. Asking for the attributes loads them now: no later launch waits for the compiler.
    cudaFuncAttributes attributes{};
    if (const char* error =
            check(cudaFuncGetAttributes(&attributes, kernel), std::string("cudaFuncGetAttributes ") + name, *image))
        return error;
    *result = reinterpret_cast<Kernel*>(kernel);
    return nullptr;
}

#else

// cudaLibraryLoadData is younger than the rest of what this module calls.
constexpr const char* too_old = "the CUDA toolkit of this build cannot load kernels: they need CUDA 12.8 or newer";

const char* load_image(const void*, KernelImage** result) {
    *result = nullptr;
    return failure(too_old);
}
void unload_image(KernelImage*) {}
const char* find_kernel(KernelImage*, const char*, Kernel** result) {
    *result = nullptr;
    return failure(too_old);
}

#endif

const char* launch(Kernel* kernel, const LaunchDesc* desc, const void* const* arguments) {
    if (const char* error = injected("launch")) return error;
    const dim3 groups(desc->groups[0], desc->groups[1], desc->groups[2]);
    const dim3 threads(desc->threads[0], desc->threads[1], desc->threads[2]);
    // CUDA reads the arguments only; its parameter is older than const.
    return check(cudaLaunchKernel(kernel, groups, threads, const_cast<void**>(arguments), 0, state().stream),
                 "cudaLaunchKernel");
}

void fail_next(const char* function) {
    state().failing = function;
}

} // namespace
} // namespace spindrift::fft::cuda

extern "C" __attribute__((visibility("default"))) const spindrift::fft::cuda::Interface* spindrift_cuda_interface() {
    using namespace spindrift::fft::cuda;
    static const Interface functions{.version = interface_version,
                                     .connect = connect,
                                     .free_memory = free_memory,
                                     .create_plan = create_plan,
                                     .destroy_plan = destroy_plan,
                                     .attach = attach,
                                     .detach = detach,
                                     .map = map,
                                     .load = load,
                                     .transform = transform,
                                     .store = store,
                                     .unmap = unmap,
                                     .create_event = create_event,
                                     .destroy_event = destroy_event,
                                     .record = record,
                                     .passed = passed,
                                     .wait = wait,
                                     .elapsed = elapsed,
                                     .allocate = allocate,
                                     .free = free_address,
                                     .upload = upload,
                                     .download = download,
                                     .clear = clear,
                                     .use_memory = use_memory,
                                     .load_image = load_image,
                                     .unload_image = unload_image,
                                     .find_kernel = find_kernel,
                                     .launch = launch,
                                     .finish = finish,
                                     .fail_next = fail_next};
    return &functions;
}
