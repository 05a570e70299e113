// The tables of `spindrift bench fft`, from invented measurements.
#include "app/commands/bench_fft.h"

#include <gtest/gtest.h>
#include <limits>
#include <set>

namespace spindrift {
namespace {

fft::BenchmarkResult measured(const fft::TransformDesc& desc, double gpu_us) {
    fft::BenchmarkResult result;
    result.desc = desc;
    result.ok = true;
    result.norms = {1.5e-7, 5e-7};
    result.gpu = {gpu_us, gpu_us * 0.9, gpu_us * 1.1, gpu_us * 0.8, gpu_us * 1.2, 200};
    result.cpu = {3, 2, 4, 2, 5, 200};
    result.copy = {10, 9, 11, 9, 12, 200};
    result.copy_bytes = 2 * fft::byte_count(desc);
    return result;
}

/// Every candidate of the settings, with times 100, 200, 300 ...
std::vector<fft::BenchmarkResult> measured_all(const BenchFftSettings& settings) {
    std::vector<fft::BenchmarkResult> results;
    for (const auto& round : bench_candidates(settings))
        for (const fft::TransformDesc& desc : round)
            results.push_back(measured(desc, 100.0 * static_cast<double>(results.size() + 1)));
    return results;
}

const std::string& cell(const TextTable& table, std::size_t row, const std::string& heading) {
    for (std::size_t column = 0; column < table.headings.size(); ++column)
        if (table.headings[column] == heading) return table.rows.at(row).at(column);
    throw std::out_of_range("no column " + heading);
}

TEST(BenchTable, EveryTableHasOneCellForEachDistinctHeading) {
    for (const int number : {0, 1, 2, 3}) {
        const BenchFftSettings settings{.table = number, .sizes = {128, 512, 2048}};
        const TextTable table = bench_table(settings, measured_all(settings));
        EXPECT_EQ(std::set<std::string>(table.headings.begin(), table.headings.end()).size(), table.headings.size());
        ASSERT_FALSE(table.rows.empty());
        for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.headings.size()) << number;
    }
}

TEST(BenchTable, AllVariantsOnce) {
    const BenchFftSettings settings{.sizes = {128}};
    const auto rounds = bench_candidates(settings);
    ASSERT_EQ(rounds.size(), 1U);
    // storages and fields; with more than one field cufft has two layouts
    EXPECT_EQ(rounds[0].size(), fft::all_algorithms.size() * 2U * 3U + 2U * 2U);
    for (const fft::TransformDesc& desc : rounds[0]) EXPECT_EQ(desc.direction, fft::Direction::inverse);
    const TextTable table = bench_table(settings, measured_all(settings));
    EXPECT_EQ(cell(table, 1, "algorithm"), "cooley-tukey");
    EXPECT_EQ(cell(table, 1, "GPU median"), "200.00");
    EXPECT_EQ(cell(table, 1, "over two copies"), "10.00"); // 200 over two copies of 10
    // 128 x 128 x 8 bytes, read and written twice, in 200 us.
    EXPECT_EQ(cell(table, 1, "GB/s of 2 passes"), "2.62");
}

TEST(BenchTable, TablesAreForwardOnImagesAndStandBesideThePrintedNumbers) {
    BenchFftSettings settings{.table = 1, .sizes = {512}};
    const auto rounds = bench_candidates(settings);
    for (const fft::TransformDesc& desc : rounds.at(0)) {
        EXPECT_EQ(desc.direction, fft::Direction::forward);
        EXPECT_EQ(desc.storage, fft::Storage::image);
    }
    TextTable table = bench_table(settings, measured_all(settings));
    EXPECT_EQ(cell(table, 0, "unique GPU"), "0.1000 (0.0900 to 0.1100)");
    EXPECT_EQ(cell(table, 0, "stages / unique"), "2.00");
    EXPECT_EQ(cell(table, 0, "printed unique GPU"), "0.598");
    EXPECT_EQ(cell(table, 0, "printed stages / unique"), "1.63");
    settings.table = 2;
    table = bench_table(settings, measured_all(settings));
    EXPECT_EQ(cell(table, 0, "cuFFT"), "-");
    EXPECT_EQ(cell(table, 0, "printed radix 4"), "0.389");
    settings.table = 3;
    table = bench_table(settings, measured_all(settings));
    EXPECT_EQ(cell(table, 0, "gain per transform"), "0.0 %"); // 200 for two, 100 for one
    EXPECT_EQ(cell(table, 0, "printed gain"), "9.5 %");       // the text prints 9.51
    EXPECT_EQ(cell(table, 0, "printed cuFFT gain"), "13.5 %");
    settings.sizes = {2048}; // not in the text
    EXPECT_EQ(cell(bench_table(settings, measured_all(settings)), 0, "printed gain"), "-");
}

TEST(BenchTable, AWrongResultHasNoTime) {
    for (const int number : {0, 1, 2, 3}) {
        const BenchFftSettings settings{.table = number, .sizes = {128}};
        auto results = measured_all(settings);
        for (auto& result : results) {
            result.ok = false; // even where a time was left in by mistake
            result.norms.relative_l2 = 0.5;
        }
        const std::string text = bench_table(settings, results).as_text();
        EXPECT_NE(text.find("failed"), std::string::npos) << text;
        EXPECT_EQ(text.find("0.1000"), std::string::npos) << text;
        EXPECT_EQ(text.find("100.00"), std::string::npos) << text;
    }
    const BenchFftSettings settings{.sizes = {128}};
    auto results = measured_all(settings);
    results[0].ok = false;
    results[0].gpu = {};
    results[0].failure = "relative L2 0.5 is outside the gate 3e-07";
    results[0].norms.relative_l2 = std::numeric_limits<double>::infinity();
    const auto json = nlohmann::json::parse(bench_json(settings, results, {}).dump());
    EXPECT_EQ(json.at("schema"), "spindrift.bench_fft/1");
    EXPECT_TRUE(json.at("results")[0].at("gpu_us").is_null());
    EXPECT_TRUE(json.at("results")[0].at("rel_l2").is_null());
    EXPECT_EQ(json.at("results")[1].at("gpu_us").at("median"), 200.0);
    EXPECT_EQ(json.at("results")[1].at("floor_ratio"), 10.0);
}

TEST(BenchTable, Writers) {
    const TextTable table{"Title", {"name", "value"}, {{"a,b", "1.5"}, {"c", "22.25"}}, "Note."};
    EXPECT_EQ(table.as_text(), "Title\nname  value\na,b     1.5\nc     22.25\nNote.\n");
    EXPECT_EQ(table.as_csv(), "name,value\n\"a,b\",1.5\nc,22.25\n");
    EXPECT_EQ(table.as_markdown(), "**Title**\n\n| name | value |\n|---|--:|\n| a,b | 1.5 |\n| c | 22.25 |\n\nNote.\n");
}

TEST(BenchSamples, FiveNumbers) {
    std::vector<double> samples(101);
    for (std::size_t index = 0; index < samples.size(); ++index) samples[index] = static_cast<double>(100 - index);
    const fft::BenchmarkTime time = fft::summarize_samples(samples);
    EXPECT_DOUBLE_EQ(time.median, 50);
    EXPECT_DOUBLE_EQ(time.p5, 5);
    EXPECT_DOUBLE_EQ(time.p95, 95);
    EXPECT_DOUBLE_EQ(time.min, 0);
    EXPECT_DOUBLE_EQ(time.max, 100);
    EXPECT_EQ(time.samples, 101U);
    EXPECT_EQ(fft::summarize_samples({}).samples, 0U);
}

} // namespace
} // namespace spindrift
