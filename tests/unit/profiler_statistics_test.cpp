// Percentiles against values worked out by hand from the definition in statistics.h.
#include "engine/profiler/statistics.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>

namespace spindrift::profiler {
namespace {

TEST(Statistics, PercentilesInterpolateBetweenClosestRanks) {
    const std::vector<double> samples{40.0, 10.0, 30.0, 20.0};
    EXPECT_DOUBLE_EQ(percentile(samples, 0.0), 10.0);
    EXPECT_DOUBLE_EQ(percentile(samples, 0.5), 25.0);       // position 1.5
    EXPECT_DOUBLE_EQ(percentile(samples, 0.95), 38.5);      // position 2.85
    EXPECT_DOUBLE_EQ(percentile(samples, 1.0 / 3.0), 20.0); // position 1 exactly
    EXPECT_DOUBLE_EQ(percentile(samples, 1.0), 40.0);
}

TEST(Statistics, SummaryOfOneToOneHundred) {
    std::vector<double> samples(100);
    std::iota(samples.begin(), samples.end(), 1.0);
    const Summary summary = summarize(samples);
    EXPECT_DOUBLE_EQ(summary.median, 50.5);
    EXPECT_DOUBLE_EQ(summary.p95, 95.05);     // position 94.05
    EXPECT_DOUBLE_EQ(summary.p99, 99.01);     // position 98.01
    EXPECT_NEAR(summary.p999, 99.901, 1e-12); // position 98.901
    EXPECT_DOUBLE_EQ(summary.min, 1.0);
    EXPECT_DOUBLE_EQ(summary.max, 100.0);
    EXPECT_EQ(summary.count, 100u);
}

TEST(Statistics, OneHitchInAThousandFrames) {
    std::vector<double> samples(999, 8.0);
    samples.push_back(200.0);
    const Summary summary = summarize(samples);
    EXPECT_DOUBLE_EQ(summary.median, 8.0);
    EXPECT_DOUBLE_EQ(summary.p99, 8.0);
    EXPECT_DOUBLE_EQ(summary.max, 200.0);
    EXPECT_NEAR(percentile(samples, 0.9995), 8.0 + 192.0 * (0.9995 * 999.0 - 998.0), 1e-9);
}

TEST(Statistics, OneSampleIsEveryPercentile) {
    const std::vector<double> one{3.5};
    const Summary summary = summarize(one);
    for (const double value : {summary.median, summary.p95, summary.p99, summary.p999, summary.min, summary.max})
        EXPECT_DOUBLE_EQ(value, 3.5);
    EXPECT_EQ(summary.count, 1u);
}

TEST(Statistics, NothingIsNotANumberRatherThanZero) {
    const Summary summary = summarize({});
    for (const double value : {summary.median, summary.p95, summary.p99, summary.p999, summary.min, summary.max})
        EXPECT_TRUE(std::isnan(value));
    EXPECT_EQ(summary.count, 0u);
}

TEST(Statistics, SamplesThatAreNotFiniteAreLeftOut) {
    const double infinity = std::numeric_limits<double>::infinity();
    const std::vector<double> samples{not_available, 2.0, infinity, 4.0, not_available, -infinity};
    const Summary summary = summarize(samples);
    EXPECT_DOUBLE_EQ(summary.median, 3.0);
    EXPECT_DOUBLE_EQ(summary.max, 4.0);
    EXPECT_EQ(summary.count, 2u);
    const std::vector<double> all_missed{not_available, not_available};
    EXPECT_TRUE(std::isnan(summarize(all_missed).median));
}

TEST(Statistics, BlockMediansFollowTheRun) {
    const std::vector<double> samples{1, 2, 3, 10, 20, 30, not_available, 7, 9};
    EXPECT_EQ(block_medians(samples, 3), (std::vector<double>{2.0, 20.0, 8.0}));
    EXPECT_EQ(block_medians(samples, 4), (std::vector<double>{1.5, 6.5, 25.0, 8.0})); // parts of 2, 2, 2 and 3
    EXPECT_TRUE(block_medians(samples, 5).empty()) << "a part of one sample says nothing";
    EXPECT_TRUE(block_medians({}, 3).empty());
}

} // namespace
} // namespace spindrift::profiler
