// The text of the FFT kernels: rules that no compiler checks, and a second compiler's opinion.
#include "app/ocean/simulation.h"
#include "engine/gl/shader_source.h"
#include "engine/gl/texture.h"
#include "engine/render/box_mipmaps.h"
#include "fft/benchmark.h"
#include "fft/plan.h"
#include "tests/source_tree.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <memory>
#include <regex>
#include <sstream>
#include <unistd.h>

namespace spindrift {
namespace {

namespace fs = std::filesystem;

gl::ShaderSources source_tree() {
    return gl::ShaderSources::directory(test::source_path("shaders"));
}

std::string without_comments(const std::string& text) {
    return std::regex_replace(text, std::regex("//[^\n]*"), "");
}

/// The body of main(), braces matched.
std::string main_body(const std::string& text) {
    const std::size_t start = text.find("void main()");
    if (start == std::string::npos) return {};
    int depth = 0;
    for (std::size_t position = text.find('{', start); position < text.size(); ++position) {
        if (text[position] == '{') ++depth;
        if (text[position] == '}' && --depth == 0) return text.substr(start, position - start);
    }
    return {};
}

/// What breaks a rule of fft/README.md in one kernel's text; empty when nothing does.
std::vector<std::string> broken_rules(const std::string& commented) {
    const std::string text = without_comments(commented);
    std::vector<std::string> broken;
    const auto contains = [&text](const char* pattern) { return std::regex_search(text, std::regex(pattern)); };
    if (contains(R"(\b(sin|cos|sincos|exp)\s*\()")) broken.emplace_back("computes a twiddle in the shader");
    if (contains(R"(\breturn\s*;)") || main_body(text).find("return") != std::string::npos)
        broken.emplace_back("returns early");
    // Line continuations of macros are no text.
    const auto count = [flat = std::regex_replace(text, std::regex(R"(\\\n)"), "\n")](const char* pattern) {
        const std::regex expression(pattern);
        return std::distance(std::sregex_iterator(flat.begin(), flat.end(), expression), std::sregex_iterator());
    };
    const auto barriers = count(R"(\bbarrier\s*\(\s*\))");
    const auto through_storage = count(R"(storage_barrier\(\);\s*barrier\(\);)");
    const bool coherent = contains(R"(#define EXCHANGE_QUALIFIER coherent)");
    // barrier() orders shared memory by itself, and no other.
    if (barriers != through_storage && (coherent || !contains(R"(\bshared\b)")))
        broken.emplace_back("has a barrier without a memory barrier in front");
    if (through_storage > 0 && !coherent) broken.emplace_back("exchanges values through memory that is not coherent");
    // Conditions around barriers may depend on constants and the stage only.
    const std::string main_text = main_body(text);
    if (main_text.find("end_stage") != std::string::npos || main_text.find("barrier") != std::string::npos) {
        const std::regex condition(R"(\b(if|for|while|switch)\s*\(([^{]*)\)\s*\{)");
        for (auto match = std::sregex_iterator(main_text.begin(), main_text.end(), condition);
             match != std::sregex_iterator(); ++match)
            if (std::regex_search((*match)[2].str(), std::regex("gl_|butterfly|position|offset")))
                broken.emplace_back("has divergent flow around a barrier: " + (*match)[0].str());
    }
    return broken;
}

TEST(FftShaderScan, FindsWhatItIsMadeToFind) {
    const std::string good = "#define EXCHANGE_QUALIFIER coherent\nvoid main() { storage_barrier();\n barrier(); }";
    EXPECT_TRUE(broken_rules(good).empty());
    EXPECT_TRUE(broken_rules("shared vec4 exchange[4]; void main() { barrier(); }").empty());
    EXPECT_FALSE(broken_rules("void main() { barrier(); }").empty());
    EXPECT_FALSE(broken_rules("#define EXCHANGE_QUALIFIER coherent\nshared vec4 exchange[4];"
                              "void main() { storage_barrier(); barrier(); x = 1; barrier(); }")
                     .empty());
    EXPECT_FALSE(broken_rules("void main() { storage_barrier(); barrier(); }").empty());
    EXPECT_FALSE(broken_rules("void main() { float x = cos (1.0); }").empty());
    EXPECT_FALSE(broken_rules("void helper() { if (x) return; } void main() {}").empty());
    EXPECT_FALSE(broken_rules("void main() { if (gl_LocalInvocationID.x > 3u) { end_stage(); } }").empty());
    EXPECT_TRUE(broken_rules("void main() { x = 1; } // no sin(x) here, no return;").empty());
}

TEST(FftShaderScan, KernelsKeepTheRules) {
    const gl::ShaderSources sources = source_tree();
    int kernels = 0;
    for (const std::string& path : sources.list()) {
        if (!path.ends_with(".comp")) continue;
        if (!path.starts_with("fft/") && path != "render/box_mipmaps.comp") continue;
        ++kernels;
        for (const std::string& broken : broken_rules(sources.expand(path, {}).text))
            ADD_FAILURE() << path << " " << broken;
    }
    EXPECT_GE(kernels, 4);
}

/// One program of a plan, and the description that it belongs to.
struct Kernel {
    fft::TransformDesc desc;
    gl::ProgramRecipe recipe;
};

std::vector<Kernel> all_kernels() {
    std::vector<Kernel> kernels;
    for (const auto algorithm : fft::glsl_algorithms)
        for (const auto packing : fft::all_packings)
            for (const auto storage : fft::all_storages)
                for (const auto direction : fft::all_directions)
                    for (const int size : {16, 128}) { // even and odd numbers of stages
                        const fft::TransformDesc desc{.size = size,
                                                      .direction = direction,
                                                      .algorithm = algorithm,
                                                      .packing = packing,
                                                      .storage = storage,
                                                      .scaling = fft::Scaling::by_n2};
                        const fft::LaunchPlan launch = fft::plan_launch(desc, {});
                        for (const auto axis : {fft::Axis::horizontal, fft::Axis::vertical})
                            kernels.push_back({desc, fft::kernel_recipe(desc, launch, axis, size == 16 ? 0 : 1,
                                                                        axis == fft::Axis::vertical)});
                    }
    return kernels;
}

class GlslangTest : public ::testing::Test {
protected:
    void SetUp() override {
        if (std::system("command -v glslangValidator >/dev/null 2>&1") != 0)
            GTEST_SKIP() << "glslangValidator is not installed (package glslang-tools)";
        folder_ = fs::temp_directory_path() / fmt::format("spindrift-fft-kernels-{}", getpid());
        fs::create_directories(folder_);
    }
    void TearDown() override {
        if (!folder_.empty()) fs::remove_all(folder_);
    }

    fs::path write(const std::string& name, const std::string& text) const {
        fs::path path = folder_ / name;
        std::ofstream(path) << text;
        return path;
    }

    /// Exit status and everything that was printed.
    static std::pair<int, std::string> run(const std::string& command) {
        std::string output;
        std::FILE* pipe = popen(fmt::format("{} 2>&1", command).c_str(), "r");
        if (pipe == nullptr) return {-1, "popen failed"};
        std::array<char, 4096> chunk{};
        while (const std::size_t count = std::fread(chunk.data(), 1, chunk.size(), pipe))
            output.append(chunk.data(), count);
        return {pclose(pipe), output};
    }

    fs::path folder_;
};

TEST_F(GlslangTest, AcceptsEveryKernel) {
    const gl::ShaderSources sources = source_tree();
    std::vector<gl::ProgramRecipe> recipes{gl::ProgramRecipe::compute("fft/occupy.comp")};
    for (const Kernel& kernel : all_kernels()) recipes.push_back(kernel.recipe);
    for (const auto packing : fft::all_packings)
        for (const auto storage : fft::all_storages)
            for (const auto recipe : {fft::copy_recipe, fft::scale_recipe})
                recipes.push_back(recipe({.packing = packing, .storage = storage, .scaling = fft::Scaling::by_n2}));
    for (int levels = 1; levels <= render::BoxMipmaps::levels_per_dispatch; ++levels)
        recipes.push_back(render::BoxMipmaps::recipe(levels));
    // Shared between invocations at 128, not at 1024; columns of 1024 in a buffer take turns.
    for (const int size : {128, 1024})
        for (const auto packing : fft::all_packings) {
            const ocean::SimulationDesc sea{
                .algorithm = fft::Algorithm::tuned, .size = size, .packing = packing, .fused = true};
            const fft::TransformDesc desc = ocean::transform_desc(sea);
            const fft::TunedSchedule schedule = fft::default_fused_schedule(desc, {}).value();
            for (const fft::KernelParameters& kernel : {schedule.rows, schedule.columns})
                recipes.push_back(fft::fused_recipe(kernel, desc, ocean::fused_shaders(sea)));
            fft::TransformDesc alone = desc;
            alone.storage = fft::Storage::buffer;
            recipes.push_back(fft::tuned_recipe(fft::default_schedule(alone, {}).value().columns));
        }
    std::string command = "glslangValidator";
    std::map<std::string, std::string> keys;
    for (const gl::ProgramRecipe& recipe : recipes) {
        const std::string name = fmt::format("{}.comp", keys.size());
        keys[name] = recipe.key();
        write(name, sources.expand(recipe.stages[0].path, recipe.defines).text);
        command += fmt::format(" {}", (folder_ / name).string());
    }
    const auto [status, output] = run(command);
    std::string legend;
    if (status != 0)
        for (const auto& [name, key] : keys) legend += fmt::format("{} = {}\n", name, key);
    EXPECT_EQ(status, 0) << output.substr(0, 4000) << legend;
    // And it is not a validator that accepts everything.
    const fs::path bad = write("bad.comp", "#version 450 core\nvoid main() { int x = 1.5; }");
    EXPECT_NE(run(fmt::format("glslangValidator {}", bad.string())).first, 0);
}

TEST_F(GlslangTest, ImageQualifiersEqualTheBoundFormatAndSharedDataIsCoherent) {
    const gl::ShaderSources sources = source_tree();
    for (const Kernel& kernel : all_kernels()) {
        // Size and direction change no declaration.
        if (kernel.desc.size != 16 || kernel.desc.direction != fft::Direction::forward) continue;
        const fs::path path =
            write("kernel.comp", sources.expand(kernel.recipe.stages[0].path, kernel.recipe.defines).text);
        const std::string text = run(fmt::format("glslangValidator -E {}", path.string())).second;
        const bool is_image = kernel.desc.storage == fft::Storage::image;
        // One store for both ends, or one each; nothing is exchanged through them.
        const bool tuned = kernel.desc.algorithm == fft::Algorithm::tuned;
        const bool exchanges =
            !tuned && (text.find("barrier ( )") != std::string::npos || text.find("barrier()") != std::string::npos);
        EXPECT_EQ(exchanges, !tuned && kernel.desc.algorithm != fft::Algorithm::cooley_tukey_stages)
            << kernel.recipe.key();
        const std::string wanted(gl::image_qualifier(fft::data_texture_desc(kernel.desc).format));
        int found = 0;
        std::istringstream lines(text);
        for (std::string line; std::getline(lines, line);) {
            const bool is_store = line.find(is_image ? "image2DArray" : "Buffer") != std::string::npos &&
                                  line.find("layout") != std::string::npos &&
                                  line.find("readonly") == std::string::npos; // the twiddles are
            if (!is_store) continue;
            ++found;
            if (is_image) {
                EXPECT_NE(line.find(", " + wanted), std::string::npos) << kernel.recipe.key() << ": " << line;
            }
            EXPECT_EQ(line.find("coherent") != std::string::npos, exchanges) << kernel.recipe.key() << ": " << line;
        }
        EXPECT_EQ(found, tuned ? 1 : 2) << kernel.recipe.key(); // in place at this size; else data and scratch
    }
}

} // namespace
} // namespace spindrift
