#include "engine/gl/texture.h"

#include "engine/error.h"
#include "engine/gl/gl.h"

#include <algorithm>
#include <cassert>
#include <fmt/format.h>

namespace spindrift::gl {
namespace {

struct FormatFacts {
    int components;
    std::size_t bytes;
    std::string_view image_qualifier;
    bool is_byte;
};

FormatFacts facts(PixelFormat format) {
    switch (format) {
    case PixelFormat::r32f:
        return {1, 4, "r32f", false};
    case PixelFormat::rg32f:
        return {2, 8, "rg32f", false};
    case PixelFormat::rgba32f:
        return {4, 16, "rgba32f", false};
    case PixelFormat::r16f:
        return {1, 2, "r16f", false};
    case PixelFormat::rg16f:
        return {2, 4, "rg16f", false};
    case PixelFormat::rgba16f:
        return {4, 8, "rgba16f", false};
    case PixelFormat::rgba8:
        return {4, 4, "rgba8", true};
    case PixelFormat::srgb8_alpha8:
        return {4, 4, "", true};
    case PixelFormat::r11f_g11f_b10f:
        return {3, 4, "r11f_g11f_b10f", false};
    case PixelFormat::depth32f:
        return {1, 4, "", false};
    }
    assert(false && "unknown pixel format");
    return {};
}

GLenum transfer_format(PixelFormat format) {
    if (format == PixelFormat::depth32f) return GL_DEPTH_COMPONENT;
    switch (facts(format).components) {
    case 1:
        return GL_RED;
    case 2:
        return GL_RG;
    case 3:
        return GL_RGB;
    default:
        return GL_RGBA;
    }
}

int full_chain(int width, int height) {
    int levels = 1;
    for (int extent = std::max(width, height); extent > 1; extent /= 2) ++levels;
    return levels;
}

std::size_t storage_bytes(const TextureDesc& desc) {
    std::size_t texels = 0;
    for (int level = 0; level < desc.levels; ++level)
        texels += static_cast<std::size_t>(std::max(1, desc.width >> level)) *
                  static_cast<std::size_t>(std::max(1, desc.height >> level));
    return texels * static_cast<std::size_t>(desc.layers) * facts(desc.format).bytes;
}

void check_dimension(std::string_view label, std::string_view field, int value, GLenum limit_name) {
    GLint limit = 0;
    glGetIntegerv(limit_name, &limit);
    if (value < 1 || value > limit)
        throw Error(fmt::format("texture \"{}\": {} is {}, the device allows 1 to {}", label, field, value, limit));
}

TextureDesc checked(TextureDesc desc, std::string_view label) {
    assert(desc.target == TextureTarget::texture_2d_array || desc.layers == 1);
    check_dimension(label, "width", desc.width, GL_MAX_TEXTURE_SIZE);
    check_dimension(label, "height", desc.height, GL_MAX_TEXTURE_SIZE);
    if (desc.target == TextureTarget::texture_2d_array)
        check_dimension(label, "layers", desc.layers, GL_MAX_ARRAY_TEXTURE_LAYERS);
    if (desc.levels == 0) desc.levels = full_chain(desc.width, desc.height);
    return desc;
}

Name create(TextureTarget target) {
    Name name = 0;
    glCreateTextures(static_cast<GLenum>(target), 1, &name);
    return name;
}

} // namespace

int component_count(PixelFormat format) noexcept {
    return facts(format).components;
}
std::size_t texel_bytes(PixelFormat format) noexcept {
    return facts(format).bytes;
}
std::string_view image_qualifier(PixelFormat format) noexcept {
    return facts(format).image_qualifier;
}

Texture::Texture(Name name, const TextureDesc& desc, Ownership ownership)
    : Object(name, ownership, ownership == Ownership::owned ? storage_bytes(desc) : 0), desc_(desc) {}

Texture::Texture(const TextureDesc& desc, std::string_view label)
    : Texture(create(desc.target), checked(desc, label), Ownership::owned) {
    const auto format = static_cast<GLenum>(desc_.format);
    while (glGetError() == GL_OUT_OF_MEMORY) {
    } // an older failure is not this texture's
    if (desc_.target == TextureTarget::texture_2d)
        glTextureStorage2D(name(), desc_.levels, format, desc_.width, desc_.height);
    else
        glTextureStorage3D(name(), desc_.levels, format, desc_.width, desc_.height, desc_.layers);
    if (glGetError() == GL_OUT_OF_MEMORY)
        throw Error(fmt::format("texture \"{}\": {} x {} x {} needs {} MiB, more than the driver could allocate", label,
                                desc_.width, desc_.height, desc_.layers, byte_size() >> 20));
    set_filter(desc_.filter);
    set_wrap(desc_.wrap);
    set_label(label);
}

Texture Texture::wrap(Name name, const TextureDesc& desc, Ownership ownership) {
    return {name, desc, ownership};
}

std::size_t Texture::element_count(int level) const noexcept {
    return static_cast<std::size_t>(std::max(1, desc_.width >> level)) *
           static_cast<std::size_t>(std::max(1, desc_.height >> level)) * static_cast<std::size_t>(desc_.layers) *
           static_cast<std::size_t>(component_count(desc_.format));
}

namespace {

void upload_any(const Texture& texture, GLenum type, const void* texels, int level) {
    const TextureDesc& desc = texture.desc();
    const int width = std::max(1, desc.width >> level);
    const int height = std::max(1, desc.height >> level);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    if (desc.target == TextureTarget::texture_2d)
        glTextureSubImage2D(texture.name(), level, 0, 0, width, height, transfer_format(desc.format), type, texels);
    else
        glTextureSubImage3D(texture.name(), level, 0, 0, 0, width, height, desc.layers, transfer_format(desc.format),
                            type, texels);
}

void download_any(const Texture& texture, GLenum type, std::size_t bytes, void* texels, int level) {
    glMemoryBarrier(GL_TEXTURE_UPDATE_BARRIER_BIT); // compute may have written it
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glGetTextureImage(texture.name(), level, transfer_format(texture.desc().format), type, static_cast<GLsizei>(bytes),
                      texels);
}

} // namespace

void Texture::upload(std::span<const float> texels, int level) {
    assert(!facts(desc_.format).is_byte && texels.size() == element_count(level));
    upload_any(*this, GL_FLOAT, texels.data(), level);
}

void Texture::download(std::span<float> texels, int level) const {
    assert(!facts(desc_.format).is_byte && texels.size() == element_count(level));
    download_any(*this, GL_FLOAT, texels.size_bytes(), texels.data(), level);
}

void Texture::upload_rows(std::span<const float> texels, int layer, int first_row) {
    const std::size_t row = element_count(0) / static_cast<std::size_t>(desc_.height * desc_.layers);
    const int rows = static_cast<int>(texels.size() / row);
    assert(!facts(desc_.format).is_byte && texels.size() % row == 0);
    assert(layer >= 0 && layer < desc_.layers && first_row >= 0 && first_row + rows <= desc_.height);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    const GLenum format = transfer_format(desc_.format);
    if (desc_.target == TextureTarget::texture_2d)
        glTextureSubImage2D(name(), 0, 0, first_row, desc_.width, rows, format, GL_FLOAT, texels.data());
    else
        glTextureSubImage3D(name(), 0, 0, first_row, layer, desc_.width, rows, 1, format, GL_FLOAT, texels.data());
}

void Texture::copy_into(Name buffer) const {
    assert(!facts(desc_.format).is_byte);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, buffer);
    download_any(*this, GL_FLOAT, element_count(0) * sizeof(float), nullptr, 0);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
}

void Texture::upload_bytes(std::span<const std::uint8_t> texels, int level) {
    assert(facts(desc_.format).is_byte && texels.size() == element_count(level));
    upload_any(*this, GL_UNSIGNED_BYTE, texels.data(), level);
}

void Texture::download_bytes(std::span<std::uint8_t> texels, int level) const {
    assert(facts(desc_.format).is_byte && texels.size() == element_count(level));
    download_any(*this, GL_UNSIGNED_BYTE, texels.size_bytes(), texels.data(), level);
}

void Texture::clear(const std::array<float, 4>& value, int level) {
    glClearTexImage(name(), level, desc_.format == PixelFormat::depth32f ? GL_DEPTH_COMPONENT : GL_RGBA, GL_FLOAT,
                    value.data());
}

void Texture::generate_mipmaps() {
    glGenerateTextureMipmap(name());
}

void Texture::set_filter(Filter filter) {
    desc_.filter = filter;
    const GLenum minify = filter == Filter::nearest
                              ? (desc_.levels > 1 ? GL_NEAREST_MIPMAP_NEAREST : GL_NEAREST)
                              : (filter == Filter::trilinear ? GL_LINEAR_MIPMAP_LINEAR : GL_LINEAR);
    glTextureParameteri(name(), GL_TEXTURE_MIN_FILTER, static_cast<GLint>(minify));
    glTextureParameteri(name(), GL_TEXTURE_MAG_FILTER, filter == Filter::nearest ? GL_NEAREST : GL_LINEAR);
}

void Texture::set_wrap(Wrap wrap) {
    desc_.wrap = wrap;
    for (const GLenum axis : {GL_TEXTURE_WRAP_S, GL_TEXTURE_WRAP_T, GL_TEXTURE_WRAP_R})
        glTextureParameteri(name(), axis, static_cast<GLint>(wrap));
}

void Texture::set_anisotropy(float samples) {
    if (!GLAD_GL_EXT_texture_filter_anisotropic) return;
    GLfloat limit = 1;
    glGetFloatv(GL_MAX_TEXTURE_MAX_ANISOTROPY_EXT, &limit);
    glTextureParameterf(name(), GL_TEXTURE_MAX_ANISOTROPY_EXT, std::min(samples, limit));
}

void Texture::bind(unsigned unit) const {
    glBindTextureUnit(unit, name());
}

void Texture::bind_image(unsigned unit, Access access, int level) const {
    assert(!image_qualifier(desc_.format).empty() && "this format cannot be bound as an image");
    const GLboolean layered = desc_.target == TextureTarget::texture_2d_array ? GL_TRUE : GL_FALSE;
    glBindImageTexture(unit, name(), level, layered, 0, static_cast<GLenum>(access), static_cast<GLenum>(desc_.format));
}

} // namespace spindrift::gl
