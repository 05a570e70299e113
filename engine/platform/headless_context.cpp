#include "engine/platform/headless_context.h"

#include "engine/error.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <glad/egl.h>
#include <map>
#include <string_view>
#include <vector>

namespace spindrift::platform {

namespace {

/// EGL hands out one display for each platform and ends all its contexts at the first eglTerminate().
std::map<EGLDisplay, int>& display_users() {
    static std::map<EGLDisplay, int> users;
    return users;
}

} // namespace

struct HeadlessContext::Implementation {
    explicit Implementation(EGLDisplay egl_display) : display(egl_display) { ++display_users()[display]; }
    Implementation(const Implementation&) = delete;
    Implementation& operator=(const Implementation&) = delete;
    ~Implementation() {
        if (display == EGL_NO_DISPLAY) return;
        if (context != EGL_NO_CONTEXT) {
            if (eglGetCurrentContext() == context)
                eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
            eglDestroyContext(display, context);
        }
        if (--display_users()[display] == 0) eglTerminate(display);
    }

    EGLDisplay display;
    EGLContext context = EGL_NO_CONTEXT;
};

namespace {

struct Candidate {
    EGLDisplay display;
    std::string name;
};

bool has_extension(const char* list, std::string_view name) {
    return list != nullptr && std::string_view(list).find(name) != std::string_view::npos;
}

/// Hardware devices, those with CUDA (NVIDIA's) first: on a laptop with two GPUs the other one cannot run cuFFT.
void append_devices(std::vector<Candidate>& found) {
    std::array<EGLDeviceEXT, 16> devices{};
    EGLint count = 0;
    // A driver without its device answers EGL_FALSE here: then only the surfaceless platform is left.
    if (eglQueryDevicesEXT(static_cast<EGLint>(devices.size()), devices.data(), &count) != EGL_TRUE) return;
    for (const bool want_cuda : {true, false}) {
        for (EGLint index = 0; index < count; ++index) {
            EGLDeviceEXT device = devices[static_cast<std::size_t>(index)];
            const char* extensions = eglQueryDeviceStringEXT(device, EGL_EXTENSIONS);
            if (has_extension(extensions, "EGL_MESA_device_software")) continue; // surfaceless does the same
            if (has_extension(extensions, "EGL_NV_device_cuda") != want_cuda) continue;
            found.push_back({eglGetPlatformDisplayEXT(EGL_PLATFORM_DEVICE_EXT, device, nullptr),
                             fmt::format("EGL device {}", index)});
        }
    }
}

/// Every display that could carry a headless context, in the order of trying.
std::vector<Candidate> candidates() {
    std::vector<Candidate> found;
    if (eglGetPlatformDisplayEXT == nullptr) return found;
    const char* client_extensions = eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
    if (has_extension(client_extensions, "EGL_EXT_platform_device") && eglQueryDevicesEXT != nullptr &&
        eglQueryDeviceStringEXT != nullptr)
        append_devices(found);
    if (has_extension(client_extensions, "EGL_MESA_platform_surfaceless"))
        found.push_back(
            {eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr), "EGL surfaceless"});
    return found;
}

EGLContext create_core_context(EGLDisplay display, EGLConfig config, bool debug) {
    const std::array<EGLint, 9> attributes{EGL_CONTEXT_MAJOR_VERSION,
                                           4,
                                           EGL_CONTEXT_MINOR_VERSION,
                                           5,
                                           EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                           EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                           EGL_CONTEXT_OPENGL_DEBUG,
                                           debug ? EGL_TRUE : EGL_FALSE,
                                           EGL_NONE};
    return eglCreateContext(display, config, EGL_NO_CONTEXT, attributes.data());
}

/// What the driver gives when no version is asked for, so that a refusal can name it. Empty when it gives nothing.
template <typename Describe>
std::string offered_version(EGLDisplay display, EGLConfig config, Describe describe) {
    EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, nullptr);
    if (context == EGL_NO_CONTEXT) return {};
    std::string version;
    if (eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context) == EGL_TRUE) version = describe();
    eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglDestroyContext(display, context);
    return version;
}

/// Makes a current 4.5 core context on `display`; returns what went wrong, empty on success.
template <typename Describe>
std::string create_context(EGLDisplay display, bool debug, EGLContext& context, Describe describe) {
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
    context = create_core_context(display, config, debug);
    if (context == EGL_NO_CONTEXT) {
        const EGLint code = eglGetError();
        const std::string offered = offered_version(display, config, describe);
        if (!offered.empty()) return fmt::format("OpenGL 4.5 core is needed, found {}", offered);
        return fmt::format("no OpenGL 4.5 core context (eglCreateContext: {:#06x})", code);
    }
    if (eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context) != EGL_TRUE)
        return fmt::format("eglMakeCurrent without a surface failed ({:#06x})", eglGetError());
    return {};
}

} // namespace

HeadlessContext::HeadlessContext(const HeadlessContextDesc& desc) : size_(desc.size) {
    if (gladLoaderLoadEGL(EGL_NO_DISPLAY) == 0)
        throw Error(ExitCode::no_gpu, "no headless OpenGL: libEGL.so.1 could not be loaded (Debian package libegl1)");
    std::string attempts, name;
    for (const Candidate& candidate : candidates()) {
        implementation_ = std::make_unique<Implementation>(candidate.display);
        const std::string problem = create_context(candidate.display, desc.debug, implementation_->context,
                                                   [] { return describe_current(eglGetProcAddress); });
        if (problem.empty()) {
            const char* vendor = eglQueryString(candidate.display, EGL_VENDOR);
            name = fmt::format("{} ({})", candidate.name, vendor == nullptr ? "unknown vendor" : vendor);
            break;
        }
        attempts += fmt::format("\n  {}: {}", candidate.name, problem);
    }
    if (name.empty())
        throw Error(ExitCode::no_gpu,
                    fmt::format("no headless OpenGL 4.5 context{}",
                                attempts.empty() ? ": EGL offers neither devices nor Mesa's surfaceless platform"
                                                 : "; tried:" + attempts));
    adopt_current(eglGetProcAddress, desc.debug, std::move(name));
}

HeadlessContext::~HeadlessContext() = default;

void HeadlessContext::make_current() {
    if (eglMakeCurrent(implementation_->display, EGL_NO_SURFACE, EGL_NO_SURFACE, implementation_->context) != EGL_TRUE)
        throw Error(fmt::format("{}: eglMakeCurrent failed ({:#06x})", platform(), eglGetError()));
}

} // namespace spindrift::platform
