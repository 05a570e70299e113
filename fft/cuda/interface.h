// What the program and its CUDA module say to each other: C functions and plain data, so that the module can be left
// out, be loaded at run time, or fail to load, without the program having a symbol of CUDA's.
//
// Every function that can fail returns null, or a message that is valid until the next call. All are called from the
// thread that the OpenGL context is current on.
#pragma once

#include <cstddef>

namespace spindrift::fft::cuda {

inline constexpr int interface_version = 2;
inline constexpr const char* interface_symbol = "spindrift_cuda_interface";

/// Of the CUDA device that is the GPU of the current OpenGL context. Versions are CUDA's: 13000 is 13.0.
struct DeviceFacts {
    int driver_version = 0, runtime_version = 0, cufft_version = 0;
    int ordinal = -1;
    char name[256] = {};
    char pci_bus[32] = {};
    std::size_t memory_bytes = 0;
};

/// A batch of size x size complex transforms in place. complex_per_element 1: `layers` planar fields one after the
/// other, one batched plan. 2: two fields interleaved element by element in each layer, a plan of stride 2 run once a
/// layer.
struct PlanDesc {
    int size = 0;
    int layers = 0;
    int complex_per_element = 1;
    bool inverse = true;
    bool image = false; ///< the data is a 2D array texture: it is copied to linear memory and back
};

/// Work groups of a launch and threads of a group, in x, y and z.
struct LaunchDesc {
    unsigned groups[3] = {1, 1, 1};
    unsigned threads[3] = {1, 1, 1};
};

struct Plan;
struct Event;
struct KernelImage;
struct Kernel;

struct Interface {
    int version;

    /// Pairs CUDA with the current context and fills in what is found out, also when it fails on the way.
    const char* (*connect)(DeviceFacts* facts);
    /// Free memory of the device, bytes.
    const char* (*free_memory)(std::size_t* bytes);

    const char* (*create_plan)(const PlanDesc* desc, Plan** plan);
    void (*destroy_plan)(Plan* plan); ///< detaches first; never fails
    /// Registers a buffer or a texture, by its OpenGL name, as the plan's data.
    const char* (*attach)(Plan* plan, unsigned data);
    void (*detach)(Plan* plan);

    /// From OpenGL to CUDA and back, in the order of these five. load and store do nothing where the data is a buffer.
    const char* (*map)(Plan* plan);
    const char* (*load)(Plan* plan);
    const char* (*transform)(Plan* plan);
    const char* (*store)(Plan* plan);
    const char* (*unmap)(Plan* plan);

    /// Timestamps on the stream that plans run on.
    const char* (*create_event)(Event** event);
    void (*destroy_event)(Event* event);
    const char* (*record)(Event* event);
    bool (*passed)(Event* event); ///< also after an error, so that nobody waits for ever
    const char* (*wait)(Event* event);
    const char* (*elapsed)(Event* begin, Event* end, float* milliseconds);

    /// Memory of the device that OpenGL knows nothing of. Copies and clears come after everything that is on the stream
    /// already; the copies wait for it and are done when they return. `bytes` is above zero.
    const char* (*allocate)(std::size_t bytes, void** address);
    void (*free)(void* address); ///< waits for the stream first; never fails
    const char* (*upload)(void* address, const void* source, std::size_t bytes);
    const char* (*download)(const void* address, void* target, std::size_t bytes);
    const char* (*clear)(void* address, std::size_t bytes); ///< to zero bytes
    /// The plan's data from now on, in place of OpenGL's: transform() is then to be called by itself. Not of image
    /// plans.
    const char* (*use_memory)(Plan* plan, void* address);

    /// Kernels of the caller's: an image as nvcc makes it, PTX that ends with a zero or a fatbin. A kernel is compiled
    /// and loaded by find_kernel, and lives as long as its image.
    const char* (*load_image)(const void* content, KernelImage** image);
    void (*unload_image)(KernelImage* image); ///< waits for the stream first; never fails
    const char* (*find_kernel)(KernelImage* image, const char* name, Kernel** kernel);
    /// On the stream that plans run on. `arguments` points to the value of each parameter; they are copied.
    const char* (*launch)(Kernel* kernel, const LaunchDesc* desc, const void* const* arguments);
    /// Waits for everything that is on the stream.
    const char* (*finish)();

    /// For tests: the next call of this name ("attach", "transform", "allocate", ...) fails as if CUDA had refused it.
    void (*fail_next)(const char* function);
};

using GetInterface = const Interface* (*)();

} // namespace spindrift::fft::cuda
