// `verify` is green for our kernels and red for each of several broken ones.
#include "tests/gl/broken_shaders.h"
#include "tests/gl/fft_fixture.h"

#include "app/commands/verify.h"
#include "fft/benchmark.h"
#include "fft/verification.h"

#include <functional>

namespace spindrift {
namespace {

using test::BrokenShaders;

class FftVerification : public test::FftTest {
protected:
    static fft::VerificationSet small_set(std::vector<int> sizes = {16, 32}) {
        fft::VerificationSet set;
        set.sizes = std::move(sizes);
        set.algorithms.assign(fft::glsl_algorithms.begin(), fft::glsl_algorithms.end());
        return set;
    }

    /// Every result fails that `affected` names, and no other.
    static void expect_failures(const BrokenShaders& shaders, const std::vector<int>& sizes,
                                const std::function<bool(const fft::TransformDesc&)>& affected) {
        gl::ProgramLibrary broken = shaders.library();
        const fft::VerificationReport report = fft::verify(small_set(sizes), broken, device().limits);
        EXPECT_FALSE(report.ok());
        for (const fft::VerificationResult& result : report.results)
            EXPECT_EQ(result.ok, !affected(result.desc)) << result.describe();
    }
};

TEST_F(FftVerification, EveryKernelPassesAndEveryCombinationIsRun) {
    const std::size_t combinations =
        2 * fft::glsl_algorithms.size() * 2 * 2 * 2; // sizes, packings, storages, directions
    std::size_t calls = 0;
    const fft::VerificationReport report = fft::verify(
        small_set(), library(), device().limits, [&](std::size_t done, std::size_t total, const fft::TransformDesc&) {
            EXPECT_EQ(done, calls++);
            EXPECT_EQ(total, combinations);
        });
    EXPECT_EQ(calls, combinations);
    EXPECT_EQ(report.results.size(), combinations);
    EXPECT_TRUE(report.ok());
    for (const fft::VerificationResult& result : report.results) EXPECT_TRUE(result.ok) << result.describe();
}

TEST_F(FftVerification, WhatCannotRunIsListedAndIsNoFailure) {
    gl::DeviceLimits limits = device().limits;
    limits.max_texture_size = 16;
    const fft::VerificationReport report = fft::verify(small_set(), library(), limits);
    EXPECT_TRUE(report.ok());
    EXPECT_EQ(report.unavailable.size(), 4 * fft::glsl_algorithms.size()); // packings, directions
    EXPECT_EQ(report.results.size(), 12 * fft::glsl_algorithms.size());
    EXPECT_NE(report.unavailable[0].reason.find("16"), std::string::npos);
    // But nothing at all is no success.
    limits.max_group_count = {1, 1, 1};
    EXPECT_FALSE(fft::verify(small_set(), library(), limits).ok());
}

TEST_F(FftVerification, AWrongSecondLaneFailsInVec4Only) {
    const BrokenShaders shaders("common/complex.glsl", "vec4(-v.y, v.x, -v.w, v.z)", "vec4(-v.y, v.x, v.w, v.z)");
    // Some tuned kernels have an invocation for each lane, and no value of two.
    expect_failures(shaders, {16}, [](const fft::TransformDesc& desc) {
        if (desc.packing != fft::Packing::vec4) return false;
        return desc.algorithm != fft::Algorithm::tuned ||
               fft::default_schedule(desc, device().limits).value().rows.lanes == 1;
    });
}

TEST_F(FftVerification, ALostLayerFailsOnBuffersOnly) {
    const BrokenShaders shaders("fft/storage.glsl", "return (layer * SIZE + element) * SIZE + line;",
                                "return element * SIZE + line;");
    expect_failures(shaders, {16}, [](const fft::TransformDesc& desc) {
        return desc.storage == fft::Storage::buffer && desc.algorithm != fft::Algorithm::tuned;
    });
}

TEST_F(FftVerification, ALostLayerOfTheTunedKernelsFailsOnBuffersOnly) {
    const BrokenShaders shaders("fft/tuned_load.glsl", "layer * SIZE * SIZE + ", "");
    expect_failures(shaders, {16}, [](const fft::TransformDesc& desc) {
        return desc.storage == fft::Storage::buffer && desc.algorithm == fft::Algorithm::tuned;
    });
}

TEST_F(FftVerification, ATwiddleThatIsSlightlyOffFails) {
    const BrokenShaders shaders("fft/twiddle.glsl", "vec2 w = twiddles[k];", "vec2 w = twiddles[k] * 1.00001;");
    expect_failures(shaders, {16},
                    [](const fft::TransformDesc& desc) { return desc.algorithm != fft::Algorithm::tuned; });
}

TEST_F(FftVerification, ATwiddleOfTheTunedKernelsThatIsSlightlyOffFails) {
    const BrokenShaders shaders("fft/tuned_kernel.glsl", "= twiddles[(table)", "= 1.00001 * twiddles[(table)");
    // Of 16 points one invocation may hold all, and there is no twiddle.
    expect_failures(shaders, {64},
                    [](const fft::TransformDesc& desc) { return desc.algorithm == fft::Algorithm::tuned; });
}

TEST_F(FftVerification, AnUnwrittenElementShowsThePoison) {
    const BrokenShaders shaders("fft/stockham_radix4.comp", "write_last(STAGES - 1, butterfly, a + b);", "");
    expect_failures(shaders, {16, 32}, [](const fft::TransformDesc& desc) {
        return desc.algorithm == fft::Algorithm::stockham_radix4 && desc.size == 32;
    });
}

TEST_F(FftVerification, AKernelThatDoesNotCompileFailsAlone) {
    const BrokenShaders shaders("fft/stockham_radix2.comp", "void main() {", "void main() { undeclared = 1;");
    expect_failures(shaders, {16},
                    [](const fft::TransformDesc& desc) { return desc.algorithm == fft::Algorithm::stockham_radix2; });
    gl::ProgramLibrary broken = shaders.library();
    const fft::VerificationResult result =
        fft::verify_transform({.size = 16, .algorithm = fft::Algorithm::stockham_radix2}, broken, device().limits);
    EXPECT_NE(result.describe().find("stockham_radix2.comp"), std::string::npos) << result.describe();
}

TEST_F(FftVerification, OneTransformForThePanel) {
    const fft::VerificationResult good = fft::verify_transform({.size = 64, .layers = 2}, library(), device().limits);
    EXPECT_TRUE(good.ok) << good.describe();
    EXPECT_GT(good.norms.max_over_rms, good.norms.relative_l2);
    const fft::VerificationResult impossible = fft::verify_transform({.size = 100}, library(), device().limits);
    EXPECT_FALSE(impossible.ok);
    EXPECT_NE(impossible.describe().find("size is 100"), std::string::npos);
}

TEST_F(FftVerification, JsonAndTableSayWhatTheReportSays) {
    gl::DeviceLimits limits = device().limits;
    limits.max_texture_size = 16;
    fft::VerificationReport report = fft::verify(small_set(), library(), limits);
    report.results[3].ok = false;
    report.results[3].norms = {0.52, std::numeric_limits<double>::infinity()};
    const auto json = nlohmann::json::parse(verification_json(report, device()).dump());
    EXPECT_EQ(json.at("schema"), "spindrift.verify/1");
    EXPECT_EQ(json.at("ok"), false);
    EXPECT_EQ(json.at("failures"), 1);
    EXPECT_EQ(json.at("results").size(), report.results.size());
    EXPECT_EQ(json.at("unavailable").size(), 4 * fft::glsl_algorithms.size());
    const auto& entry = json.at("results")[3];
    EXPECT_EQ(entry.at("rel_l2"), 0.52);
    EXPECT_TRUE(entry.at("max_over_rms").is_null());
    EXPECT_EQ(entry.at("gate"), 3e-7);
    for (const char* key : {"algorithm", "packing", "storage", "direction", "size", "layers", "ok"})
        EXPECT_TRUE(entry.contains(key)) << key;
    const std::string table = verification_table(report);
    EXPECT_NE(table.find("!5.2e-01"), std::string::npos) << table;
    EXPECT_NE(table.find(" -\n"), std::string::npos) << table; // not run: no number
}

TEST_F(FftVerification, TheBenchmarkTimesWhatIsRightAndNothingElse) {
    const BrokenShaders shaders("fft/stockham_radix2.comp", "a - b)", "a + b)");
    gl::ProgramLibrary broken = shaders.library();
    const std::vector<fft::TransformDesc> candidates{
        {.size = 16, .algorithm = fft::Algorithm::stockham_radix4, .layers = 2},
        {.size = 16, .algorithm = fft::Algorithm::stockham_radix2, .layers = 2},
        {.size = 16, .algorithm = fft::Algorithm::cooley_tukey, .layers = 2, .storage = fft::Storage::buffer},
        {.size = 100}};
    const auto results = fft::benchmark(candidates, {.repetitions = 3}, broken, device());
    ASSERT_EQ(results.size(), 4U);
    EXPECT_TRUE(results[0].ok) << results[0].failure;
    EXPECT_EQ(results[0].gpu.samples, 3U);
    EXPECT_GT(results[0].gpu.median, 0.0);
    EXPECT_GT(results[0].cpu.median, 0.0);
    EXPECT_GT(results[0].copy.median, 0.0);
    EXPECT_GT(results[0].floor_ratio(), 0.0);
    EXPECT_EQ(results[0].copy_bytes, 16U * 16 * 16 * 2 * 2);
    EXPECT_FALSE(results[1].ok);
    EXPECT_EQ(results[1].gpu.samples, 0U);
    EXPECT_NE(results[1].failure.find("outside the gate"), std::string::npos);
    EXPECT_TRUE(results[2].ok) << results[2].failure;
    EXPECT_TRUE(results[3].unavailable);
    EXPECT_NE(results[3].failure.find("size is 100"), std::string::npos);
    // Several in a row are scaled, so that nothing overflows, and still right.
    const auto rows = fft::benchmark(std::span(candidates).first(1), {.repetitions = 2, .transforms_per_sample = 8},
                                     library(), device());
    EXPECT_TRUE(rows[0].ok) << rows[0].failure;
}

} // namespace
} // namespace spindrift
