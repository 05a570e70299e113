// An OpenGL 4.5 core context, with a window (window.h) or without (headless_context.h).
#pragma once

#include "engine/gl/device.h"

#include <string>
#include <utility>

namespace spindrift::platform {

/// Pixels of a framebuffer or points of a window. Both are zero while a window is minimised on some systems.
struct Extent {
    int width = 0;
    int height = 0;
    bool empty() const noexcept { return width <= 0 || height <= 0; }
    friend bool operator==(const Extent&, const Extent&) = default;
};

/// Makes itself current when it is created. GL objects must be destroyed before their context.
class Context {
public:
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;
    virtual ~Context() = default;

    const gl::DeviceInfo& device() const noexcept { return device_; }
    /// What was found out about CUDA on this context's GPU goes into device().limits.
    void set_cuda(gl::CudaInterop cuda) { device_.limits.cuda = std::move(cuda); }
    /// What made the context, for reports: "window (GLFW 3.3.8 X11 ...)", "EGL device 0 (NVIDIA)".
    const std::string& platform() const noexcept { return platform_; }

    virtual void make_current() = 0;
    /// Shows the frame. Does nothing without a window.
    virtual void swap() = 0;
    /// Size of what is drawn, in pixels.
    virtual Extent framebuffer_size() const = 0;

protected:
    using Procedure = void (*)();
    using Loader = Procedure (*)(const char* name);

    Context() = default;
    /// Loads the entry points of the context that was just made current, checks its version and reads its device.
    /// Throws Error(no_gpu) naming the version found when it is below 4.5.
    void adopt_current(Loader loader, bool debug, std::string platform);

    /// "4.1 (GL_VERSION, GL_RENDERER)" of whatever context is current, before any entry point is loaded.
    static std::string describe_current(Loader loader);

private:
    gl::DeviceInfo device_;
    std::string platform_;
};

} // namespace spindrift::platform
