// The GL wrappers on a real context.
#include "tests/gl/context_fixture.h"

#include "engine/gl/buffer.h"
#include "engine/gl/readback.h"
#include "engine/gl/texture.h"

#include <chrono>
#include <thread>
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

TEST_F(EngineGl, RowsGoUpByThemselves) {
    gl::Texture texture({.target = gl::TextureTarget::texture_2d_array,
                         .format = gl::PixelFormat::rg32f,
                         .width = 4,
                         .height = 4,
                         .layers = 2},
                        "test");
    std::vector<float> texels(texture.element_count());
    for (std::size_t index = 0; index < texels.size(); ++index) texels[index] = static_cast<float>(index);
    constexpr std::size_t half_layer = 4 * 2 * 2; // two rows
    for (const int part : {2, 0, 3, 1})           // in any order
        texture.upload_rows(std::span(texels).subspan(static_cast<std::size_t>(part) * half_layer, half_layer),
                            part / 2, part % 2 * 2);
    std::vector<float> back(texels.size());
    texture.download(back);
    EXPECT_EQ(back, texels);
}

TEST_F(EngineGl, BuffersAreFilledPartByPart) {
    const std::vector<float> values{1, 2, 3, 4, 5, 6};
    gl::Buffer whole(values.size() * sizeof(float), gl::BufferUsage::gpu_only, "whole");
    whole.copy_from(gl::Buffer::from(std::span(values).last(2), "end"), 4 * sizeof(float));
    whole.copy_from(gl::Buffer::from(std::span(values).first(4), "start"), 0);
    std::vector<float> back(values.size());
    whole.download(std::as_writable_bytes(std::span(back)));
    EXPECT_EQ(back, values);
}

TEST_F(EngineGl, ReadbackBringsWhatADownloadBrings) {
    const std::size_t objects = gl::live_objects();
    {
        std::vector<float> texels(4 * 4 * 4);
        for (std::size_t index = 0; index < texels.size(); ++index) texels[index] = static_cast<float>(index);
        gl::Texture texture({.width = 4, .height = 4}, "test");
        texture.upload(texels);
        const gl::Buffer buffer = gl::Buffer::from(std::span<const float>(texels).first(8), "test");
        gl::Readback readback(texels.size() * sizeof(float), "readback");
        EXPECT_FALSE(readback.arrived()) << "before anything was begun";
        const auto floats = [&readback] {
            const auto bytes = readback.bytes();
            const auto* first = reinterpret_cast<const float*>(bytes.data());
            return std::vector<float>(first, first + bytes.size() / sizeof(float));
        };
        readback.begin(texture);
        bool arrived = false;
        for (int attempt = 0; attempt < 1000 && !arrived; ++attempt) {
            arrived = readback.arrived();
            if (!arrived) std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        EXPECT_TRUE(arrived);
        EXPECT_EQ(floats(), texels);
        readback.begin(buffer);
        readback.wait();
        EXPECT_EQ(floats(), std::vector<float>(texels.begin(), texels.begin() + 8));
        readback.begin(texture); // and ends in the middle of it
    }
    EXPECT_EQ(gl::live_objects(), objects);
}

TEST_F(EngineGl, ProgramsAreBuiltInTheBackground) {
    const std::size_t programs = gl::live_objects(gl::ObjectKind::program);
    const gl::ProgramRecipe recipe = gl::ProgramRecipe::compute("fft/occupy.comp");
    {
        gl::ProgramLibrary library = make_library();
        bool ready = false;
        for (int attempt = 0; attempt < 2000 && !ready; ++attempt) {
            ready = library.prepare(recipe);
            if (!ready) std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        ASSERT_TRUE(ready);
        const gl::Program& program = library.get(recipe);
        EXPECT_EQ(program.local_size()[0], 1);
        EXPECT_EQ(library.compile_count(), 1U);
        EXPECT_EQ(library.program_count(), 1U);
        EXPECT_TRUE(library.prepare(recipe));
        EXPECT_EQ(&library.get(recipe), &program);
        EXPECT_EQ(library.compile_count(), 1U);
        library.prepare(gl::ProgramRecipe::compute("fft/tuned.comp")); // under way when the library goes
    }
    EXPECT_EQ(gl::live_objects(gl::ObjectKind::program), programs);
}

TEST_F(EngineGl, WhatDoesNotCompileIsToldWhenItIsWanted) {
    gl::ProgramLibrary library = make_library();
    // A compute shader as a fragment shader: expands, and compiles nowhere.
    const gl::ProgramRecipe broken = gl::ProgramRecipe::graphics("render/full_screen.vert", "fft/occupy.comp");
    EXPECT_NO_THROW(library.prepare(broken));
    for (int attempt = 0; attempt < 2; ++attempt) {
        try {
            library.get(broken);
            FAIL() << "built";
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find("fft/occupy.comp"), std::string::npos) << error.what();
        }
    }
    EXPECT_THROW(library.prepare(gl::ProgramRecipe::compute("no/such.comp")), Error);
    EXPECT_EQ(library.program_count(), 0U);
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
