// What the current context's device is and what it allows. Plain data, so that planners can be tested with invented
// limits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace spindrift::gl {

/// CUDA on the GPU that the context draws with, as the part of the program that looks for it found it.
struct CudaInterop {
    bool available = false;
    std::string reason = "CUDA was not looked for"; ///< why it is not available
    std::string device;                             ///< its name, when it is
    std::string driver, runtime, cufft;             ///< versions: "13.0", "13.0", "12000"
};

struct DeviceLimits {
    int max_group_invocations = 1024;
    std::array<int, 3> max_group_size{1024, 1024, 64};
    std::array<int, 3> max_group_count{65535, 65535, 65535};
    int max_shared_memory_bytes = 32768;
    int max_texture_size = 16384;
    int max_array_layers = 2048;
    std::size_t max_storage_block_bytes = std::size_t{1} << 27;
    int max_compute_image_uniforms = 8;
    int timestamp_bits = 64;        ///< 0 = the device has no timestamps
    bool software_renderer = false; ///< as in DeviceInfo: a CPU, on which other kernels are fast
    CudaInterop cuda;
};

struct DeviceInfo {
    std::string vendor;
    std::string renderer;
    std::string version; ///< GL_VERSION, driver version included
    std::string glsl_version;
    bool software_renderer = false; ///< llvmpipe, softpipe or SWR: correct, but slow
    bool debug_context = false;
    std::vector<std::uint32_t> program_binary_formats; ///< empty = the driver does not give its linked programs away
    DeviceLimits limits;
};

/// Reads the current context.
DeviceInfo query_device();

/// Returns the names of the GL errors that are pending and clears them; empty when there are none.
std::string drain_errors();

/// glMemoryBarrier with the bits that make compute writes visible to what comes next.
enum class Visibility : std::uint32_t {
    image = 0x20,         ///< later imageLoad / imageStore
    texture_fetch = 0x08, ///< later texture(), texelFetch()
    storage_buffer = 0x2000,
    texture_update = 0x100, ///< later glGetTexImage, glTexSubImage
    buffer_update = 0x200,
    framebuffer = 0x400,
};
constexpr Visibility operator|(Visibility a, Visibility b) noexcept {
    return static_cast<Visibility>(static_cast<std::uint32_t>(a) | static_cast<std::uint32_t>(b));
}
void memory_barrier(Visibility visibility);
void finish(); ///< waits for all GPU work; never called inside a frame

/// Messages of KHR_debug, counted by severity since install_debug_output().
struct DebugCounts {
    std::uint64_t high = 0, medium = 0, low = 0, notification = 0;
    std::uint64_t errors = 0; ///< messages of type GL_DEBUG_TYPE_ERROR, whatever their severity
};
/// Sends driver messages to spdlog. `synchronous` makes the offending call's stack visible in a debugger.
void install_debug_output(bool synchronous);
DebugCounts debug_counts() noexcept;

} // namespace spindrift::gl
