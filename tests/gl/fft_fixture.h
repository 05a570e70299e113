// Running a plan on random or chosen input and measuring it against the double-precision reference.
#pragma once

#include "tests/gl/context_fixture.h"

#include "fft/plan.h"
#include "fft/reference.h"
#include "fft/verification.h"

#include <cstdlib>
#include <fmt/format.h>
#include <limits>
#include <memory>
#include <random>
#include <vector>

namespace spindrift::test {

using fft::fp32_gate;

/// Sizes beyond 512 take a software renderer minutes; a real GPU runs them with SPINDRIFT_TEST_ALL_SIZES=1.
inline bool all_sizes_wanted() {
    const char* all = std::getenv("SPINDRIFT_TEST_ALL_SIZES");
    return all != nullptr && std::string_view(all) == "1";
}
inline std::vector<int> tested_sizes() {
    if (all_sizes_wanted()) return {16, 32, 64, 128, 256, 512, 1024, 2048};
    return {16, 64, 128, 256, 512};
}
/// For tests that run a transform a hundred times.
inline std::vector<int> repeated_sizes() {
    if (all_sizes_wanted()) return {16, 32, 512};
    return {16, 32};
}

inline std::string describe(const fft::TransformDesc& desc) {
    return fmt::format("{} {} {} {} {} size {} layers {} butterflies {}", to_string(desc.algorithm),
                       to_string(desc.packing), to_string(desc.storage), to_string(desc.direction),
                       to_string(desc.scaling), desc.size, desc.layers, desc.butterflies_per_invocation);
}

/// Uniform in [-1, 1), different in every lane and layer.
inline std::vector<float> random_texels(const fft::TransformDesc& desc, unsigned seed) {
    std::mt19937 generator(seed);
    std::vector<float> texels(fft::float_count(desc));
    for (float& value : texels) value = static_cast<float>(generator() >> 8U) * 0x1p-23F - 1.0F;
    return texels;
}

class FftTest : public ContextTest {
protected:
    /// One library for all tests of a suite: each kernel is compiled once.
    static gl::ProgramLibrary& library() {
        static gl::ProgramLibrary shared = make_library();
        return shared;
    }

    static void poison_scratch(fft::Plan& plan) { plan.fill_scratch(std::numeric_limits<float>::quiet_NaN()); }

    /// Uploads, executes and downloads.
    static std::vector<float> execute(fft::Plan& plan, std::span<const float> input) {
        std::vector<float> output(input.size());
        if (plan.desc().storage == fft::Storage::image) {
            gl::Texture data(fft::data_texture_desc(plan.desc()), "fft test data");
            data.upload(input);
            plan.execute(data);
            data.download(output);
        } else {
            gl::Buffer data = gl::Buffer::from(input, "fft test data");
            plan.execute(data);
            data.download(std::as_writable_bytes(std::span(output)));
        }
        return output;
    }

    /// Executes with a scratch full of NaN and compares with the reference.
    static fft::reference::ErrorNorms measure(const fft::TransformDesc& desc, std::span<const float> input) {
        fft::Plan plan(desc, library(), device().limits);
        poison_scratch(plan);
        const std::vector<float> output = execute(plan, input);
        return fft::reference::batch_error_norms(output, desc, fft::reference::transform_batch(input, desc));
    }
};

} // namespace spindrift::test
