// One headless context for all tests of this executable; tests that need it skip with the reason when there is none.
#pragma once

#include "engine/error.h"
#include "engine/gl/device.h"
#include "engine/gl/program.h"
#include "engine/platform/headless_context.h"
#include "tests/source_tree.h"

#include <gtest/gtest.h>
#include <memory>
#include <string>

namespace spindrift::test {

class ContextTest : public ::testing::Test {
protected:
    static void SetUpTestSuite() { context(); }

    void SetUp() override {
        if (!context()) GTEST_SKIP() << skip_reason();
        make_current(); // a test before this one may have had a context of its own
        gl::drain_errors();
    }
    void TearDown() override {
        if (context()) {
            make_current();
            EXPECT_EQ(gl::drain_errors(), "");
        }
    }

    static void make_current() { context()->make_current(); }
    static platform::HeadlessContext& context_of_tests() { return *context(); }
    static const gl::DeviceInfo& device() { return context()->device(); }
    /// Reads the shaders of the source tree, so that a test sees what is on disk now.
    static gl::ProgramLibrary make_library() {
        return gl::ProgramLibrary(gl::ShaderSources::directory(source_path("shaders")));
    }

private:
    static std::string& skip_reason() {
        static std::string reason;
        return reason;
    }
    static platform::HeadlessContext* context() {
        static std::unique_ptr<platform::HeadlessContext> shared = [] {
            try {
                return std::make_unique<platform::HeadlessContext>(platform::HeadlessContextDesc{.debug = true});
            } catch (const Error& error) {
                skip_reason() = error.what();
                return std::unique_ptr<platform::HeadlessContext>{};
            }
        }();
        return shared.get();
    }
};

} // namespace spindrift::test
