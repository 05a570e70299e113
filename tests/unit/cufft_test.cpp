// What can be known of cufft without CUDA: when it is offered, the layout that it starts with, its rows in the tables,
// and scopes that no GPU times.
#include "app/commands/bench_step.h"
#include "app/settings.h"
#include "engine/profiler/profiler.h"
#include "fft/cuda_module.h"
#include "fft/planner.h"
#include "fft/registry.h"

#include <gtest/gtest.h>

namespace spindrift {
namespace {

fft::TransformDesc cufft_desc(int size = 256) {
    return {.size = size, .algorithm = fft::Algorithm::cufft, .layers = 2};
}

TEST(Cufft, IsUnavailableForTheReasonThatWasFound) {
    gl::DeviceLimits limits;
    EXPECT_EQ(fft::why_unavailable(cufft_desc(), limits), "CUDA was not looked for");
    limits.cuda.reason = "no NVIDIA driver with CUDA: libcuda.so.1 was not found";
    EXPECT_EQ(fft::why_unavailable(cufft_desc(), limits), limits.cuda.reason);
    EXPECT_THROW(fft::plan_launch(cufft_desc(), limits), Error);
    for (const fft::Algorithm algorithm : fft::glsl_algorithms)
        EXPECT_EQ(fft::why_unavailable({.algorithm = algorithm}, limits), std::nullopt);
}

TEST(Cufft, HasTheLimitsOfItsMemoryButNoWorkGroups) {
    gl::DeviceLimits limits;
    limits.cuda = {
        .available = true, .reason = {}, .device = "GPU", .driver = "13.0", .runtime = "13.0", .cufft = "12000"};
    limits.max_group_invocations = 1; // no kernel of ours could run
    limits.max_group_count = {1, 1, 1};
    EXPECT_EQ(fft::why_unavailable(cufft_desc(2048), limits), std::nullopt);
    EXPECT_NE(fft::why_unavailable(cufft_desc(500), limits), std::nullopt);
    limits.max_texture_size = 1024;
    EXPECT_NE(fft::why_unavailable(cufft_desc(2048), limits), std::nullopt);
    fft::TransformDesc desc = cufft_desc();
    desc.butterflies_per_invocation = 2;
    EXPECT_NE(fft::why_unavailable(desc, limits)->find("butterflies_per_invocation is 2"), std::string::npos);
}

TEST(Cufft, WithoutAConnectionNothingIsPretended) {
    EXPECT_THROW(fft::cuda::module_functions(), fft::cuda::CudaError);
    EXPECT_THROW(fft::cuda::free_memory(), fft::cuda::CudaError);
    EXPECT_EQ(fft::cuda::version_text(13000), "13.0");
    EXPECT_EQ(fft::cuda::version_text(12080), "12.8");
}

TEST(Cufft, StartsWithPlanarFieldsInABufferUnlessTheUserChose) {
    Settings settings;
    EXPECT_EQ(choose_layout_of_cufft(settings), "");
    EXPECT_EQ(settings.packing, fft::Packing::vec4);
    settings.algorithm = fft::Algorithm::cufft;
    Settings chosen = settings;
    EXPECT_NE(choose_layout_of_cufft(settings).find("packing vec2 and storage buffer"), std::string::npos);
    EXPECT_EQ(settings.packing, fft::Packing::vec2);
    EXPECT_EQ(settings.storage, fft::Storage::buffer);
    EXPECT_EQ(choose_layout_of_cufft(settings), "");
    chosen.given = {"packing", "storage"};
    EXPECT_EQ(choose_layout_of_cufft(chosen), "");
    EXPECT_EQ(chosen.packing, fft::Packing::vec4);
    EXPECT_EQ(chosen.storage, fft::Storage::image);
}

TEST(Cufft, StepsAreMeasuredForEveryNumberOfFramesToASwitch) {
    const auto candidates = bench_step_candidates({}, 256);
    std::vector<int> frames;
    for (const ocean::SimulationDesc& desc : candidates)
        if (desc.algorithm == fft::Algorithm::cufft && desc.packing == fft::Packing::vec2)
            frames.push_back(desc.interop_frames);
    EXPECT_EQ(frames, (std::vector{1, 2, 4, 8}));
    EXPECT_EQ(candidates.size(), 2 * fft::glsl_algorithms.size() + 2 + 5); // tuned also fused
    for (const ocean::SimulationDesc& desc : candidates)
        EXPECT_EQ(ocean::transform_desc(desc).layers * fft::complex_per_texel(desc.packing), 4 * desc.interop_frames);
}

TEST(Cufft, TheStepTableComparesWithOneFrameToASwitch) {
    std::vector<BenchStepResult> results;
    for (const ocean::SimulationDesc& desc : bench_step_candidates({.algorithms = {fft::Algorithm::cufft}}, 512)) {
        BenchStepResult& result = results.emplace_back();
        result.desc = desc;
        result.gpu = {.median = 400.0 / desc.interop_frames, .samples = 40};
    }
    results.back().failure = "no";
    const TextTable table = bench_step_table(results);
    ASSERT_EQ(table.rows.size(), 5U);
    for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.headings.size());
    EXPECT_EQ(table.rows[0][8], "-");
    EXPECT_EQ(table.rows[2][3], "4");
    EXPECT_EQ(table.rows[2][4], "100.00");
    EXPECT_EQ(table.rows[2][8], "4.00");
    EXPECT_EQ(table.rows[4][4], "failed");
}

/// A clock whose slots are there at once.
class CountingClock final : public profiler::TimeSource {
public:
    std::string_view name() const noexcept override { return "counting"; }
    bool has_timestamps() const noexcept override { return true; }
    std::size_t create_slot() override {
        times_.push_back(0);
        return times_.size() - 1;
    }
    void record(std::size_t slot) override { times_[slot] = now_ += 1000; }
    bool available(std::size_t) override { return true; }
    std::int64_t elapsed(std::size_t begin, std::size_t end) override { return times_[end] - times_[begin]; }
    void anchor() override {}
    std::int64_t since_anchor(std::size_t slot) override { return times_[slot]; }
    void finish() override {}
    void push_group(std::string_view) override { ++groups; }
    void pop_group() override { --groups; }

    int groups = 0;

private:
    std::vector<std::int64_t> times_;
    std::int64_t now_ = 0;
};

TEST(Cufft, ScopesThatNoGpuTimesAreNotMissed) {
    auto owned = std::make_unique<CountingClock>();
    const CountingClock* clock = owned.get();
    profiler::Profiler profiler(std::move(owned));
    EXPECT_EQ(profiler.find_source("counting"), 0);
    EXPECT_EQ(profiler.find_source("CUDA"), profiler::cpu_only);
    profiler.record(3);
    for (int frame = 0; frame < 12; ++frame) {
        profiler.begin_frame();
        {
            const auto interop = profiler.scope("fft.interop");
            const int groups = clock->groups;
            const auto mapping = profiler.scope("map", profiler::cpu_only);
            EXPECT_EQ(clock->groups, groups) << "a command of OpenGL's between map and unmap";
        }
        profiler.end_frame();
    }
    profiler.drain();
    EXPECT_EQ(clock->groups, 0);
    for (const profiler::Statistics& statistics : {profiler.recording().statistics(), profiler.statistics()}) {
        ASSERT_EQ(statistics.scopes.size(), 2U);
        EXPECT_GT(statistics.scopes[0].gpu_ms.median, 0.0);
        EXPECT_EQ(statistics.scopes[1].path, "fft.interop/map");
        EXPECT_EQ(statistics.scopes[1].missed, 0U);
        EXPECT_EQ(statistics.scopes[1].gpu_ms.count, 0U);
        EXPECT_EQ(statistics.scopes[1].samples, statistics.scopes[0].samples);
    }
}

} // namespace
} // namespace spindrift
