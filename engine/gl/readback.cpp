#include "engine/gl/readback.h"

#include "engine/error.h"
#include "engine/gl/gl.h"

#include <cassert>
#include <fmt/format.h>

namespace spindrift::gl {
namespace {

constexpr GLbitfield map_flags = GL_MAP_READ_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT;

Name create() {
    Name name = 0;
    glCreateBuffers(1, &name);
    return name;
}

} // namespace

Readback::Readback(std::size_t bytes, std::string_view label)
    : buffer_(Buffer::wrap(create(), bytes, Ownership::owned)) {
    assert(bytes > 0);
    glNamedBufferStorage(buffer_.name(), static_cast<GLsizeiptr>(bytes), nullptr, map_flags | GL_CLIENT_STORAGE_BIT);
    address_ = static_cast<const std::byte*>(
        glMapNamedBufferRange(buffer_.name(), 0, static_cast<GLsizeiptr>(bytes), map_flags));
    if (address_ == nullptr) {
        while (glGetError() != GL_NO_ERROR) {
        } // it is told here
        throw Error(fmt::format("buffer \"{}\": {} MiB are more than the driver could allocate", label, bytes >> 20));
    }
    buffer_.set_label(label);
}

Readback::~Readback() {
    glDeleteSync(static_cast<GLsync>(fence_)); // the buffer's end unmaps it
}

void Readback::begin(const Buffer& source) {
    assert(source.byte_size() <= buffer_.byte_size() && "a larger source");
    glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT); // compute may have written it
    copied_ = source.byte_size();
    glCopyNamedBufferSubData(source.name(), buffer_.name(), 0, 0, static_cast<GLsizeiptr>(copied_));
    set_fence();
}

void Readback::begin(const Texture& source) {
    copied_ = source.element_count(0) * sizeof(float);
    assert(copied_ <= buffer_.byte_size() && "a larger source");
    source.copy_into(buffer_.name());
    set_fence();
}

void Readback::set_fence() {
    glMemoryBarrier(GL_CLIENT_MAPPED_BUFFER_BARRIER_BIT);
    glDeleteSync(static_cast<GLsync>(fence_));
    fence_ = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
}

bool Readback::arrived() const {
    if (fence_ == nullptr) return false;
    const GLenum state = glClientWaitSync(static_cast<GLsync>(fence_), GL_SYNC_FLUSH_COMMANDS_BIT, 0);
    return state == GL_ALREADY_SIGNALED || state == GL_CONDITION_SATISFIED;
}

void Readback::wait() const {
    assert(fence_ != nullptr && "nothing was begun");
    constexpr GLuint64 second = 1'000'000'000;
    while (glClientWaitSync(static_cast<GLsync>(fence_), GL_SYNC_FLUSH_COMMANDS_BIT, second) == GL_TIMEOUT_EXPIRED) {
    }
}

} // namespace spindrift::gl
