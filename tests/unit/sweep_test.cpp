// Which runs a sweep has, what it refuses, and its index page.
#include "app/sweep.h"
#include "engine/error.h"
#include "engine/files.h"
#include "tests/unit/report_sample.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace spindrift {
namespace {

std::string refusal(const std::string& text) {
    try {
        parse_sweep_axis(text);
    } catch (const Error& error) {
        EXPECT_EQ(error.exit_code(), ExitCode::usage);
        return error.what();
    }
    return "accepted";
}

TEST(Sweep, AxesAreChecked) {
    EXPECT_EQ(parse_sweep_axis("size=256,512").values, (std::vector<std::string>{"256", "512"}));
    EXPECT_EQ(parse_sweep_axis("wind_speed=5,7.50").values, (std::vector<std::string>{"5", "7.5"}));
    EXPECT_EQ(parse_sweep_axis("algorithm=all").values.size(), fft::all_algorithms.size());
    EXPECT_EQ(parse_sweep_axis("wireframe=all").values, (std::vector<std::string>{"off", "on"}));
    EXPECT_GT(parse_sweep_axis("sea=all").values.size(), 3U);

    EXPECT_NE(refusal("sizes=256").find("\"sizes\" is no setting; did you mean size?"), std::string::npos)
        << refusal("sizes=256");
    EXPECT_NE(refusal("size=256,500").find("500: must be a power of two from 16 to 2048"), std::string::npos);
    EXPECT_NE(refusal("algorithm=stockham").find("stockham-radix4"), std::string::npos);
    EXPECT_NE(refusal("size=all").find("no list of all values"), std::string::npos);
    EXPECT_NE(refusal("size=256,256").find("twice"), std::string::npos);
    EXPECT_NE(refusal("wind-speed=5,5.0").find("twice"), std::string::npos);
    EXPECT_NE(refusal("sea=strom").find("strom"), std::string::npos);
    for (const char* text : {"size", "=256", "size=", "size=256,", "size=,256", ""})
        EXPECT_NE(refusal(text), "accepted") << text;
    for (const char* text : {"vsync=all", "report=a.json", "fullscreen=all", "frames=1,2", "headless=all"})
        EXPECT_NE(refusal(text).find("changes nothing"), std::string::npos) << refusal(text);
}

TEST(Sweep, CellsAreAllCombinations) {
    Settings base;
    base.dt = 0.5;
    const auto cells =
        sweep_cells(base, {parse_sweep_axis("storage=image,buffer"), parse_sweep_axis("size=64,128,256")});
    ASSERT_EQ(cells.size(), 6U);
    EXPECT_EQ(cells[1].title, "storage=image, size=128");
    EXPECT_EQ(cells[1].folder, "storage=image,size=128");
    EXPECT_EQ(cells[4].settings.storage, fft::Storage::buffer);
    EXPECT_EQ(cells[4].settings.size, 128);
    EXPECT_EQ(cells[4].settings.dt, 0.5);
    EXPECT_TRUE(cells[4].settings.was_given("size")) << "a smaller size for software renderers must not replace it";
    ASSERT_EQ(sweep_cells(base, {}).size(), 1U);
    EXPECT_EQ(sweep_cells(base, {})[0].folder, "run");
    EXPECT_THROW(sweep_cells(base, {parse_sweep_axis("size=64"), parse_sweep_axis("size=128")}), Error);
}

TEST(Sweep, ASeaLiesBelowWhatIsSetBesideIt) {
    Settings base;
    base.sea.wind_speed = 3.25;
    base.given.insert("wind-speed");
    const auto axes = std::vector{parse_sweep_axis("choppiness=0.25"), parse_sweep_axis("sea=storm,gale")};
    for (const SweepCell& cell : sweep_cells(base, axes)) {
        EXPECT_EQ(cell.settings.sea_name, cell.values[1]);
        EXPECT_EQ(cell.settings.sea.wind_speed, 3.25) << "a flag wins over the sea";
        EXPECT_EQ(cell.settings.sea.choppiness, 0.25) << "so does an axis, wherever it stands";
    }
}

TEST(Sweep, FolderNamesAreHarmless) {
    EXPECT_EQ(sweep_cells({}, {parse_sweep_axis("wind-direction=-30.5")})[0].folder, "wind-direction=-30.5");
    const std::filesystem::path file =
        std::filesystem::path(::testing::TempDir()) / fmt::format("my sea {} é.toml", ::getpid());
    write_file_atomically(file, "[sea]\nwind_speed = 4.5\n");
    const auto cells = sweep_cells({}, {parse_sweep_axis("sea=" + file.string())});
    std::filesystem::remove(file);
    EXPECT_EQ(cells[0].settings.sea.wind_speed, 4.5);
    EXPECT_TRUE(cells[0].folder.ends_with("%20%C3%A9.toml")) << cells[0].folder;
    EXPECT_EQ(cells[0].folder.find_first_of("/ "), std::string::npos);
}

TEST(Sweep, OnlyTheSameSweepGoesOn) {
    const Settings base;
    const std::vector<SweepAxis> axes{parse_sweep_axis("size=64,128")};
    const report::Json begun = sweep_description(base, axes, 3, "a GPU");
    EXPECT_EQ(why_another_sweep(begun, sweep_description(base, axes, 5, "a GPU")), "") << "more repeats are more runs";
    Settings other;
    other.sea.wind_speed = 3;
    EXPECT_NE(why_another_sweep(begun, sweep_description(other, axes, 3, "a GPU")).find("--wind-speed 3"),
              std::string::npos);
    EXPECT_NE(why_another_sweep(begun, sweep_description(base, axes, 3, "another")).find("its renderer is \"a GPU\""),
              std::string::npos);
    EXPECT_NE(why_another_sweep(begun, sweep_description(base, {}, 3, "a GPU")).find("its axes"), std::string::npos);
    EXPECT_NE(why_another_sweep(report::Json(), begun), "");
    EXPECT_NE(why_another_sweep(report::Json::object(), begun), "");
}

report::Json run(double evolve_ms) {
    report::Report report = report::begin_report({}, "test");
    report.gl.renderer = "GPU <1> & co";
    report.recording = test::sample_recording({{evolve_ms, 2.0}, {evolve_ms, 2.0}});
    return to_json(report);
}

TEST(Sweep, TheIndexHasMediansLinksAndWhatIsMissing) {
    const std::vector<SweepAxis> axes{parse_sweep_axis("size=64,128,2048")};
    const auto cells = sweep_cells({}, axes);
    std::vector<SweepResult> results;
    for (const SweepCell& cell : cells) results.push_back({.cell = &cell, .runs = {}, .numbers = {}});
    results[0].runs.reports = {run(1.0), run(1.5)};
    results[0].numbers = {1, 3};
    results[2].unavailable = "size 2048: <too> large";
    const std::string page = sweep_index(axes, results, 3, "spindrift --sweep 'size=64,128,2048'", false);
    EXPECT_NE(page.find("<td>1.250</td>"), std::string::npos) << "the mean of the runs' medians of evolve";
    EXPECT_NE(page.find("href=\"size=64/1.html\">1</a> <a href=\"size=64/3.html\">3</a>"), std::string::npos);
    EXPECT_NE(page.find("not available: size 2048: &lt;too&gt; large"), std::string::npos);
    EXPECT_NE(page.find("2 runs so far: the sweep is not complete"), std::string::npos);
    EXPECT_NE(page.find("GPU &lt;1&gt; &amp; co"), std::string::npos);
    EXPECT_EQ(page.find("<th scope=\"col\">step</th>"), std::string::npos) << "passes with passes below are sums";
    EXPECT_EQ(page.find("nan"), std::string::npos);
    EXPECT_EQ(sweep_index(axes, results, 3, "", true).find("not complete"), std::string::npos);
}

} // namespace
} // namespace spindrift
