// What the GPU has made, on its way to the CPU while both go on.
#pragma once

#include "engine/gl/buffer.h"
#include "engine/gl/texture.h"

#include <cstddef>
#include <span>

namespace spindrift::gl {

/// Memory that the CPU reads and the GPU copies into: one copy at a time. Made once and used again, because a driver
/// takes long to make such memory.
class Readback {
public:
    /// Throws Error when memory runs out.
    Readback(std::size_t bytes, std::string_view label);
    Readback(const Readback&) = delete;
    Readback& operator=(const Readback&) = delete;
    ~Readback();

    /// Queues a copy of the whole source, which must fit: a buffer as it is, level 0 of a texture as floats in the
    /// order of Texture::download(). Another copy must not be under way, and the one before must have been read.
    void begin(const Buffer& source);
    void begin(const Texture& source);

    bool arrived() const; ///< never waits
    void wait() const;
    /// What begin() copied, once it has arrived; until the next begin(). Any thread may read it.
    std::span<const std::byte> bytes() const noexcept { return {address_, copied_}; }

private:
    void set_fence();

    Buffer buffer_;
    const std::byte* address_ = nullptr;
    std::size_t copied_ = 0;
    void* fence_ = nullptr; ///< GLsync
};

} // namespace spindrift::gl
