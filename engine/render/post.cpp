#include "engine/render/post.h"

#include "engine/gl/device.h"
#include "engine/gl/gl.h"

#include <algorithm>
#include <cassert>

namespace spindrift::render {
namespace {

constexpr int bloom_levels_max = 6;
constexpr float glint_limit = 60.0F; ///< about 30 times a bright sky

enum BloomUniform : int { source_level_location = 0, limit_location = 1 };
enum ToneMapUniform : int { exposure_location = 0, bloom_share_location = 1 };

int bloom_levels(int width, int height) {
    int levels = 1;
    while (levels < bloom_levels_max && (std::min(width, height) >> levels) > 4) ++levels;
    return levels;
}

} // namespace

Post::Post(gl::ProgramLibrary& programs) : programs_(programs), no_attributes_("post") {}

void Post::resize(int width, int height) {
    assert(width > 0 && height > 0);
    if (color_ && width == color_.width() && height == color_.height()) return;
    color_ = gl::Texture(
        {.format = gl::PixelFormat::rgba16f, .width = width, .height = height, .filter = gl::Filter::linear},
        "scene radiance");
    depth_ = gl::Texture({.format = gl::PixelFormat::depth32f, .width = width, .height = height}, "scene depth");
    const int half_width = std::max(1, width / 2);
    const int half_height = std::max(1, height / 2);
    bloom_ = gl::Texture({.format = gl::PixelFormat::rgba16f,
                          .width = half_width,
                          .height = half_height,
                          .levels = bloom_levels(half_width, half_height),
                          .filter = gl::Filter::trilinear},
                         "bloom");
    framebuffer_ = gl::Framebuffer("scene");
    framebuffer_.attach_color(color_);
    framebuffer_.attach_depth(depth_);
    framebuffer_.check_complete();
}

void Post::begin_scene() const {
    framebuffer_.bind(width(), height());
    glClipControl(GL_LOWER_LEFT, GL_ZERO_TO_ONE); // reversed depth keeps its precision only in this range
    glDisable(GL_BLEND);
    glDisable(GL_SCISSOR_TEST);
    glDisable(GL_CULL_FACE);
    glDepthMask(GL_TRUE);
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    const float black[] = {0.0F, 0.0F, 0.0F, 1.0F};
    const float far_away = 0.0F;
    glClearNamedFramebufferfv(framebuffer_.name(), GL_COLOR, 0, black);
    glClearNamedFramebufferfv(framebuffer_.name(), GL_DEPTH, 0, &far_away);
}

void Post::make_bloom() const {
    const gl::Program& down = programs_.get(gl::ProgramRecipe::compute("render/bloom_down.comp"));
    const gl::Program& up = programs_.get(gl::ProgramRecipe::compute("render/bloom_up.comp"));
    const int levels = bloom_.desc().levels;
    const auto level_width = [this](int level) { return std::max(1, bloom_.width() >> level); };
    const auto level_height = [this](int level) { return std::max(1, bloom_.height() >> level); };
    const auto visible = gl::Visibility::texture_fetch | gl::Visibility::image;
    down.set(limit_location, glint_limit);
    for (int level = 0; level < levels; ++level) {
        (level == 0 ? color_ : bloom_).bind(0);
        down.set(source_level_location, std::max(0, level - 1));
        bloom_.bind_image(0, gl::Access::write_only, level);
        down.dispatch(level_width(level), level_height(level));
        gl::memory_barrier(visible);
    }
    bloom_.bind(0);
    for (int level = levels - 2; level >= 0; --level) {
        up.set(source_level_location, level + 1);
        bloom_.bind_image(0, gl::Access::read_write, level);
        up.dispatch(level_width(level), level_height(level));
        gl::memory_barrier(visible);
    }
}

void Post::resolve(const gl::Framebuffer& target, const PostDesc& desc) const {
    make_bloom();
    const gl::Program& program =
        programs_.get(gl::ProgramRecipe::graphics("render/full_screen.vert", "render/tone_map.frag"));
    program.set(exposure_location, desc.exposure);
    program.set(bloom_share_location, desc.bloom_share);
    target.bind(width(), height());
    program.use();
    color_.bind(0);
    bloom_.bind(1);
    glDisable(GL_DEPTH_TEST);
    no_attributes_.bind();
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glClipControl(GL_LOWER_LEFT, GL_NEGATIVE_ONE_TO_ONE);
}

OffscreenTarget::OffscreenTarget(int width, int height)
    : color_({.format = gl::PixelFormat::rgba8, .width = width, .height = height}, "picture"), framebuffer_("picture") {
    framebuffer_.attach_color(color_);
    framebuffer_.check_complete();
}

} // namespace spindrift::render
