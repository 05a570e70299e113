// Work that stays in CUDA: memory that OpenGL knows nothing of, a cuFFT plan on it, and kernels that the caller brings
// along as nvcc makes them. Everything runs on the stream of the CUDA module, in the order of the calls; OpenGL's work
// does not, so whoever times or shares must finish the one before the other begins.
//
// All of it throws CudaError: when CUDA is not connected, and for what CUDA refuses. Destroying never fails.
#pragma once

#include "fft/cuda_module.h"
#include "fft/transform.h"

#include <array>
#include <memory>
#include <span>
#include <string>
#include <type_traits>

namespace spindrift::fft::cuda {

/// Linear memory of the device; what is in it is undefined at first.
class CudaMemory {
public:
    /// `bytes` above zero.
    explicit CudaMemory(std::size_t bytes);

    std::size_t byte_count() const noexcept { return bytes_; }
    /// For kernels. Of no use to the CPU.
    void* address() const noexcept { return address_.get(); }

    /// From the beginning, at most byte_count(). Both wait for the stream.
    void upload(std::span<const std::byte> content);
    void download(std::span<std::byte> content) const;
    /// All bytes to zero.
    void clear();

private:
    // They keep the module's functions: what was made must be destroyed even when CUDA is no longer connected.
    struct Deleter {
        const Interface* functions = nullptr;
        void operator()(void* address) const noexcept { functions->free(address); }
    };

    const Interface* functions_;
    std::size_t bytes_;
    std::unique_ptr<void, Deleter> address_;
};

/// One kernel, borrowed from its image: of no use after that has gone.
class CudaKernel {
public:
    /// Queues it. The arguments are the kernel's parameters, byte for byte; of memory, its address().
    template <class... Arguments>
    void launch(const LaunchDesc& desc, const Arguments&... arguments) const {
        static_assert(sizeof...(Arguments) > 0 && (std::is_trivially_copyable_v<Arguments> && ...));
        const std::array<const void*, sizeof...(Arguments)> pointers{&arguments...};
        require(functions_->launch(kernel_, &desc, pointers.data()));
    }

private:
    friend class CudaKernelImage;
    CudaKernel(const Interface* functions, Kernel* kernel) : functions_(functions), kernel_(kernel) {}

    const Interface* functions_;
    Kernel* kernel_;
};

/// Kernels that were compiled together.
class CudaKernelImage {
public:
    /// `text` is PTX, which the driver compiles for its own GPU.
    explicit CudaKernelImage(const std::string& text);

    /// `name` is that of an extern "C" function. Loads it, so that no launch has to wait for the compiler.
    CudaKernel find(const std::string& name) const;

private:
    struct Deleter {
        const Interface* functions = nullptr;
        void operator()(KernelImage* image) const noexcept { functions->unload_image(image); }
    };

    const Interface* functions_;
    std::unique_ptr<KernelImage, Deleter> image_;
};

/// A cuFFT plan on CUDA's own memory, which it borrows.
class CudaMemoryPlan {
public:
    /// `desc` is of storage buffer and unscaled; `memory` holds its byte_count() and outlives the plan.
    CudaMemoryPlan(const TransformDesc& desc, const CudaMemory& memory);

    /// Queues the transform, in place.
    void execute();

private:
    struct Deleter {
        const Interface* functions = nullptr;
        void operator()(Plan* plan) const noexcept { functions->destroy_plan(plan); }
    };

    const Interface* functions_;
    std::unique_ptr<Plan, Deleter> plan_;
};

/// A moment on the stream.
class CudaTimestamp {
public:
    CudaTimestamp();

    void record(); ///< the GPU takes the time when it gets here
    /// Both recorded, this one later. Waits for it.
    double microseconds_since(const CudaTimestamp& begin) const;

private:
    struct Deleter {
        const Interface* functions = nullptr;
        void operator()(Event* event) const noexcept { functions->destroy_event(event); }
    };

    const Interface* functions_;
    std::unique_ptr<Event, Deleter> event_;
};

/// Waits for everything that is on the stream.
void finish();

} // namespace spindrift::fft::cuda
