// The HDR target that the scene is drawn into, and the way from there to what a display shows.
#pragma once

#include "engine/gl/framebuffer.h"
#include "engine/gl/program.h"

#include <vector>

namespace spindrift::render {

struct PostDesc {
    float exposure = 1.0F;     ///< multiplies radiance before the tone curve, above 0
    float bloom_share = 0.03F; ///< 0 = none, 1 = nothing but bloom
};

class Post {
public:
    explicit Post(gl::ProgramLibrary& programs);

    /// Reallocates when the size changed; both must be above zero.
    void resize(int width, int height);
    int width() const noexcept { return color_.width(); }
    int height() const noexcept { return color_.height(); }

    /// Binds the HDR target (rgba16f, 32-bit float reversed depth) and clears it.
    void begin_scene() const;
    /// Tone-maps the scene into `target`, which must have this size. sRGB-encoded output for an 8-bit linear format.
    void resolve(const gl::Framebuffer& target, const PostDesc& desc) const;

private:
    void make_bloom() const;

    gl::ProgramLibrary& programs_;
    gl::Texture color_{gl::no_create};
    gl::Texture depth_{gl::no_create};
    gl::Texture bloom_{gl::no_create}; ///< half size, with the pyramid as its mip levels
    gl::Framebuffer framebuffer_{gl::no_create};
    gl::VertexArray no_attributes_;
};

/// An off-screen picture of 8 bits a channel, for headless runs and screenshots.
class OffscreenTarget {
public:
    OffscreenTarget(int width, int height);
    const gl::Framebuffer& framebuffer() const noexcept { return framebuffer_; }
    std::vector<std::uint8_t> read_rgb8() const { return framebuffer_.read_rgb8(color_.width(), color_.height()); }

private:
    gl::Texture color_;
    gl::Framebuffer framebuffer_;
};

} // namespace spindrift::render
