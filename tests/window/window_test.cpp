// The real GLFW window on whatever display there is; the test script provides Xvfb.
#include "engine/error.h"
#include "engine/gl/framebuffer.h"
#include "engine/gl/gl.h"
#include "engine/platform/window.h"

#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>
#include <optional>

namespace spindrift::platform {
namespace {

class WindowTest : public ::testing::Test {
protected:
    void SetUp() override {
        if (std::getenv("DISPLAY") == nullptr && std::getenv("WAYLAND_DISPLAY") == nullptr)
            GTEST_SKIP() << "no display (DISPLAY and WAYLAND_DISPLAY are not set)";
        window_.emplace(WindowDesc{.title = "test", .size = {320, 240}, .debug = true, .vsync = Vsync::off});
    }
    void TearDown() override {
        if (window_) {
            EXPECT_EQ(gl::drain_errors(), "");
        }
    }

    Window& window() { return *window_; }

    /// The X server answers when it likes: polls until the condition holds, by default for at most five seconds.
    template <typename Condition>
    bool eventually(Condition condition, int attempts = 100) {
        for (int attempt = 0; attempt < attempts; ++attempt) {
            for (Event& event : window_->wait_events(0.05)) events_.push_back(std::move(event));
            if (condition()) return true;
        }
        return condition();
    }

    /// Draws one colour over the whole framebuffer and reads a corner pixel back.
    std::vector<std::uint8_t> draw_and_read() {
        const Extent size = window_->framebuffer_size();
        if (size.empty()) return {};
        gl::Framebuffer::window().bind(size.width, size.height);
        const std::array<float, 4> colour{0.2f, 0.4f, 0.6f, 1.0f};
        glClearBufferfv(GL_COLOR, 0, colour.data());
        std::vector<std::uint8_t> pixels = gl::Framebuffer::window().read_rgb8(size.width, size.height);
        window_->swap();
        return pixels;
    }

    std::vector<Event> events_;

private:
    std::optional<Window> window_;
};

TEST_F(WindowTest, HasA45DebugContextAndDraws) {
    EXPECT_TRUE(window().device().debug_context);
    EXPECT_NE(window().platform().find("GLFW"), std::string::npos);
    EXPECT_GT(window().content_scale(), 0.0f);
    const std::vector<std::uint8_t> pixels = draw_and_read();
    ASSERT_GE(pixels.size(), 3u);
    EXPECT_EQ(pixels[0], 51);
    EXPECT_EQ(pixels[1], 102);
    EXPECT_EQ(pixels[2], 153);
}

TEST_F(WindowTest, ResizingReportsTheNewFramebuffer) {
    window().set_size({500, 300});
    ASSERT_TRUE(eventually([&] { return window().window_size() == Extent{500, 300}; }));
    eventually([&] { return !events_.empty(); });
    bool reported = false;
    for (const Event& event : events_)
        if (const auto* resize = std::get_if<FramebufferResizeEvent>(&event))
            reported = Extent{resize->width, resize->height} == window().framebuffer_size();
    EXPECT_TRUE(reported);
    EXPECT_EQ(draw_and_read().size(), static_cast<std::size_t>(window().framebuffer_size().width) *
                                          static_cast<std::size_t>(window().framebuffer_size().height) * 3);
}

TEST_F(WindowTest, ShrinksToNothingAndMinimisesAndComesBack) {
    window().set_size({0, 0});
    eventually([&] { return window().window_size().width <= 1; });
    draw_and_read();
    window().minimise();
    eventually([&] { return window().minimised(); }, 10); // needs a window manager: no harm without
    draw_and_read();
    window().restore();
    window().set_size({320, 240});
    ASSERT_TRUE(eventually([&] { return window().window_size() == Extent{320, 240}; }));
    EXPECT_FALSE(draw_and_read().empty());
}

TEST_F(WindowTest, FullScreenRemembersTheWindow) {
    const Extent before = window().window_size();
    window().set_fullscreen(true);
    EXPECT_TRUE(window().fullscreen());
    ASSERT_TRUE(eventually([&] { return window().window_size().width > before.width; }));
    draw_and_read();
    window().set_fullscreen(false);
    EXPECT_FALSE(window().fullscreen());
    EXPECT_TRUE(eventually([&] { return window().window_size() == before; }))
        << window().window_size().width << " x " << window().window_size().height;
    draw_and_read();
}

TEST_F(WindowTest, ClosingIsAsked) {
    EXPECT_FALSE(window().should_close());
    window().request_close();
    EXPECT_TRUE(window().should_close());
    window().request_close(false);
    EXPECT_FALSE(window().should_close());
}

TEST_F(WindowTest, VsyncIsWhatWasSet) {
    window().set_vsync(Vsync::on);
    EXPECT_EQ(window().vsync(), Vsync::on);
    window().set_vsync(Vsync::adaptive);
    EXPECT_NE(window().vsync(), Vsync::off);
    window().set_vsync(Vsync::off);
    EXPECT_EQ(window().vsync(), Vsync::off);
}

TEST_F(WindowTest, TwoWindowsOneAfterTheOther) {
    const std::size_t objects = gl::live_objects();
    {
        const Window second(WindowDesc{.size = {64, 64}, .visible = false});
        EXPECT_FALSE(second.framebuffer_size().empty());
    }
    window().make_current();
    EXPECT_FALSE(draw_and_read().empty());
    EXPECT_EQ(gl::live_objects(), objects);
}

/// In a process of its own, because GLFW reads DISPLAY once.
TEST(WindowWithoutDisplay, SaysWhatIsMissingAndWhatWorks) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(
        {
            unsetenv("DISPLAY");
            unsetenv("WAYLAND_DISPLAY");
            try {
                const Window window(WindowDesc{});
            } catch (const Error& error) {
                std::fputs(error.what(), stderr);
                std::exit(static_cast<int>(error.exit_code()));
            }
            std::exit(0);
        },
        ::testing::ExitedWithCode(static_cast<int>(ExitCode::no_gpu)), "DISPLAY.*--headless");
}

/// In a process of its own, which inherits the override: Mesa reads it once.
TEST(WindowWithOldGl, NamesTheVersionFound) {
    if (std::getenv("DISPLAY") == nullptr) GTEST_SKIP() << "no display (DISPLAY is not set)";
    constexpr const char* override_name = "MESA_GL_VERSION_OVERRIDE";
    if (std::getenv(override_name) == nullptr) {
        const Window window(WindowDesc{.visible = false});
        if (window.device().version.find("Mesa") == std::string::npos)
            GTEST_SKIP() << override_name << " works with Mesa only; this is " << window.device().version;
    }
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    setenv(override_name, "4.1", 1);
    EXPECT_EXIT(
        {
            try {
                const Window window(WindowDesc{.visible = false});
            } catch (const Error& error) {
                std::fputs(error.what(), stderr);
                std::exit(static_cast<int>(error.exit_code()));
            }
            std::exit(0);
        },
        ::testing::ExitedWithCode(static_cast<int>(ExitCode::no_gpu)), "4\\.5.*found 4\\.1");
    unsetenv(override_name);
}

} // namespace
} // namespace spindrift::platform
