#include "engine/gl/device.h"

#include "engine/gl/gl.h"

#include <atomic>
#include <spdlog/spdlog.h>
#include <string_view>

namespace spindrift::gl {
namespace {

std::atomic<std::uint64_t> high_count{0}, medium_count{0}, low_count{0}, notification_count{0}, error_count{0};

std::string text(GLenum name) {
    const auto* characters = reinterpret_cast<const char*>(glGetString(name));
    return characters == nullptr ? std::string{} : std::string{characters};
}

int integer(GLenum name) {
    GLint value = 0;
    glGetIntegerv(name, &value);
    return value;
}

std::array<int, 3> indexed_integers(GLenum name) {
    std::array<int, 3> values{};
    for (GLuint axis = 0; axis < 3; ++axis) glGetIntegeri_v(name, axis, &values[axis]);
    return values;
}

bool is_software(std::string_view renderer) {
    for (const std::string_view name : {"llvmpipe", "softpipe", "SWR", "swrast"})
        if (renderer.find(name) != std::string_view::npos) return true;
    return false;
}

/// NVIDIA reports where it placed each buffer (131185): no finding, and one line for every buffer.
constexpr GLuint nvidia_buffer_placement = 131185;

void GLAD_API_PTR on_debug_message(GLenum source, GLenum type, GLuint id, GLenum severity, GLsizei length,
                                   const GLchar* message, const void* /*user*/) {
    if (id == nvidia_buffer_placement) return;
    if (type == GL_DEBUG_TYPE_PUSH_GROUP || type == GL_DEBUG_TYPE_POP_GROUP) return;
    // Program reports these itself, with file names; a typo in a shader is no misuse of OpenGL.
    if (source == GL_DEBUG_SOURCE_SHADER_COMPILER) return;
    const std::string_view body(message, static_cast<std::size_t>(length));
    if (type == GL_DEBUG_TYPE_ERROR) ++error_count;
    switch (severity) {
    case GL_DEBUG_SEVERITY_HIGH:
        ++high_count;
        spdlog::error("GL: {}", body);
        break;
    case GL_DEBUG_SEVERITY_MEDIUM:
        ++medium_count;
        spdlog::warn("GL: {}", body);
        break;
    case GL_DEBUG_SEVERITY_LOW:
        ++low_count;
        spdlog::info("GL: {}", body);
        break;
    default:
        ++notification_count;
        spdlog::debug("GL: {}", body);
        break;
    }
}

std::vector<std::uint32_t> program_binary_formats() {
    std::vector<GLint> formats(static_cast<std::size_t>(integer(GL_NUM_PROGRAM_BINARY_FORMATS)));
    if (!formats.empty()) glGetIntegerv(GL_PROGRAM_BINARY_FORMATS, formats.data());
    return {formats.begin(), formats.end()};
}

} // namespace

DeviceInfo query_device() {
    DeviceInfo info;
    info.vendor = text(GL_VENDOR);
    info.renderer = text(GL_RENDERER);
    info.version = text(GL_VERSION);
    info.glsl_version = text(GL_SHADING_LANGUAGE_VERSION);
    info.software_renderer = info.limits.software_renderer = is_software(info.renderer);
    info.debug_context = (integer(GL_CONTEXT_FLAGS) & GL_CONTEXT_FLAG_DEBUG_BIT) != 0;

    info.program_binary_formats = program_binary_formats();

    DeviceLimits& limits = info.limits;
    limits.max_group_invocations = integer(GL_MAX_COMPUTE_WORK_GROUP_INVOCATIONS);
    limits.max_group_size = indexed_integers(GL_MAX_COMPUTE_WORK_GROUP_SIZE);
    limits.max_group_count = indexed_integers(GL_MAX_COMPUTE_WORK_GROUP_COUNT);
    limits.max_shared_memory_bytes = integer(GL_MAX_COMPUTE_SHARED_MEMORY_SIZE);
    limits.max_texture_size = integer(GL_MAX_TEXTURE_SIZE);
    limits.max_array_layers = integer(GL_MAX_ARRAY_TEXTURE_LAYERS);
    GLint64 block_bytes = 0;
    glGetInteger64v(GL_MAX_SHADER_STORAGE_BLOCK_SIZE, &block_bytes);
    limits.max_storage_block_bytes = static_cast<std::size_t>(block_bytes);
    limits.max_compute_image_uniforms = integer(GL_MAX_COMPUTE_IMAGE_UNIFORMS);
    GLint bits = 0;
    glGetQueryiv(GL_TIMESTAMP, GL_QUERY_COUNTER_BITS, &bits);
    limits.timestamp_bits = bits;
    return info;
}

std::string drain_errors() {
    std::string names;
    // A lost context may report an error for ever; 32 are enough to say what happened.
    for (int count = 0; count < 32; ++count) {
        const char* name = nullptr;
        switch (glGetError()) {
        case GL_NO_ERROR:
            return names;
        case GL_INVALID_ENUM:
            name = "GL_INVALID_ENUM";
            break;
        case GL_INVALID_VALUE:
            name = "GL_INVALID_VALUE";
            break;
        case GL_INVALID_OPERATION:
            name = "GL_INVALID_OPERATION";
            break;
        case GL_INVALID_FRAMEBUFFER_OPERATION:
            name = "GL_INVALID_FRAMEBUFFER_OPERATION";
            break;
        case GL_OUT_OF_MEMORY:
            name = "GL_OUT_OF_MEMORY";
            break;
        case GL_CONTEXT_LOST:
            name = "GL_CONTEXT_LOST";
            break;
        default:
            name = "unknown GL error";
            break;
        }
        if (!names.empty()) names += ", ";
        names += name;
    }
    return names;
}

void memory_barrier(Visibility visibility) {
    glMemoryBarrier(static_cast<GLbitfield>(visibility));
}

void finish() {
    glFinish();
}

void install_debug_output(bool synchronous) {
    glEnable(GL_DEBUG_OUTPUT);
    if (synchronous)
        glEnable(GL_DEBUG_OUTPUT_SYNCHRONOUS);
    else
        glDisable(GL_DEBUG_OUTPUT_SYNCHRONOUS);
    glDebugMessageCallback(on_debug_message, nullptr);
    glDebugMessageControl(GL_DONT_CARE, GL_DONT_CARE, GL_DONT_CARE, 0, nullptr, GL_TRUE);
}

DebugCounts debug_counts() noexcept {
    return {high_count, medium_count, low_count, notification_count, error_count};
}

} // namespace spindrift::gl
