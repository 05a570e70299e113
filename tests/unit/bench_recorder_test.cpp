// The arithmetic of `bench recorder`, on samples made by hand.
#include "app/commands/bench_recorder.h"

#include <cmath>
#include <gtest/gtest.h>

namespace spindrift {
namespace {

/// The clock drifts by a factor of two, which the differences within a round do not see.
RecorderCost drifting() {
    RecorderCost cost;
    for (const double base : {10.0, 12.0, 16.0, 20.0, 11.0}) {
        cost.without_profiler.push_back(base);
        cost.off.push_back(base + 0.5);
        cost.on.push_back(base + 0.75);
    }
    return cost;
}

TEST(BenchRecorder, DifferencesAreTakenWithinARound) {
    const RecorderCost cost = drifting();
    EXPECT_DOUBLE_EQ(cost.recording_ms(), 0.25);
    EXPECT_DOUBLE_EQ(cost.profiler_ms(), 0.5);
    EXPECT_DOUBLE_EQ(cost.recording_percent(), 2.0); // of 12.5
    EXPECT_DOUBLE_EQ(cost.profiler_percent(), 100.0 * 0.5 / 12.0);
}

TEST(BenchRecorder, TableAndJsonTellTheSame) {
    const RecorderCost cost = drifting();
    const TextTable table = recorder_cost_table(cost);
    ASSERT_EQ(table.rows.size(), 3u);
    EXPECT_EQ(table.rows[0], (std::vector<std::string>{"without profiler", "12.0000", "10.2000", "19.2000", "-", "-"}));
    EXPECT_EQ(table.rows[2],
              (std::vector<std::string>{"recording on", "12.7500", "10.9500", "19.9500", "0.2500", "2.00"}));
    const auto json = recorder_cost_json(cost, {}, {});
    EXPECT_DOUBLE_EQ(json["recording"]["percent"], 2.0);
    EXPECT_EQ(json["on_ms"].size(), 5u);
    EXPECT_TRUE(recorder_cost_json({}, {}, {})["recording"]["ms"].is_null());
}

} // namespace
} // namespace spindrift
