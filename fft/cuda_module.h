// Finds, loads and pairs the CUDA module (fft/cuda), which has cuFFT. Without it, or without what it needs, the program
// runs and says why there is no cufft.
#pragma once

#include "engine/error.h"
#include "engine/gl/device.h"
#include "engine/platform/context.h"
#include "engine/profiler/time_source.h"
#include "fft/cuda/interface.h"

#include <filesystem>
#include <memory>
#include <string>

namespace spindrift::fft::cuda {

/// What CUDA refused. The transform that threw it is of no more use; OpenGL is unharmed.
class CudaError : public Error {
public:
    using Error::Error;
};

/// What was found out on the way, as far as it went.
struct Connection {
    gl::CudaInterop interop;      ///< whether cufft can run, or why not
    std::filesystem::path module; ///< the loaded module; empty when there is none
    DeviceFacts facts;
};

/// Loads the module if it is not loaded yet and pairs CUDA with `context`, which must be current. The result's
/// `interop` is also put into the context's device limits: that is where why_unavailable() looks. Never throws for what
/// is missing.
Connection connect(platform::Context& context);

/// The connected module's functions. Throws CudaError when connect() has not succeeded.
const Interface& module_functions();

/// Throws CudaError with `message` unless it is null.
void require(const char* message);

/// Free memory of the device, bytes.
std::size_t free_memory();

/// CUDA events on the stream that transforms run on, for Profiler::add_source(). Named "CUDA".
std::unique_ptr<profiler::TimeSource> make_time_source();

/// "13.0" of CUDA's 13000.
std::string version_text(int version);

} // namespace spindrift::fft::cuda
