// An OpenGL 4.5 core context without a window or display, through EGL. Never touches GLFW, which cannot start without a
// display.
#pragma once

#include "engine/platform/context.h"

#include <memory>

namespace spindrift::platform {

struct HeadlessContextDesc {
    bool debug = false;     ///< ask for a debug context and synchronous messages
    Extent size{1280, 720}; ///< what framebuffer_size() answers; the context itself has no framebuffer
};

/// Tries EGL devices first, those of NVIDIA before others, then Mesa's surfaceless platform.
/// Throws Error(no_gpu) that says what was tried and what each attempt answered, the version found included.
class HeadlessContext final : public Context {
public:
    explicit HeadlessContext(const HeadlessContextDesc& desc = {});
    ~HeadlessContext() override;

    void make_current() override;
    void swap() override {}
    Extent framebuffer_size() const override { return size_; }

private:
    struct Implementation;
    std::unique_ptr<Implementation> implementation_;
    Extent size_;
};

} // namespace spindrift::platform
