// Framebuffer and vertex array objects.
#pragma once

#include "engine/gl/buffer.h"
#include "engine/gl/texture.h"

#include <vector>

namespace spindrift::gl {

class Framebuffer : public Object<ObjectKind::framebuffer> {
public:
    explicit Framebuffer(NoCreate) noexcept {}
    explicit Framebuffer(std::string_view label);

    /// Name 0: what the window shows.
    static Framebuffer window() { return Framebuffer(no_create); }

    void attach_color(const Texture& texture, int level = 0);
    void attach_depth(const Texture& texture);
    void check_complete() const; ///< throws Error naming the missing piece

    void bind(int width, int height) const; ///< binds for drawing and sets the viewport
    /// Red, green, blue of the bottom-left `width` x `height` pixels, 8 bits each, top row first. Waits for the GPU.
    std::vector<std::uint8_t> read_rgb8(int width, int height) const;
};

class VertexArray : public Object<ObjectKind::vertex_array> {
public:
    explicit VertexArray(NoCreate) noexcept {}
    explicit VertexArray(std::string_view label);

    /// Tightly packed float attributes: `components` floats at `offset_bytes` of each `stride_bytes`.
    void attach_floats(unsigned attribute, const Buffer& buffer, int components, int stride_bytes,
                       int offset_bytes = 0);
    void attach_indices(const Buffer& buffer); ///< 32-bit
    void bind() const;
};

} // namespace spindrift::gl
