#include "engine/platform/context.h"

#include "engine/error.h"
#include "engine/gl/gl.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <utility>

namespace spindrift::platform {

std::string Context::describe_current(Loader loader) {
    const auto get_string = reinterpret_cast<PFNGLGETSTRINGPROC>(loader("glGetString"));
    if (get_string == nullptr) return "unknown";
    const auto text = [&](GLenum name) {
        const auto* characters = reinterpret_cast<const char*>(get_string(name));
        return std::string(characters == nullptr ? "unknown" : characters);
    };
    return fmt::format("{} ({})", text(GL_VERSION), text(GL_RENDERER));
}

void Context::adopt_current(Loader loader, bool debug, std::string platform) {
    if (gladLoadGL(reinterpret_cast<GLADloadfunc>(loader)) == 0)
        throw Error(ExitCode::no_gpu, fmt::format("{}: the OpenGL entry points could not be loaded", platform));
    GLint major = 0, minor = 0;
    glGetIntegerv(GL_MAJOR_VERSION, &major);
    glGetIntegerv(GL_MINOR_VERSION, &minor);
    if (major < 4 || (major == 4 && minor < 5))
        throw Error(ExitCode::no_gpu,
                    fmt::format("{}: OpenGL 4.5 is needed, found {}", platform, describe_current(loader)));
    // Messages are asynchronous unless somebody debugs: a synchronous driver serialises its own threads.
    gl::install_debug_output(debug);
    device_ = gl::query_device();
    platform_ = std::move(platform);
    spdlog::debug("{}: {} {}", platform_, device_.renderer, device_.version);
}

} // namespace spindrift::platform
