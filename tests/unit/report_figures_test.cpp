// Figures against sequences worked out by hand.
#include "app/report/frame_figures.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

namespace spindrift::report {
namespace {

TEST(FrameFigures, ThreeRulesForOnePercentLowAreThreeNumbers) {
    std::vector<double> frames(999, 8.0);
    frames.insert(frames.begin() + 400, 200.0);
    const FrameFigures figures = frame_figures(frames);
    EXPECT_DOUBLE_EQ(figures.fps_1pct_low_time_integral, 5.0);             // 200 of 8192 ms is more than 1 %
    EXPECT_DOUBLE_EQ(figures.fps_1pct_low_mean_of_slowest, 1000.0 / 27.2); // (200 + 9 * 8) / 10
    EXPECT_DOUBLE_EQ(figures.fps_1pct_low_percentile, 125.0);
    EXPECT_DOUBLE_EQ(figures.fps_average, 1000.0 * 1000.0 / 8192.0);
    EXPECT_DOUBLE_EQ(figures.mean_ms, 8.192);
    EXPECT_NEAR(figures.stddev_ms, 192.0 / std::sqrt(1000.0), 1e-9); // one outlier of n: distance / sqrt(n)
    EXPECT_NEAR(figures.p999_ms, 8.0 + 192.0 * 0.001, 1e-9);         // position 998.001
    EXPECT_EQ(figures.hitches_over_twice_median, 1u);
    EXPECT_EQ(figures.hitches_over_33ms, 1u);
    EXPECT_DOUBLE_EQ(figures.time_in_hitches_percent, 100.0 * 200.0 / 8192.0);
}

TEST(FrameFigures, AverageFpsIsFramesOverTime) {
    const std::vector<double> frames{10.0, 30.0};
    EXPECT_DOUBLE_EQ(frame_figures(frames).fps_average, 50.0); // the mean of 100 and 33.3 would be 66.7
    EXPECT_DOUBLE_EQ(frame_figures(frames).stddev_ms, std::sqrt(200.0));
}

TEST(FrameFigures, TimeIntegralTakesTheFrameThatCrossesOnePercent) {
    // Total 1000 ms: 1 % is 10 ms, which the slowest two (6 and 5) fill.
    std::vector<double> frames{6.0, 5.0, 4.0};
    frames.resize(3 + 985, 1.0);
    const FrameFigures figures = frame_figures(frames);
    EXPECT_DOUBLE_EQ(figures.mean_ms * static_cast<double>(figures.frames), 1000.0);
    EXPECT_DOUBLE_EQ(figures.fps_1pct_low_time_integral, 200.0);
    EXPECT_EQ(figures.hitches_over_twice_median, 3u);
    EXPECT_EQ(figures.hitches_over_33ms, 0u);
}

TEST(FrameFigures, NoFrameAndOneFrame) {
    const FrameFigures none = frame_figures(std::vector<double>{profiler::not_available});
    EXPECT_EQ(none.frames, 0u);
    EXPECT_TRUE(std::isnan(none.fps_average));
    EXPECT_TRUE(std::isnan(none.fps_1pct_low_time_integral));
    const FrameFigures one = frame_figures(std::vector<double>{20.0});
    EXPECT_DOUBLE_EQ(one.fps_average, 50.0);
    EXPECT_DOUBLE_EQ(one.fps_1pct_low_time_integral, 50.0);
    EXPECT_DOUBLE_EQ(one.fps_1pct_low_mean_of_slowest, 50.0);
    EXPECT_TRUE(std::isnan(one.stddev_ms));
    EXPECT_DOUBLE_EQ(one.time_in_hitches_percent, 0.0);
}

TEST(FrameFigures, MissingTimesChangeNothing) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const std::vector<double> frames{10.0, profiler::not_available, 30.0, infinity, 20.0, -infinity};
    const FrameFigures figures = frame_figures(frames);
    EXPECT_EQ(figures.frames, 3u);
    EXPECT_DOUBLE_EQ(figures.median_ms, 20.0);
    EXPECT_DOUBLE_EQ(figures.fps_average, 50.0);
    EXPECT_DOUBLE_EQ(figures.max_ms, 30.0);
    EXPECT_DOUBLE_EQ(figures.stddev_ms, 10.0);
}

TEST(FrameFigures, PercentilesOfTwoHundredAndOneFrames) {
    std::vector<double> frames; // 0, 1, ... 200 in another order: the percentile is twice its rank
    for (int index = 0; index < 201; ++index) frames.push_back(index * 100 % 201);
    const FrameFigures figures = frame_figures(frames);
    EXPECT_DOUBLE_EQ(figures.median_ms, 100.0);
    EXPECT_DOUBLE_EQ(figures.p95_ms, 190.0);
    EXPECT_DOUBLE_EQ(figures.p99_ms, 198.0);
    EXPECT_NEAR(figures.p999_ms, 199.8, 1e-9);
    EXPECT_DOUBLE_EQ(figures.max_ms, 200.0);
    EXPECT_DOUBLE_EQ(figures.fps_1pct_low_percentile, 1000.0 / 198.0);
    EXPECT_DOUBLE_EQ(figures.fps_1pct_low_mean_of_slowest, 1000.0 / 199.0); // of 200, 199 and 198
    EXPECT_DOUBLE_EQ(figures.fps_1pct_low_time_integral, 1000.0 / 199.0);   // 1 % of 20100: 200 is not enough
    EXPECT_EQ(figures.hitches_over_twice_median, 0u) << "200 is not more than twice 100";
}

TEST(FrameFigures, FramesWithoutLengthHaveNoRate) {
    const FrameFigures figures = frame_figures(std::vector<double>(5, 0.0));
    EXPECT_DOUBLE_EQ(figures.max_ms, 0.0);
    EXPECT_TRUE(std::isnan(figures.fps_average));
    EXPECT_TRUE(std::isnan(figures.time_in_hitches_percent));
}

/// As a window has them: the swap takes what neither the CPU nor the wait for it needs.
profiler::RecordedFrame frame(double interval_ms, double cpu_ms, double gpu_ms, double present_ms) {
    profiler::RecordedFrame result;
    result.has_previous = true;
    result.previous_cpu_end = 0;
    result.cpu_end = static_cast<profiler::Nanoseconds>(interval_ms * 1e6);
    result.cpu_begin = result.cpu_end - static_cast<profiler::Nanoseconds>(cpu_ms * 1e6);
    result.present_duration = present_ms < 0.0 ? -1 : static_cast<profiler::Nanoseconds>(present_ms * 1e6);
    result.gpu_valid = gpu_ms >= 0.0;
    result.gpu_duration = static_cast<profiler::Nanoseconds>(gpu_ms * 1e6);
    return result;
}

TEST(BoundShares, EachFrameHasOneLimit) {
    const std::vector<profiler::RecordedFrame> frames{
        frame(10, 1, 9.5, 13),  // GPU, although the CPU waited in the swap
        frame(16.6, 3, 4, 13),  // waits for the refresh
        frame(16.6, 3, 4, 0.5), // likewise: its interval begins with the swap before
        frame(10, 9, 4, 0.5),   // CPU
        frame(10, 2, 4, 0.5),   // CPU: it did something else, but not in the swap
        frame(10, 9, -1, 0.5),  // GPU time missed: not counted
    };
    const BoundShares shares = bound_shares(frames);
    EXPECT_EQ(shares.frames, 5u);
    EXPECT_DOUBLE_EQ(shares.gpu_percent, 20.0);
    EXPECT_DOUBLE_EQ(shares.present_percent, 40.0);
    EXPECT_DOUBLE_EQ(shares.cpu_percent, 40.0);
    EXPECT_TRUE(std::isnan(bound_shares({}).gpu_percent));
}

TEST(BoundShares, WithoutPresentingTheCpuWaitsForTheGpuAlone) {
    const std::vector<profiler::RecordedFrame> frames{frame(10, 2, 4, -1), frame(10, 9, 4, -1)};
    const BoundShares shares = bound_shares(frames);
    EXPECT_DOUBLE_EQ(shares.gpu_percent, 50.0);
    EXPECT_DOUBLE_EQ(shares.present_percent, 0.0);
    EXPECT_DOUBLE_EQ(shares.cpu_percent, 50.0);
}

} // namespace
} // namespace spindrift::report
