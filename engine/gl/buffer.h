// Buffers with immutable storage (DSA).
#pragma once

#include "engine/gl/object.h"

#include <span>

namespace spindrift::gl {

enum class BufferTarget : std::uint32_t { uniform = 0x8A11, shader_storage = 0x90D2 };

enum class BufferUsage {
    gpu_only, ///< written by uploads at creation, by clears and by shaders
    dynamic,  ///< uploaded to from the CPU again and again
};

class Buffer : public Object<ObjectKind::buffer> {
public:
    explicit Buffer(NoCreate) noexcept {}
    /// `bytes` must be above zero. Throws Error when memory runs out.
    Buffer(std::size_t bytes, BufferUsage usage, std::string_view label);
    Buffer(std::span<const std::byte> content, std::string_view label);

    template <class T>
    static Buffer from(std::span<const T> content, std::string_view label) {
        return Buffer(std::as_bytes(content), label);
    }

    static Buffer wrap(Name name, std::size_t bytes, Ownership ownership = Ownership::borrowed);

    void upload(std::span<const std::byte> content, std::size_t offset = 0);   ///< dynamic buffers only
    void download(std::span<std::byte> content, std::size_t offset = 0) const; ///< waits for the GPU
    /// Queues a copy of all of `source` to `offset`. The way into a part of a gpu_only buffer.
    void copy_from(const Buffer& source, std::size_t offset);

    template <class T>
    void upload_value(const T& value) {
        upload(std::as_bytes(std::span<const T, 1>(&value, 1)));
    }

    /// Fills the whole buffer with one 32-bit float; NaN poisons it.
    void clear(float value);

    void bind(BufferTarget target, unsigned index) const;
    void bind_range(BufferTarget target, unsigned index, std::size_t offset, std::size_t bytes) const;

private:
    Buffer(Name name, std::size_t bytes, Ownership ownership) : Object(name, ownership, bytes) {}

    BufferUsage usage_ = BufferUsage::gpu_only;
};

} // namespace spindrift::gl
