#include "engine/platform/headless_context.h"

#include "engine/error.h"
#include "engine/gl/gl.h"

#include <array>
#include <fmt/format.h>
#include <glad/egl.h>
#include <spdlog/spdlog.h>
#include <string_view>
#include <vector>

namespace spindrift::platform {

struct HeadlessContext::Implementation {
    EGLDisplay display = EGL_NO_DISPLAY;
    EGLContext context = EGL_NO_CONTEXT;

    ~Implementation() {
        if (display == EGL_NO_DISPLAY) return;
        eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
        if (context != EGL_NO_CONTEXT) eglDestroyContext(display, context);
        eglTerminate(display);
    }
};

namespace {

struct Candidate {
    EGLDisplay display;
    std::string name;
};

bool has_extension(const char* list, std::string_view name) {
    return list != nullptr && std::string_view(list).find(name) != std::string_view::npos;
}

/// Every display that could carry a headless context, hardware first.
std::vector<Candidate> candidates() {
    std::vector<Candidate> found;
    const char* client_extensions = eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
    if (eglGetPlatformDisplayEXT == nullptr) return found;
    if (has_extension(client_extensions, "EGL_EXT_platform_device") && eglQueryDevicesEXT != nullptr) {
        std::array<EGLDeviceEXT, 16> devices{};
        EGLint count = 0;
        // A driver without its device answers EGL_FALSE here: then only the surfaceless platform is left.
        if (eglQueryDevicesEXT(static_cast<EGLint>(devices.size()), devices.data(), &count) == EGL_TRUE) {
            for (EGLint index = 0; index < count; ++index) {
                const char* extensions =
                    eglQueryDeviceStringEXT(devices[static_cast<std::size_t>(index)], EGL_EXTENSIONS);
                if (has_extension(extensions, "EGL_MESA_device_software")) continue; // surfaceless does the same
                found.push_back({eglGetPlatformDisplayEXT(EGL_PLATFORM_DEVICE_EXT,
                                                          devices[static_cast<std::size_t>(index)], nullptr),
                                 fmt::format("EGL device {}", index)});
            }
        }
    }
    if (has_extension(client_extensions, "EGL_MESA_platform_surfaceless"))
        found.push_back({eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr),
                         "EGL surfaceless (Mesa)"});
    return found;
}

/// Makes a current 4.5 core context on `display`; returns what went wrong, empty on success.
std::string create_context(EGLDisplay display, bool debug, EGLContext& context) {
    if (display == EGL_NO_DISPLAY) return "no display";
    EGLint major = 0, minor = 0;
    if (eglInitialize(display, &major, &minor) != EGL_TRUE)
        return fmt::format("eglInitialize failed ({:#06x})", eglGetError());
    // Before eglInitialize the loader could only see EGL 1.0; eglBindAPI came later.
    if (gladLoaderLoadEGL(display) == 0 || eglBindAPI == nullptr)
        return fmt::format("EGL {}.{} is too old: 1.5 is needed", major, minor);
    if (eglBindAPI(EGL_OPENGL_API) != EGL_TRUE) return "no desktop OpenGL";
    const std::array<EGLint, 5> config_attributes{EGL_SURFACE_TYPE, 0, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE};
    EGLConfig config = nullptr;
    EGLint config_count = 0;
    if (eglChooseConfig(display, config_attributes.data(), &config, 1, &config_count) != EGL_TRUE || config_count == 0)
        return "no configuration for desktop OpenGL";
    const std::array<EGLint, 9> context_attributes{EGL_CONTEXT_MAJOR_VERSION,
                                                   4,
                                                   EGL_CONTEXT_MINOR_VERSION,
                                                   5,
                                                   EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                                   EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                                   EGL_CONTEXT_OPENGL_DEBUG,
                                                   debug ? EGL_TRUE : EGL_FALSE,
                                                   EGL_NONE};
    context = eglCreateContext(display, config, EGL_NO_CONTEXT, context_attributes.data());
    if (context == EGL_NO_CONTEXT)
        return fmt::format("no OpenGL 4.5 core context (eglCreateContext: {:#06x})", eglGetError());
    if (eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context) != EGL_TRUE)
        return fmt::format("eglMakeCurrent without a surface failed ({:#06x})", eglGetError());
    return {};
}

} // namespace

HeadlessContext::HeadlessContext(const HeadlessContextDesc& desc)
    : implementation_(std::make_unique<Implementation>()) {
    if (gladLoaderLoadEGL(EGL_NO_DISPLAY) == 0)
        throw Error(ExitCode::no_gpu, "no headless OpenGL: libEGL.so.1 could not be loaded (Debian package libegl1)");
    std::string attempts;
    for (const Candidate& candidate : candidates()) {
        implementation_->display = candidate.display;
        // The display's own extensions and EGL version are known only after its initialisation.
        const std::string problem = create_context(candidate.display, desc.debug, implementation_->context);
        if (problem.empty()) {
            platform_ = candidate.name;
            break;
        }
        attempts += fmt::format("\n  {}: {}", candidate.name, problem);
        implementation_ = std::make_unique<Implementation>();
    }
    if (platform_.empty())
        throw Error(ExitCode::no_gpu,
                    fmt::format("no headless OpenGL 4.5 context{}",
                                attempts.empty() ? ": EGL offers neither devices nor Mesa's surfaceless platform"
                                                 : "; tried:" + attempts));
    if (gladLoadGL(reinterpret_cast<GLADloadfunc>(eglGetProcAddress)) == 0)
        throw Error(ExitCode::no_gpu, "the OpenGL entry points could not be loaded");
    if (desc.debug) gl::install_debug_output(true);
    device_ = gl::query_device();
    spdlog::debug("{}: {} {}", platform_, device_.renderer, device_.version);
}

HeadlessContext::~HeadlessContext() = default;

} // namespace spindrift::platform
