// Headless contexts: what they are, several in one process, and what they say when OpenGL is too old.
#include "engine/platform/headless_context.h"
#include "tests/gl/context_fixture.h"

#include <cstdio>
#include <cstdlib>

namespace spindrift::platform {
namespace {

struct ContextGl : test::ContextTest {};

TEST_F(ContextGl, DescribesItself) {
    const HeadlessContext context({.debug = true, .size = {640, 360}});
    EXPECT_NE(context.platform().find("EGL"), std::string::npos);
    EXPECT_EQ(context.framebuffer_size(), (Extent{640, 360}));
    EXPECT_TRUE(context.device().debug_context);
    EXPECT_FALSE(context.device().renderer.empty());
    EXPECT_GE(context.device().limits.max_group_invocations, 1024);
}

TEST_F(ContextGl, DebugIsOffUnlessAsked) {
    EXPECT_FALSE(HeadlessContext().device().debug_context);
}

/// In a process of its own, which inherits the override: Mesa reads it once.
TEST(HeadlessContextWithOldGl, NamesTheVersionFound) {
    constexpr const char* override_name = "MESA_GL_VERSION_OVERRIDE";
    if (std::getenv(override_name) == nullptr) {
        try {
            const HeadlessContext context;
            if (context.device().version.find("Mesa") == std::string::npos)
                GTEST_SKIP() << override_name << " works with Mesa only; this is " << context.device().version;
        } catch (const Error& error) {
            GTEST_SKIP() << error.what();
        }
    }
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    setenv(override_name, "4.1", 1);
    EXPECT_EXIT(
        {
            try {
                const HeadlessContext context;
            } catch (const Error& error) {
                std::fputs(error.what(), stderr);
                std::exit(static_cast<int>(error.exit_code()));
            }
            std::exit(0);
        },
        ::testing::ExitedWithCode(static_cast<int>(ExitCode::no_gpu)), "surfaceless.*4\\.5.*found 4\\.1");
    unsetenv(override_name);
}

} // namespace
} // namespace spindrift::platform
