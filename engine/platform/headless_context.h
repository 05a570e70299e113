// An OpenGL 4.5 core context without a window or display, through EGL. Never touches GLFW.
#pragma once

#include "engine/gl/device.h"

#include <memory>
#include <string>

namespace spindrift::platform {

struct HeadlessContextDesc {
    bool debug = false; ///< ask for a debug context and synchronous messages
};

/// Tries NVIDIA's (or any vendor's) EGL devices first, then Mesa's surfaceless platform.
/// Throws Error(no_gpu) that says what was tried and what each attempt answered.
class HeadlessContext {
public:
    explicit HeadlessContext(const HeadlessContextDesc& desc = {});
    ~HeadlessContext();
    HeadlessContext(const HeadlessContext&) = delete;
    HeadlessContext& operator=(const HeadlessContext&) = delete;

    const gl::DeviceInfo& device() const noexcept { return device_; }
    /// "EGL device 0 (EGL_NV_device_cuda ...)" or "EGL surfaceless (Mesa)".
    const std::string& platform() const noexcept { return platform_; }

private:
    struct Implementation;
    std::unique_ptr<Implementation> implementation_;
    gl::DeviceInfo device_;
    std::string platform_;
};

} // namespace spindrift::platform
