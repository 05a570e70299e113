// Timestamps of the real driver: above zero for compute and draw passes, children within their parents, no GL errors.
#include "engine/gl/framebuffer.h"
#include "engine/gl/gl.h"
#include "engine/profiler/profiler.h"
#include "tests/gl/context_fixture.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace spindrift::profiler {
namespace {

constexpr int size = 256;

class ProfilerGl : public test::ContextTest {
protected:
    void SetUp() override {
        ContextTest::SetUp();
        if (IsSkipped()) return;
        folder_ =
            std::filesystem::path(::testing::TempDir()) / ("spindrift-profiler-shaders-" + std::to_string(::getpid()));
        std::filesystem::create_directories(folder_);
        write("work.comp", "layout(local_size_x = 16, local_size_y = 16) in;\n"
                           "layout(rgba32f, binding = 0) uniform writeonly image2D target;\n"
                           "void main() { vec4 sum = vec4(0.0); for (int i = 0; i < 32; ++i) sum += sin(vec4(i) + "
                           "vec4(gl_GlobalInvocationID.xyxy));\n"
                           "imageStore(target, ivec2(gl_GlobalInvocationID.xy), sum); }\n");
        write("full.vert",
              "void main() { gl_Position = vec4(vec2((gl_VertexID << 1) & 2, gl_VertexID & 2) * 2.0 - 1.0, "
              "0.0, 1.0); }\n");
        write("full.frag", "layout(location = 0) out vec4 color;\n"
                           "void main() { vec4 sum = vec4(0.0); for (int i = 0; i < 32; ++i) sum += sin(vec4(i) + "
                           "gl_FragCoord); color = sum; }\n");
        library_.emplace(gl::ShaderSources::directory(folder_));
        image_ = gl::Texture({.width = size, .height = size}, "image");
        color_ = gl::Texture({.width = size, .height = size}, "color");
        framebuffer_ = gl::Framebuffer("framebuffer");
        framebuffer_.attach_color(color_);
        vertices_ = gl::VertexArray("none");
    }

    void TearDown() override {
        image_ = gl::Texture(gl::no_create);
        color_ = gl::Texture(gl::no_create);
        framebuffer_ = gl::Framebuffer(gl::no_create);
        vertices_ = gl::VertexArray(gl::no_create);
        library_.reset();
        if (!folder_.empty()) std::filesystem::remove_all(folder_);
        ContextTest::TearDown();
    }

    void compute() {
        image_.bind_image(0, gl::Access::write_only);
        library_->get(gl::ProgramRecipe::compute("work.comp")).dispatch(size, size);
        gl::memory_barrier(gl::Visibility::image);
    }
    void draw() {
        framebuffer_.bind(size, size);
        vertices_.bind();
        library_->get(gl::ProgramRecipe::graphics("full.vert", "full.frag")).use();
        glDrawArrays(GL_TRIANGLES, 0, 3);
    }
    /// Compute while a framebuffer with work of its own is bound, as in a frame: the order that llvmpipe defers.
    void frame(Profiler& profiler) {
        profiler.begin_frame();
        {
            auto step = profiler.scope("step");
            {
                auto inner = profiler.scope("fft.horizontal");
                compute();
            }
            auto inner = profiler.scope("fft.vertical");
            compute();
        }
        {
            auto surface = profiler.scope("surface");
            draw();
        }
        {
            auto post = profiler.scope("post");
            draw();
        }
        profiler.end_frame();
    }

private:
    void write(const char* name, const char* body) { std::ofstream(folder_ / name) << "#version 450 core\n" << body; }

    std::filesystem::path folder_;
    std::optional<gl::ProgramLibrary> library_;
    gl::Texture image_{gl::no_create}, color_{gl::no_create};
    gl::Framebuffer framebuffer_{gl::no_create};
    gl::VertexArray vertices_{gl::no_create};
};

TEST_F(ProfilerGl, EveryPassReadsAboveZeroAndChildrenFitIntoTheirParents) {
    if (device().limits.timestamp_bits == 0) GTEST_SKIP() << "this driver has no timestamps";
    Profiler profiler(device());
    frame(profiler); // compiles
    profiler.record(12);
    for (int count = 0; count < 12; ++count) frame(profiler);
    profiler.drain();

    const Recording& recording = profiler.recording();
    ASSERT_EQ(recording.frames.size(), 12u);
    const std::vector<ScopeSeries> series = recording.series();
    ASSERT_EQ(series.size(), 5u);
    for (const ScopeSeries& scope : series) {
        const std::string& path = recording.nodes[static_cast<std::size_t>(scope.node)].path;
        for (std::size_t row = 0; row < 12; ++row) {
            if (recording.frames[row].gpu_missed) continue;
            EXPECT_GT(scope.gpu_ms[row], 0.0) << path << " in frame " << row;
            EXPECT_LE(scope.gpu_ms[row], recording.frames[row].gpu_ms()) << path << " in frame " << row;
            EXPECT_GT(scope.cpu_ms[row], 0.0) << path;
        }
    }
    for (std::size_t row = 0; row < 12; ++row) {
        if (recording.frames[row].gpu_missed) continue;
        EXPECT_LE(series[1].gpu_ms[row] + series[2].gpu_ms[row], series[0].gpu_ms[row]) << "children beyond the parent";
    }
    EXPECT_EQ(recording.absurd, 0u);
    const Statistics statistics = recording.statistics();
    for (const ScopeStatistics& scope : statistics.scopes)
        RecordProperty(scope.path, std::to_string(scope.gpu_ms.median));
}

TEST_F(ProfilerGl, TwiceTheWorkTakesLonger) {
    if (device().limits.timestamp_bits == 0) GTEST_SKIP() << "this driver has no timestamps";
    Profiler profiler(device());
    frame(profiler);
    profiler.record(9);
    for (int count = 0; count < 9; ++count) {
        profiler.begin_frame();
        {
            auto once = profiler.scope("once");
            compute();
        }
        {
            auto many = profiler.scope("eight times");
            for (int repeat = 0; repeat < 8; ++repeat) compute();
        }
        {
            auto once = profiler.scope("draw once");
            draw();
        }
        {
            auto many = profiler.scope("draw eight times");
            for (int repeat = 0; repeat < 8; ++repeat) draw();
        }
        profiler.end_frame();
    }
    profiler.drain();
    const Statistics statistics = profiler.recording().statistics();
    ASSERT_EQ(statistics.scopes.size(), 4u);
    // Order, not wall time: the minimum of eight times the work is above the minimum of one.
    EXPECT_GT(statistics.scopes[1].gpu_ms.min, statistics.scopes[0].gpu_ms.min);
    EXPECT_GT(statistics.scopes[3].gpu_ms.min, statistics.scopes[2].gpu_ms.min);
}

TEST_F(ProfilerGl, QueriesAreReusedAndFreed) {
    const std::size_t before = gl::live_objects(gl::ObjectKind::query);
    {
        Profiler profiler(device());
        for (int count = 0; count < 8; ++count) frame(profiler);
        const std::size_t filled = gl::live_objects(gl::ObjectKind::query);
        for (int count = 0; count < 8; ++count) frame(profiler);
        EXPECT_EQ(gl::live_objects(gl::ObjectKind::query), filled);
        profiler.drain();
    }
    EXPECT_EQ(gl::live_objects(gl::ObjectKind::query), before);
}

TEST_F(ProfilerGl, ScopesAreDebugGroups) {
    Profiler profiler(device());
    const auto depth = [] {
        GLint value = 0;
        glGetIntegerv(GL_DEBUG_GROUP_STACK_DEPTH, &value);
        return value;
    };
    const GLint base = depth();
    profiler.begin_frame();
    {
        auto outer = profiler.scope("outer");
        EXPECT_EQ(depth(), base + 1);
        auto inner = profiler.scope("inner");
        EXPECT_EQ(depth(), base + 2);
    }
    EXPECT_EQ(depth(), base);
    profiler.end_frame();
    profiler.drain();
}

} // namespace
} // namespace spindrift::profiler
