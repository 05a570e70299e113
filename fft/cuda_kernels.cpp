#include "fft/cuda_kernels.h"

#include <cassert>
#include <fmt/format.h>

namespace spindrift::fft::cuda {
namespace {

/// Throws CudaError with `message`, after what it is about, unless it is null.
void require_of(const std::string& object, const char* message) {
    if (message != nullptr) throw CudaError(fmt::format("{}: {}", object, message));
}

} // namespace

CudaMemory::CudaMemory(std::size_t bytes)
    : functions_(&module_functions()), bytes_(bytes), address_(nullptr, {functions_}) {
    assert(bytes > 0);
    void* address = nullptr;
    require_of(fmt::format("{} bytes of CUDA memory", bytes), functions_->allocate(bytes, &address));
    address_.reset(address);
}

void CudaMemory::upload(std::span<const std::byte> content) {
    assert(content.size() <= bytes_);
    require(functions_->upload(address(), content.data(), content.size()));
}

void CudaMemory::download(std::span<std::byte> content) const {
    assert(content.size() <= bytes_);
    require(functions_->download(address(), content.data(), content.size()));
}

void CudaMemory::clear() {
    require(functions_->clear(address(), bytes_));
}

CudaKernelImage::CudaKernelImage(const std::string& text)
    : functions_(&module_functions()), image_(nullptr, {functions_}) {
    KernelImage* image = nullptr;
    require_of("image of CUDA kernels", functions_->load_image(text.c_str(), &image));
    image_.reset(image);
}

CudaKernel CudaKernelImage::find(const std::string& name) const {
    Kernel* kernel = nullptr;
    require_of(fmt::format("CUDA kernel {}", name), functions_->find_kernel(image_.get(), name.c_str(), &kernel));
    return {functions_, kernel};
}

CudaMemoryPlan::CudaMemoryPlan(const TransformDesc& desc, const CudaMemory& memory)
    : functions_(&module_functions()), plan_(nullptr, {functions_}) {
    assert(desc.storage == Storage::buffer && desc.scaling == Scaling::none);
    assert(memory.byte_count() >= fft::byte_count(desc));
    const PlanDesc wanted{.size = desc.size,
                          .layers = desc.layers,
                          .complex_per_element = complex_per_texel(desc.packing),
                          .inverse = desc.direction == Direction::inverse,
                          .image = false};
    Plan* plan = nullptr;
    require_of(fmt::format("cuFFT plan of size {}", desc.size), functions_->create_plan(&wanted, &plan));
    plan_.reset(plan);
    require(functions_->use_memory(plan, memory.address()));
}

void CudaMemoryPlan::execute() {
    require(functions_->transform(plan_.get()));
}

CudaTimestamp::CudaTimestamp() : functions_(&module_functions()), event_(nullptr, {functions_}) {
    Event* event = nullptr;
    require(functions_->create_event(&event));
    event_.reset(event);
}

void CudaTimestamp::record() {
    require(functions_->record(event_.get()));
}

double CudaTimestamp::microseconds_since(const CudaTimestamp& begin) const {
    float milliseconds = 0.0F;
    require(functions_->wait(event_.get()));
    require(functions_->elapsed(begin.event_.get(), event_.get(), &milliseconds));
    return static_cast<double>(milliseconds) * 1e3;
}

void finish() {
    require(module_functions().finish());
}

} // namespace spindrift::fft::cuda
