// Rows of `bench step` that are no simulation: the step in CUDA without OpenGL, and the copy floor.
#include "app/commands/bench_step_copy.h"
#include "app/commands/bench_step_cuda.h"

#include <gtest/gtest.h>

namespace spindrift {
namespace {

BenchStepResult result_of(const ocean::SimulationDesc& desc, BenchStepKind kind, double microseconds) {
    BenchStepResult result;
    result.desc = desc;
    result.kind = kind;
    result.gpu = {.median = microseconds, .samples = 40};
    return result;
}

/// One size: cufft through interop with one frame and four, without interop in both layouts, and the copies.
std::vector<BenchStepResult> sample_results() {
    std::vector<BenchStepResult> results;
    for (const ocean::SimulationDesc& desc : bench_step_candidates({.algorithms = {fft::Algorithm::cufft}}, 512))
        if (desc.packing == fft::Packing::vec2 && desc.interop_frames % 3 == 1)
            results.push_back(result_of(desc, BenchStepKind::simulation, 400.0 / desc.interop_frames));
    for (const ocean::SimulationDesc& desc : bench_step_cuda_candidates({}, 512)) {
        BenchStepResult& result = results.emplace_back(result_of(desc, BenchStepKind::cuda, 50.0));
        result.cpu = {.median = 9.0, .samples = 40};
        result.relative_l2 = 3e-7;
    }
    for (const ocean::SimulationDesc& desc : bench_step_copy_candidates(512))
        results.push_back(result_of(desc, BenchStepKind::copy, 6.25));
    return results;
}

TEST(BenchStep, CudaAloneIsMeasuredPlanarAndInterleavedWhereCufftIs) {
    const auto candidates = bench_step_cuda_candidates({}, 256);
    ASSERT_EQ(candidates.size(), 2U);
    EXPECT_EQ(candidates[0].packing, fft::Packing::vec2);
    EXPECT_EQ(candidates[1].packing, fft::Packing::vec4);
    for (const ocean::SimulationDesc& desc : candidates) {
        EXPECT_EQ(desc.algorithm, fft::Algorithm::cufft);
        EXPECT_EQ(desc.storage, fft::Storage::buffer);
        EXPECT_EQ(desc.interop_frames, 1);
        EXPECT_EQ(desc.size, 256);
    }
    EXPECT_TRUE(bench_step_cuda_candidates({.algorithms = {fft::Algorithm::tuned}}, 256).empty());
}

TEST(BenchStep, TheCopyIsOfAllFieldsOfAStep) {
    const auto candidates = bench_step_copy_candidates(128);
    ASSERT_EQ(candidates.size(), 2U);
    EXPECT_NE(candidates[0].storage, candidates[1].storage);
    for (const ocean::SimulationDesc& desc : candidates)
        EXPECT_EQ(fft::byte_count(ocean::transform_desc(desc)), 128U * 128U * 4U * 8U);
}

TEST(BenchStep, TheTableNamesWhatARowIsOf) {
    const TextTable table = bench_step_table(sample_results());
    ASSERT_EQ(table.rows.size(), 6U);
    for (const auto& row : table.rows) ASSERT_EQ(row.size(), table.headings.size());
    EXPECT_EQ(table.rows[0][0], "cufft");
    EXPECT_EQ(table.rows[1][8], "4.00");
    EXPECT_EQ(table.rows[2], (std::vector<std::string>{"cufft without interop", "vec2 buffer", "512", "-", "50.00",
                                                       "0.00", "0.00", "9.00", "-", "3.0e-07"}));
    EXPECT_EQ(table.rows[3][1], "vec4 buffer");
    EXPECT_EQ(table.rows[3][8], "-") << "no gain over a frame that goes through OpenGL";
    EXPECT_EQ(table.rows[4][0], "copy (one pass)");
    EXPECT_EQ(table.rows[4][4], "6.25");
    EXPECT_EQ(table.rows[4][9], "-") << "a copy shows no sea";
    EXPECT_NE(table.note.find("Without interop"), std::string::npos);
    EXPECT_NE(table.note.find("Copy"), std::string::npos);
}

TEST(BenchStep, ARowThatCannotRunSaysSo) {
    std::vector<BenchStepResult> results = sample_results();
    results[2].failure = "this build has no CUDA kernels";
    results[2].unavailable = true;
    results[3].failure = "out of memory";
    const TextTable table = bench_step_table(results);
    EXPECT_EQ(table.rows[2][4], "not available");
    EXPECT_EQ(table.rows[3][4], "failed");
    const auto json = bench_step_json({}, results, {});
    EXPECT_EQ(json.at("results").at(2).at("unavailable"), "this build has no CUDA kernels");
    EXPECT_TRUE(json.at("results").at(2).at("rel_l2").is_null());
    EXPECT_EQ(json.at("results").at(3).at("failure"), "out of memory");
}

TEST(BenchStep, TheJsonTellsInteropFromCudaAlone) {
    const auto json = bench_step_json({}, sample_results(), {});
    ASSERT_EQ(json.at("results").size(), 4U);
    EXPECT_TRUE(json.at("results").at(0).at("interop").get<bool>());
    const auto& alone = json.at("results").at(2);
    EXPECT_EQ(alone.at("algorithm"), "cufft");
    EXPECT_FALSE(alone.at("interop").get<bool>());
    EXPECT_TRUE(alone.at("ok").get<bool>());
    EXPECT_EQ(alone.at("gpu_us").at("median"), 50.0);
    ASSERT_EQ(json.at("copy_floor").size(), 2U);
    const auto& copy = json.at("copy_floor").at(0);
    EXPECT_EQ(copy.at("size"), 512);
    EXPECT_EQ(copy.at("bytes"), 2 * 512 * 512 * 4 * 8) << "read and written";
    EXPECT_EQ(copy.at("gpu_us").at("median"), 6.25);
}

TEST(BenchStep, DifferenceIsRelative) {
    EXPECT_DOUBLE_EQ(bench_step::relative_difference({3, 4}, {3, 4}), 0.0);
    EXPECT_DOUBLE_EQ(bench_step::relative_difference({3, 5}, {3, 4}), 0.2);
}

} // namespace
} // namespace spindrift
