// Programs of this driver through the cache and back.
#include "tests/gl/fft_fixture.h"

#include "engine/files.h"
#include "engine/gl/program_cache.h"
#include "fft/verification.h"

#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <unistd.h>

namespace spindrift {
namespace {

namespace fs = std::filesystem;

class ProgramCacheGl : public test::ContextTest {
protected:
    void SetUp() override {
        ContextTest::SetUp();
        if (IsSkipped()) return;
        if (device().program_binary_formats.empty())
            GTEST_SKIP() << device().renderer
                         << " has no format for program binaries (GL_NUM_PROGRAM_BINARY_FORMATS is 0)";
        folder_ = fs::temp_directory_path() / fmt::format("spindrift-program-cache-{}", getpid());
        fs::create_directories(folder_);
        fs::copy(test::source_path("shaders"), folder_ / "shaders", fs::copy_options::recursive);
    }
    void TearDown() override {
        if (!folder_.empty()) fs::remove_all(folder_);
        ContextTest::TearDown();
    }

    gl::ProgramLibrary library() const {
        return gl::ProgramLibrary(gl::ShaderSources::directory(folder_ / "shaders"),
                                  std::make_shared<gl::ProgramCache>(folder_ / "cache", device()));
    }
    static gl::ProgramRecipe graphics() {
        return gl::ProgramRecipe::graphics("render/full_screen.vert", "render/tone_map.frag");
    }
    static fft::VerificationResult transform_with(gl::ProgramLibrary& programs) {
        return fft::verify_transform({.size = 32}, programs, device().limits);
    }
    std::vector<fs::path> entries() const {
        std::vector<fs::path> paths;
        for (const auto& entry : fs::directory_iterator(folder_ / "cache")) paths.push_back(entry.path());
        return paths;
    }

    fs::path folder_;
};

TEST_F(ProgramCacheGl, TheSecondLibraryCompilesNothing) {
    gl::ProgramLibrary first = library();
    EXPECT_TRUE(transform_with(first).ok);
    first.get(graphics());
    EXPECT_GT(first.compile_count(), 1U);
    EXPECT_EQ(first.cache_hits(), 0U);
    EXPECT_EQ(entries().size(), first.compile_count());

    gl::ProgramLibrary second = library();
    const fft::VerificationResult result = transform_with(second);
    EXPECT_TRUE(result.ok) << result.describe();
    EXPECT_TRUE(second.get(graphics()));
    EXPECT_EQ(second.compile_count(), 0U);
    EXPECT_EQ(second.cache_hits(), first.compile_count());
}

TEST_F(ProgramCacheGl, DamagedEntriesAreCompiledAgainAndReplaced) {
    gl::ProgramLibrary first = library();
    transform_with(first);
    for (const fs::path& path : entries()) {
        std::string content = read_file(path);
        content[content.size() / 2] = static_cast<char>(content[content.size() / 2] ^ 1);
        write_file_atomically(path, content);
    }
    gl::ProgramLibrary second = library();
    EXPECT_TRUE(transform_with(second).ok);
    EXPECT_EQ(second.compile_count(), first.compile_count());
    EXPECT_EQ(second.cache_hits(), 0U);
    gl::ProgramLibrary third = library();
    EXPECT_TRUE(transform_with(third).ok);
    EXPECT_EQ(third.compile_count(), 0U);
}

TEST_F(ProgramCacheGl, WhatTheDriverRefusesIsCompiled) {
    gl::ProgramLibrary first = library();
    const gl::ProgramRecipe recipe = graphics();
    first.get(recipe);
    // A whole entry with the right key and a content that no driver made.
    gl::ProgramCache cache(folder_ / "cache", device());
    const std::string key = cache.key_of(recipe, recipe.expand(first.sources()));
    ASSERT_TRUE(cache.find(key));
    cache.store(key,
                {.format = device().program_binary_formats.front(), .bytes = std::vector<std::uint8_t>(300, 0x5A)});
    gl::ProgramLibrary second = library();
    EXPECT_TRUE(second.get(recipe));
    EXPECT_EQ(second.compile_count(), 1U);
    EXPECT_EQ(gl::drain_errors(), "");
}

TEST_F(ProgramCacheGl, AChangedSourceMisses) {
    gl::ProgramLibrary first = library();
    transform_with(first);
    const fs::path file = folder_ / "shaders/common/complex.glsl"; // included by every kernel
    write_file_atomically(file, read_file(file) + "// changed\n");
    gl::ProgramLibrary second = library();
    EXPECT_TRUE(transform_with(second).ok);
    EXPECT_EQ(second.compile_count(), first.compile_count());
    EXPECT_EQ(second.cache_hits(), 0U);
}

TEST_F(ProgramCacheGl, AReloadCompilesWhateverTheCacheHas) {
    gl::ProgramLibrary first = library();
    first.get(graphics());
    EXPECT_EQ(first.reload(true).rebuilt, 1);
    EXPECT_EQ(first.compile_count(), 2U);
    EXPECT_EQ(first.cache_hits(), 0U);
}

TEST_F(ProgramCacheGl, ADriverWithoutFormatsWorksAsBefore) {
    gl::DeviceInfo without = device();
    without.program_binary_formats.clear();
    gl::ProgramLibrary programs(gl::ShaderSources::directory(folder_ / "shaders"),
                                std::make_shared<gl::ProgramCache>(folder_ / "cache", without));
    EXPECT_TRUE(transform_with(programs).ok);
    EXPECT_GT(programs.compile_count(), 0U);
    EXPECT_FALSE(fs::exists(folder_ / "cache"));
}

} // namespace
} // namespace spindrift
