// Figures against sequences worked out by hand.
#include "app/report/frame_figures.h"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

namespace spindrift::report {
namespace {

TEST(FrameFigures, ThreeRulesForOnePercentLowAreThreeNumbers) {
    std::vector<double> frames(999, 8.0);
    frames.insert(frames.begin() + 400, 200.0);
    const FrameFigures figures = frame_figures(frames);
    EXPECT_DOUBLE_EQ(figures.fps_1pct_low_time_integral, 5.0);             // 200 of 8192 ms is more than 1 %
    EXPECT_DOUBLE_EQ(figures.fps_1pct_low_mean_of_slowest, 1000.0 / 27.2); // (200 + 9 * 8) / 10
    EXPECT_DOUBLE_EQ(figures.fps_at_p99_frame_time, 125.0);
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

profiler::RecordedFrame frame(double interval_ms, double cpu_ms, double gpu_ms) {
    profiler::RecordedFrame result;
    result.has_previous = true;
    result.previous_cpu_end = 0;
    result.cpu_end = static_cast<profiler::Nanoseconds>(interval_ms * 1e6);
    result.cpu_begin = result.cpu_end - static_cast<profiler::Nanoseconds>(cpu_ms * 1e6);
    result.gpu_valid = gpu_ms >= 0.0;
    result.gpu_duration = static_cast<profiler::Nanoseconds>(gpu_ms * 1e6);
    return result;
}

TEST(BoundShares, EachFrameHasOneLimit) {
    const std::vector<profiler::RecordedFrame> frames{
        frame(10, 1, 9.5), // GPU, although the CPU waited in the swap
        frame(16.6, 3, 4), // waits for the refresh
        frame(16.6, 3, 4), //
        frame(10, 9, 4),   // CPU
        frame(10, 9, -1),  // GPU time missed: not counted
    };
    const BoundShares shares = bound_shares(frames);
    EXPECT_EQ(shares.frames, 4u);
    EXPECT_DOUBLE_EQ(shares.gpu_percent, 25.0);
    EXPECT_DOUBLE_EQ(shares.present_percent, 50.0);
    EXPECT_DOUBLE_EQ(shares.cpu_percent, 25.0);
    EXPECT_TRUE(std::isnan(bound_shares({}).gpu_percent));
}

} // namespace
} // namespace spindrift::report
