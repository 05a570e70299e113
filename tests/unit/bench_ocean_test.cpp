// The table of `spindrift bench ocean`, from invented measurements.
#include "app/commands/bench_ocean.h"

#include <gtest/gtest.h>
#include <set>

namespace spindrift {
namespace {

using fft::Algorithm;

BenchOceanResult measured(Algorithm algorithm, int size, double fft_us, double frame_us) {
    BenchOceanResult result;
    result.algorithm = algorithm;
    result.size = size;
    result.relative_l2 = 1.5e-7;
    result.fft_gpu = {fft_us, fft_us * 0.9, fft_us * 1.1, fft_us * 0.8, fft_us * 1.2, 200};
    result.fft_cpu = {10, 9, 11, 8, 12, 200};
    result.frame_gpu = {frame_us * 0.98, frame_us * 0.9, frame_us, frame_us * 0.9, frame_us, 200};
    result.frame = {frame_us, frame_us, frame_us, frame_us, frame_us, 10};
    return result;
}

BenchOceanResult without_time(Algorithm algorithm, int size, const std::string& why, bool unavailable) {
    BenchOceanResult result;
    result.algorithm = algorithm;
    result.size = size;
    result.failure = why;
    result.unavailable = unavailable;
    return result;
}

std::vector<BenchOceanResult> sample() {
    return {measured(Algorithm::cooley_tukey_stages, 512, 3000, 10000),
            without_time(Algorithm::cooley_tukey, 512, "size 512: needs more", true),
            without_time(Algorithm::stockham_radix2, 512, "relative L2 0.5 is above the gate", false),
            measured(Algorithm::stockham_radix4, 512, 1500, 8000),
            measured(Algorithm::stockham_radix4, 256, 700, 5000)};
}

const std::string& cell(const TextTable& table, std::size_t row, const std::string& heading) {
    for (std::size_t column = 0; column < table.headings.size(); ++column)
        if (table.headings[column] == heading) return table.rows.at(row).at(column);
    throw std::out_of_range("no column " + heading);
}

TEST(BenchOcean, TheTableStandsBesideThePrintedOne) {
    const TextTable table = bench_ocean_table(sample());
    EXPECT_EQ(std::set<std::string>(table.headings.begin(), table.headings.end()).size(), table.headings.size());
    for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.headings.size());
    EXPECT_EQ(cell(table, 0, "FFT GPU"), "3.0000 (2.7000 to 3.3000)");
    EXPECT_EQ(cell(table, 0, "printed GPU"), "3.241");
    EXPECT_EQ(cell(table, 0, "fps to stages"), "-");
    EXPECT_EQ(cell(table, 3, "printed GPU"), "1.632");
    EXPECT_EQ(cell(table, 3, "printed CPU"), "0.249");
    EXPECT_EQ(cell(table, 3, "FFT GPU to stages"), "-50.0 %");
    EXPECT_EQ(cell(table, 3, "printed to stages"), "-49.6 %"); // 1.632 / 3.241
    EXPECT_EQ(cell(table, 3, "fps"), "125.0");
    EXPECT_EQ(cell(table, 3, "fps to stages"), "+25.0 %"); // 125 over 100
    EXPECT_EQ(cell(table, 3, "printed fps"), "up to +20 %");
}

TEST(BenchOcean, WhatHasNoTimeSaysWhyAndGivesNoGain) {
    const TextTable table = bench_ocean_table(sample());
    EXPECT_EQ(cell(table, 1, "FFT GPU"), "not available");
    EXPECT_EQ(cell(table, 2, "FFT GPU"), "failed");
    for (const std::size_t row : {1U, 2U})
        for (const char* heading : {"FFT CPU", "frame", "fps", "fps to stages"})
            EXPECT_EQ(cell(table, row, heading), "-") << heading;
    EXPECT_EQ(cell(table, 4, "fps to stages"), "-") << "no stages were measured at this size";
    EXPECT_EQ(cell(table, 4, "printed GPU"), "-");
}

TEST(BenchOcean, JsonHasNullsAndReasons) {
    const auto json = bench_ocean_json({.sizes = {512}, .vertices = 2'000'000, .frames = 200}, sample(), {});
    EXPECT_EQ(json["schema"], "spindrift.bench_ocean/1");
    EXPECT_EQ(json["method"]["vertices"], 2'000'000);
    EXPECT_EQ(json["results"].size(), 5U);
    EXPECT_EQ(json["results"][3]["fps_gain_percent"], 25.0);
    EXPECT_EQ(json["results"][3]["printed"]["gpu_ms"], 1.632);
    EXPECT_EQ(json["results"][1]["unavailable"], "size 512: needs more");
    EXPECT_TRUE(json["results"][1]["frame_us"].is_null());
    EXPECT_EQ(json["results"][2]["failure"], "relative L2 0.5 is above the gate");
    EXPECT_FALSE(json["results"][2]["ok"]);
}

} // namespace
} // namespace spindrift
