#include "engine/gl/object.h"

#include "engine/gl/gl.h"

#include <array>
#include <atomic>

namespace spindrift::gl {
namespace {

std::array<std::atomic<std::size_t>, object_kind_count> live_by_kind{};
std::atomic<std::size_t> live_storage_bytes{0};

GLenum label_identifier(ObjectKind kind) {
    switch (kind) {
    case ObjectKind::buffer:
        return GL_BUFFER;
    case ObjectKind::texture:
        return GL_TEXTURE;
    case ObjectKind::program:
        return GL_PROGRAM;
    case ObjectKind::query:
        return GL_QUERY;
    case ObjectKind::vertex_array:
        return GL_VERTEX_ARRAY;
    case ObjectKind::framebuffer:
        return GL_FRAMEBUFFER;
    }
    return GL_NONE;
}

} // namespace

std::size_t live_objects(ObjectKind kind) noexcept {
    return live_by_kind[static_cast<std::size_t>(kind)];
}

std::size_t live_objects() noexcept {
    std::size_t sum = 0;
    for (const auto& count : live_by_kind) sum += count;
    return sum;
}

std::size_t live_bytes() noexcept {
    return live_storage_bytes;
}

namespace detail {

void count_created(ObjectKind kind, std::size_t bytes) noexcept {
    ++live_by_kind[static_cast<std::size_t>(kind)];
    live_storage_bytes += bytes;
}

void destroy(ObjectKind kind, Name name, std::size_t bytes) noexcept {
    --live_by_kind[static_cast<std::size_t>(kind)];
    live_storage_bytes -= bytes;
    switch (kind) {
    case ObjectKind::buffer:
        glDeleteBuffers(1, &name);
        break;
    case ObjectKind::texture:
        glDeleteTextures(1, &name);
        break;
    case ObjectKind::program:
        glDeleteProgram(name);
        break;
    case ObjectKind::query:
        glDeleteQueries(1, &name);
        break;
    case ObjectKind::vertex_array:
        glDeleteVertexArrays(1, &name);
        break;
    case ObjectKind::framebuffer:
        glDeleteFramebuffers(1, &name);
        break;
    }
}

void set_label(ObjectKind kind, Name name, std::string_view label) noexcept {
    if (name == 0 || glObjectLabel == nullptr) return;
    // The guaranteed GL_MAX_LABEL_LENGTH is 256, the terminating zero included: a longer label is an error, not a cut.
    constexpr std::size_t longest = 255;
    const std::string_view shown = label.substr(0, longest);
    glObjectLabel(label_identifier(kind), name, static_cast<GLsizei>(shown.size()), shown.data());
}

} // namespace detail
} // namespace spindrift::gl
