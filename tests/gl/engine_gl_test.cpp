// The GL wrappers on a real context.
#include "tests/gl/context_fixture.h"

#include "engine/gl/buffer.h"
#include "engine/gl/texture.h"

#include <utility>
#include <vector>

namespace spindrift {
namespace {

class EngineGl : public test::ContextTest {};

TEST_F(EngineGl, TextureReturnsWhatWasUploadedLayerByLayer) {
    gl::Texture texture({.target = gl::TextureTarget::texture_2d_array,
                         .format = gl::PixelFormat::rg32f,
                         .width = 4,
                         .height = 2,
                         .layers = 3},
                        "test");
    std::vector<float> texels(texture.element_count());
    for (std::size_t index = 0; index < texels.size(); ++index) texels[index] = static_cast<float>(index);
    texture.upload(texels);
    std::vector<float> back(texels.size());
    texture.download(back);
    EXPECT_EQ(back, texels);
}

TEST_F(EngineGl, TextureBeyondTheLimitNamesFieldAndLimit) {
    const int too_wide = device().limits.max_texture_size + 1;
    try {
        gl::Texture texture({.width = too_wide}, "wide");
        FAIL() << "accepted";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("width is " + std::to_string(too_wide)), std::string::npos);
    }
}

TEST_F(EngineGl, MovingLeavesOneOwnerAndCountsReturn) {
    const std::size_t objects = gl::live_objects();
    const std::size_t bytes = gl::live_bytes();
    {
        gl::Buffer first(256, gl::BufferUsage::gpu_only, "first");
        EXPECT_EQ(gl::live_bytes(), bytes + 256);
        gl::Buffer second = std::move(first);
        EXPECT_EQ(gl::live_objects(), objects + 1);
        second = gl::Buffer(64, gl::BufferUsage::gpu_only, "third");
        EXPECT_EQ(gl::live_bytes(), bytes + 64);
    }
    EXPECT_EQ(gl::live_objects(), objects);
    EXPECT_EQ(gl::live_bytes(), bytes);
}

} // namespace
} // namespace spindrift
