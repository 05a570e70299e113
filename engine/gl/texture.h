// 2D textures and 2D array textures with immutable storage (DSA).
#pragma once

#include "engine/gl/object.h"

#include <array>
#include <span>

namespace spindrift::gl {

/// Sized internal formats; the values are the GL constants.
enum class PixelFormat : std::uint32_t {
    r32f = 0x822E,
    rg32f = 0x8230,
    rgba32f = 0x8814,
    r16f = 0x822D,
    rg16f = 0x822F,
    rgba16f = 0x881A,
    rgba8 = 0x8058,
    srgb8_alpha8 = 0x8C43,
    r11f_g11f_b10f = 0x8C3A,
    depth32f = 0x8CAC,
};

enum class TextureTarget : std::uint32_t { texture_2d = 0x0DE1, texture_2d_array = 0x8C1A };
enum class Filter : std::uint32_t { nearest = 0x2600, linear = 0x2601, trilinear = 0x2703 };
enum class Wrap : std::uint32_t { repeat = 0x2901, clamp_to_edge = 0x812F };
enum class Access : std::uint32_t { read_only = 0x88B8, write_only = 0x88B9, read_write = 0x88BA };

/// Components of a format (1 to 4), its bytes per texel, and its GLSL layout qualifier ("rgba32f");
/// the qualifier is empty for formats that cannot be bound as images.
int component_count(PixelFormat format) noexcept;
std::size_t texel_bytes(PixelFormat format) noexcept;
std::string_view image_qualifier(PixelFormat format) noexcept;

struct TextureDesc {
    TextureTarget target = TextureTarget::texture_2d;
    PixelFormat format = PixelFormat::rgba32f;
    int width = 1;
    int height = 1;
    int layers = 1; ///< must be 1 for texture_2d
    int levels = 1; ///< mip levels; 0 means the full chain
    Filter filter = Filter::nearest;
    Wrap wrap = Wrap::clamp_to_edge;
};

class Texture : public Object<ObjectKind::texture> {
public:
    explicit Texture(NoCreate) noexcept {}
    /// Throws Error when a dimension is beyond the device's limit or memory runs out.
    Texture(const TextureDesc& desc, std::string_view label);

    /// Takes a foreign name; ownership says who deletes it.
    static Texture wrap(Name name, const TextureDesc& desc, Ownership ownership = Ownership::borrowed);

    const TextureDesc& desc() const noexcept { return desc_; }
    int width() const noexcept { return desc_.width; }
    int height() const noexcept { return desc_.height; }

    /// All layers of one level, tightly packed, row-major, layer-major, component_count() floats per texel.
    void upload(std::span<const float> texels, int level = 0);
    void download(std::span<float> texels, int level = 0) const; ///< waits for the GPU
    /// Some whole rows of one layer of level 0, so that a large texture need not be uploaded at once.
    void upload_rows(std::span<const float> texels, int layer, int first_row);
    /// Queues what download() gives, of level 0, into a buffer that is large enough; Readback says when it is there.
    void copy_into(Name buffer) const;
    /// 8-bit texels, for rgba8 and srgb8_alpha8 only.
    void upload_bytes(std::span<const std::uint8_t> texels, int level = 0);
    void download_bytes(std::span<std::uint8_t> texels, int level = 0) const;

    void clear(const std::array<float, 4>& value, int level = 0);
    void generate_mipmaps();
    void set_filter(Filter filter);
    void set_wrap(Wrap wrap);
    void set_anisotropy(float samples); ///< clamped to the device's maximum; no effect where unsupported

    void bind(unsigned unit) const;
    /// Binds a level with all its layers as an image of this texture's own format.
    void bind_image(unsigned unit, Access access, int level = 0) const;

    /// Number of floats (or bytes, for the 8-bit formats) of one level with all its layers.
    std::size_t element_count(int level = 0) const noexcept;

private:
    Texture(Name name, const TextureDesc& desc, Ownership ownership);

    TextureDesc desc_{};
};

} // namespace spindrift::gl
