#include "engine/gl/buffer.h"

#include "engine/error.h"
#include "engine/gl/gl.h"

#include <cassert>
#include <fmt/format.h>

namespace spindrift::gl {
namespace {

Name create() {
    Name name = 0;
    glCreateBuffers(1, &name);
    return name;
}

void allocate(Name name, std::size_t bytes, const void* content, BufferUsage usage, std::string_view label) {
    assert(bytes > 0);
    while (glGetError() == GL_OUT_OF_MEMORY) {
    } // an older failure is not this buffer's
    const GLbitfield flags = usage == BufferUsage::dynamic ? GL_DYNAMIC_STORAGE_BIT : GLbitfield{0};
    glNamedBufferStorage(name, static_cast<GLsizeiptr>(bytes), content, flags);
    if (glGetError() == GL_OUT_OF_MEMORY)
        throw Error(fmt::format("buffer \"{}\": {} MiB are more than the driver could allocate", label, bytes >> 20));
}

} // namespace

Buffer::Buffer(std::size_t bytes, BufferUsage usage, std::string_view label)
    : Object(create(), Ownership::owned, bytes), usage_(usage) {
    allocate(name(), bytes, nullptr, usage, label);
    set_label(label);
}

Buffer::Buffer(std::span<const std::byte> content, std::string_view label)
    : Object(create(), Ownership::owned, content.size()) {
    allocate(name(), content.size(), content.data(), BufferUsage::gpu_only, label);
    set_label(label);
}

Buffer Buffer::wrap(Name name, std::size_t bytes, Ownership ownership) {
    return {name, bytes, ownership};
}

void Buffer::upload(std::span<const std::byte> content, std::size_t offset) {
    assert(usage_ == BufferUsage::dynamic && offset + content.size() <= byte_size());
    glNamedBufferSubData(name(), static_cast<GLintptr>(offset), static_cast<GLsizeiptr>(content.size()),
                         content.data());
}

void Buffer::download(std::span<std::byte> content, std::size_t offset) const {
    assert(offset + content.size() <= byte_size());
    if (content.empty()) return;
    glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT); // compute may have written it
    // By way of another buffer: NVIDIA's driver (580.159) moves a buffer that the CPU has read to host memory and
    // leaves it there, where every kernel that comes after is slow.
    const auto bytes = static_cast<GLsizeiptr>(content.size());
    const Buffer staging(create(), content.size(), Ownership::owned);
    glNamedBufferStorage(staging.name(), bytes, nullptr, GL_MAP_READ_BIT | GL_CLIENT_STORAGE_BIT);
    glCopyNamedBufferSubData(name(), staging.name(), static_cast<GLintptr>(offset), 0, bytes);
    glGetNamedBufferSubData(staging.name(), 0, bytes, content.data());
}

void Buffer::copy_from(const Buffer& source, std::size_t offset) {
    assert(offset + source.byte_size() <= byte_size());
    glCopyNamedBufferSubData(source.name(), name(), 0, static_cast<GLintptr>(offset),
                             static_cast<GLsizeiptr>(source.byte_size()));
}

void Buffer::clear(float value) {
    assert(byte_size() % sizeof(float) == 0);
    glClearNamedBufferData(name(), GL_R32F, GL_RED, GL_FLOAT, &value);
}

void Buffer::bind(BufferTarget target, unsigned index) const {
    glBindBufferBase(static_cast<GLenum>(target), index, name());
}

void Buffer::bind_range(BufferTarget target, unsigned index, std::size_t offset, std::size_t bytes) const {
    glBindBufferRange(static_cast<GLenum>(target), index, name(), static_cast<GLintptr>(offset),
                      static_cast<GLsizeiptr>(bytes));
}

} // namespace spindrift::gl
