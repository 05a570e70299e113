#include "engine/gl/framebuffer.h"

#include "engine/error.h"
#include "engine/gl/gl.h"

#include <algorithm>
#include <cassert>
#include <fmt/format.h>

namespace spindrift::gl {
namespace {

Name create_framebuffer() {
    Name name = 0;
    glCreateFramebuffers(1, &name);
    return name;
}

Name create_vertex_array() {
    Name name = 0;
    glCreateVertexArrays(1, &name);
    return name;
}

} // namespace

Framebuffer::Framebuffer(std::string_view label) : Object(create_framebuffer(), Ownership::owned) {
    set_label(label);
}

void Framebuffer::attach_color(const Texture& texture, int level) {
    glNamedFramebufferTexture(name(), GL_COLOR_ATTACHMENT0, texture.name(), level);
}

void Framebuffer::attach_depth(const Texture& texture) {
    glNamedFramebufferTexture(name(), GL_DEPTH_ATTACHMENT, texture.name(), 0);
}

void Framebuffer::check_complete() const {
    const GLenum status = glCheckNamedFramebufferStatus(name(), GL_DRAW_FRAMEBUFFER);
    if (status == GL_FRAMEBUFFER_COMPLETE) return;
    throw Error(fmt::format("framebuffer {} is not complete: status {:#06x}", name(), status));
}

void Framebuffer::bind(int width, int height) const {
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, name());
    glViewport(0, 0, width, height);
}

std::vector<std::uint8_t> Framebuffer::read_rgb8(int width, int height) const {
    assert(width > 0 && height > 0);
    const std::size_t row_bytes = static_cast<std::size_t>(width) * 3;
    std::vector<std::uint8_t> bottom_up(row_bytes * static_cast<std::size_t>(height));
    glBindFramebuffer(GL_READ_FRAMEBUFFER, name());
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadnPixels(0, 0, width, height, GL_RGB, GL_UNSIGNED_BYTE, static_cast<GLsizei>(bottom_up.size()),
                  bottom_up.data());
    std::vector<std::uint8_t> pixels(bottom_up.size());
    for (std::size_t row = 0; row < static_cast<std::size_t>(height); ++row)
        std::copy_n(bottom_up.begin() + static_cast<std::ptrdiff_t>(row * row_bytes), row_bytes,
                    pixels.end() - static_cast<std::ptrdiff_t>((row + 1) * row_bytes));
    return pixels;
}

VertexArray::VertexArray(std::string_view label) : Object(create_vertex_array(), Ownership::owned) {
    set_label(label);
}

void VertexArray::attach_floats(unsigned attribute, const Buffer& buffer, int components, int stride_bytes,
                                int offset_bytes) {
    glVertexArrayVertexBuffer(name(), attribute, buffer.name(), offset_bytes, stride_bytes);
    glEnableVertexArrayAttrib(name(), attribute);
    glVertexArrayAttribFormat(name(), attribute, components, GL_FLOAT, GL_FALSE, 0);
    glVertexArrayAttribBinding(name(), attribute, attribute);
}

void VertexArray::attach_indices(const Buffer& buffer) {
    glVertexArrayElementBuffer(name(), buffer.name());
}

void VertexArray::bind() const {
    glBindVertexArray(name());
}

} // namespace spindrift::gl
