// Reports are read back by another reader and compared with the recording by hand.
#include "app/report/report.h"
#include "engine/error.h"
#include "engine/files.h"
#include "tests/unit/report_sample.h"

#include <clocale>
#include <cmath>
#include <gtest/gtest.h>
#include <locale>
#include <sstream>
#include <unistd.h>

namespace spindrift::report {
namespace {

Report sample_report() {
    gl::DeviceInfo device;
    device.vendor = "Mesa";
    device.renderer = "llvmpipe";
    device.limits.timestamp_bits = 36;
    Report report = begin_report(device, "EGL surfaceless (Mesa)");
    report.run.command_line = "spindrift --size 256 --report 'a b.json'";
    report.run.headless = true;
    report.run.algorithm = "stockham-radix4";
    report.run.size = 256;
    report.run.dt = 1.0 / 60.0;
    report.run.parameters["wind_speed"] = 12.5;
    report.mesh = {2'000'000, 3'990'000};
    report.recording = test::sample_recording({{1.0, 2.0}, {3.0, 2.5}, {2.0, -1.0}, {4.0, 3.0}});
    return report;
}

/// Nothing of the program's own: splits lines and cells of a file without quotes.
std::vector<std::vector<std::string>> split(const std::string& csv) {
    std::vector<std::vector<std::string>> rows;
    std::istringstream lines(csv);
    for (std::string line; std::getline(lines, line);) {
        std::vector<std::string> cells(1);
        for (const char character : line)
            if (character == ',')
                cells.emplace_back();
            else
                cells.back() += character;
        rows.push_back(std::move(cells));
    }
    return rows;
}

void expect_no_nan(const nlohmann::json& json) {
    if (json.is_number_float()) {
        EXPECT_TRUE(std::isfinite(json.get<double>()));
    }
    if (json.is_structured())
        for (const auto& part : json) expect_no_nan(part);
}

TEST(ReportJson, HoldsWhatWasMeasured) {
    const nlohmann::json json = nlohmann::json::parse(to_json(sample_report()).dump());
    EXPECT_EQ(json["schema"], "spindrift.report/1");
    EXPECT_EQ(json["gl"]["timestamp_bits"], 36);
    EXPECT_EQ(json["gl"]["platform"], "EGL surfaceless (Mesa)");
    EXPECT_TRUE(json["cuda"].is_null());
    EXPECT_EQ(json["run"]["mode"], "headless");
    EXPECT_EQ(json["run"]["algorithm"], "stockham-radix4");
    EXPECT_EQ(json["run"]["parameters"]["wind_speed"], 12.5);
    EXPECT_EQ(json["mesh"]["vertices"], 2'000'000);

    const auto& evolve = json["passes"]["evolve"];
    EXPECT_DOUBLE_EQ(evolve["gpu_ms"]["median"], 2.5); // of 1, 2, 3, 4
    EXPECT_DOUBLE_EQ(evolve["gpu_ms"]["p95"], 3.85);
    EXPECT_DOUBLE_EQ(evolve["gpu_ms"]["min"], 1.0);
    EXPECT_DOUBLE_EQ(evolve["gpu_ms"]["max"], 4.0);
    EXPECT_DOUBLE_EQ(evolve["cpu_ms"]["median"], 0.25);
    EXPECT_EQ(evolve["samples"], 4);
    EXPECT_EQ(evolve["parent"], "step");
    const auto& horizontal = json["passes"]["fft.horizontal"];
    EXPECT_DOUBLE_EQ(horizontal["gpu_ms"]["median"], 2.5);
    EXPECT_EQ(horizontal["samples"], 3);
    EXPECT_EQ(horizontal["missed"], 1);
    EXPECT_TRUE(json["passes"]["step"]["parent"].is_null());

    EXPECT_EQ(json["frame"]["frames"], 4);
    EXPECT_EQ(json["frame"]["missed"], 0);
    EXPECT_EQ(json["frame"]["bound"]["frames"], 3) << "the first has no interval";
    EXPECT_TRUE(json["frame"]["present_ms"]["median"].is_null()) << "nothing was presented";
    EXPECT_DOUBLE_EQ(evolve["gpu_ms"]["p99_9"], 3.997);
    EXPECT_DOUBLE_EQ(json["frame"]["gpu_ms"]["median"], 7.0);
    EXPECT_DOUBLE_EQ(json["frame"]["interval_ms"]["median"], 10.0);
    EXPECT_DOUBLE_EQ(json["frame"]["fps_average"], 100.0); // three intervals of 10 ms
}

TEST(ReportJson, SaysWhereAndWhatRan) {
    const nlohmann::json json = nlohmann::json::parse(to_json(sample_report()).dump());
    EXPECT_FALSE(json["app"]["version"].get<std::string>().empty());
    EXPECT_FALSE(json["app"]["build_type"].get<std::string>().empty());
    EXPECT_NE(json["system"]["kernel"].get<std::string>().find("Linux"), std::string::npos);
    EXPECT_GT(json["system"]["ram_bytes"].get<std::uint64_t>(), 1u << 20);
    EXPECT_GT(json["system"]["cpu_threads"].get<int>(), 0);
}

TEST(ReportJson, WithNoFrameOrOneThereIsNullAndNeverNan) {
    for (const std::size_t frames : {0u, 1u}) {
        Report report = sample_report();
        report.recording = test::sample_recording(std::vector<std::pair<double, double>>(frames, std::pair{2.0, -1.0}));
        const std::string text = to_json(report).dump();
        EXPECT_EQ(text.find("nan"), std::string::npos);
        const nlohmann::json json = nlohmann::json::parse(text);
        expect_no_nan(json);
        EXPECT_EQ(json["frame"]["frames"], frames);
        EXPECT_TRUE(json["frame"]["fps_average"].is_null());
        EXPECT_TRUE(json["frame"]["interval_ms"]["median"].is_null()) << "the first frame has none before it";
        if (frames == 1) {
            EXPECT_DOUBLE_EQ(json["passes"]["evolve"]["gpu_ms"]["p99"], 2.0);
            EXPECT_TRUE(json["passes"]["fft.horizontal"]["gpu_ms"]["median"].is_null());
        }
    }
}

TEST(ReportJson, PassesOfOneNameBelowDifferentParentsKeepTheirPaths) {
    profiler::Recording recording;
    recording.nodes = {{"a", "a", -1, 0}, {"mips", "a/mips", 0, 1}, {"b", "b", -1, 0}, {"mips", "b/mips", 2, 1}};
    EXPECT_EQ(pass_names(recording), (std::vector<std::string>{"a", "a/mips", "b", "b/mips"}));
}

TEST(ReportCsv, OneHeaderOneRowAFrameEmptyWhereNotAvailable) {
    const auto rows = split(to_csv(sample_report().recording));
    ASSERT_EQ(rows.size(), 5u);
    EXPECT_EQ(rows[0],
              (std::vector<std::string>{"Frame", "TimeInSeconds", "MsBetweenPresents", "MsCPUBusy", "MsInPresentAPI",
                                        "MsGPULatency", "MsGPUTime", "MsGpu.step", "MsGpu.evolve",
                                        "MsGpu.fft.horizontal", "MsCpu.step", "MsCpu.evolve", "MsCpu.fft.horizontal",
                                        "GpuClockMHz", "GpuMemClockMHz", "GpuPowerW", "GpuTempC", "GpuClockReasons"}));
    EXPECT_EQ(rows[1], (std::vector<std::string>{"0", "0.004000", "", "4.000000", "", "1.000000", "7.000000",
                                                 "3.000000", "1.000000", "2.000000", "0.300000", "0.100000", "0.200000",
                                                 "", "", "", "", ""}));
    EXPECT_EQ(rows[3][0], "2");
    EXPECT_EQ(rows[3][1], "0.024000");
    EXPECT_EQ(rows[3][2], "10.000000");
    EXPECT_EQ(rows[3][9], "") << "missed";
    EXPECT_EQ(rows[3][12], "0.100000") << "its CPU time is known";
    for (const auto& row : rows) EXPECT_EQ(row.size(), rows[0].size());
}

TEST(ReportCsv, SensorsStandBesideTheFrameThatFollowsThem) {
    Report report = sample_report();
    report.recording.origin = 1'000'000'000;
    profiler::SensorReading reading;
    reading.time = report.recording.origin + 20'000'000; // after the second frame, before the end of the third
    reading.clock_mhz = 1500.0;
    reading.power_w = 99.5;
    reading.has_clock_reasons = true;
    reading.clock_reasons = 0x21;
    report.gpu = {"NVML: Card", {reading}};
    const auto rows = split(to_csv(report.recording, report.gpu));
    EXPECT_EQ(rows[2].at(13), "");
    EXPECT_EQ(rows[3].at(13), "1500.000000");
    EXPECT_EQ(rows[3].at(14), "") << "the memory's clock is unknown";
    EXPECT_EQ(rows[3].at(15), "99.500000");
    EXPECT_EQ(rows[3].at(17), "idle+software thermal slowdown");
    EXPECT_EQ(rows[4].size(), rows[0].size());
    const nlohmann::json json = nlohmann::json::parse(to_json(report).dump());
    EXPECT_EQ(json["gpu"]["source"], "NVML: Card");
    EXPECT_EQ(json["notes"][0], "the GPU's clocks were held down: software thermal slowdown");
}

TEST(ReportJson, SaysHowTheRecordingBeganAndEnded) {
    Report report = sample_report();
    EXPECT_TRUE(to_json(report)["recorder"].is_null());
    RecorderFacts facts;
    facts.warm_up = {.frames = 8, .seconds = 2.0, .stable_percent = 2.0, .limit_seconds = 10.0};
    facts.length = {.frames = 600};
    facts.warm_up_frames = 333;
    facts.warm_up_seconds = 10.25;
    facts.warm_up_ended_by = WarmUpEnd::limit;
    facts.last_change_percent = 4.5;
    facts.ended_by = RecordingEnd::full;
    facts.restarts = 1;
    facts.last_restart = "another size";
    report.recorder = facts;
    report.recording.frames[1].gpu_missed = true;
    const nlohmann::json json = nlohmann::json::parse(to_json(report).dump());
    const auto& recorder = json["recorder"];
    EXPECT_EQ(recorder["warm_up"]["asked"]["limit_seconds"], 10.0);
    EXPECT_EQ(recorder["warm_up"]["frames"], 333);
    EXPECT_EQ(recorder["warm_up"]["ended_by"], "limit");
    EXPECT_EQ(recorder["length"]["frames"], 600);
    EXPECT_EQ(recorder["ended_by"], "full");
    EXPECT_EQ(recorder["last_restart"], "another size");
    EXPECT_EQ(json["notes"],
              (std::vector<std::string>{"the warm-up ended after 10.2 s with frame times that still moved by 4.5 %",
                                        "the recording ended after 4 frames, all that it had memory for",
                                        "1 of 4 frames have no GPU times"}));
}

TEST(Report, WritesBothFilesOfARecording) {
    const std::filesystem::path folder =
        std::filesystem::path(::testing::TempDir()) / ("spindrift recording " + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    write_recording(folder / "a.b", sample_report());
    EXPECT_EQ(nlohmann::json::parse(read_file(folder / "a.b.json"))["schema"], "spindrift.report/1");
    EXPECT_EQ(read_file(folder / "a.b.csv").substr(0, 6), "Frame,");
    EXPECT_EQ(read_file(folder / "a.b.html").substr(0, 9), "<!DOCTYPE");
    EXPECT_THROW(write_recording(folder / "missing" / "a", sample_report()), Error);
    std::filesystem::remove_all(folder);
}

TEST(ReportCsv, NamesWithSeparatorsAreQuoted) {
    EXPECT_EQ(csv_cell("plain.name"), "plain.name");
    EXPECT_EQ(csv_cell("a,b"), "\"a,b\"");
    EXPECT_EQ(csv_cell("say \"x\""), "\"say \"\"x\"\"\"");
    EXPECT_EQ(csv_number(profiler::not_available), "");
}

TEST(Report, NumbersHaveDecimalPointsInEveryLocale) {
    struct CommaPoint : std::numpunct<char> {
        char do_decimal_point() const override { return ','; }
        char do_thousands_sep() const override { return '.'; }
        std::string do_grouping() const override { return "\3"; }
    };
    const std::string before_json = to_json(sample_report()).dump(), before_csv = to_csv(sample_report().recording);
    const std::locale previous = std::locale::global(std::locale(std::locale::classic(), new CommaPoint));
    const char* const c_locale = std::setlocale(LC_ALL, "de_DE.UTF-8"); // where it is installed
    EXPECT_EQ(to_json(sample_report()).dump(), before_json);
    EXPECT_EQ(to_csv(sample_report().recording), before_csv);
    if (c_locale != nullptr) std::setlocale(LC_ALL, "C");
    std::locale::global(previous);
}

TEST(Report, WritesByTheEndingAndRefusesOthersBeforehand) {
    const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "spindrift report é";
    std::filesystem::create_directories(folder);
    check_report_path(folder / "a.json");
    check_report_path(folder / "a.csv");
    write_report(folder / "a.json", sample_report());
    write_report(folder / "a.csv", sample_report());
    EXPECT_EQ(nlohmann::json::parse(read_file(folder / "a.json"))["schema"], "spindrift.report/1");
    EXPECT_EQ(read_file(folder / "a.csv").substr(0, 6), "Frame,");
    try {
        check_report_path(folder / "a.txt");
        FAIL() << "accepted";
    } catch (const Error& error) {
        EXPECT_EQ(error.exit_code(), ExitCode::usage);
        EXPECT_NE(std::string(error.what()).find(".json, .csv or .html"), std::string::npos);
    }
    EXPECT_THROW(check_report_path(folder / "missing" / "a.json"), Error);
    std::filesystem::remove_all(folder);
}

TEST(Report, ACommandLineThatIsNoUtf8StillGivesAReport) {
    Report report = sample_report();
    report.run.command_line = "spindrift --report a\xff.json";
    const std::filesystem::path path = std::filesystem::path(::testing::TempDir()) / "spindrift_bytes.json";
    write_report(path, report);
    EXPECT_NO_THROW(nlohmann::json::parse(read_file(path)));
    std::filesystem::remove(path);
}

} // namespace
} // namespace spindrift::report
