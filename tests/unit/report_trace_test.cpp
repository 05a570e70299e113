// The trace against the Trace Event specification, and its times against the recording.
#include "app/report/trace.h"
#include "engine/error.h"
#include "engine/files.h"
#include "tests/unit/report_sample.h"

#include <gtest/gtest.h>
#include <map>
#include <set>

namespace spindrift::report {
namespace {

nlohmann::json parse(const profiler::Recording& recording) {
    Report report;
    report.run.command_line = "spindrift --trace 'a \"b\".json'";
    report.recording = recording;
    return nlohmann::json::parse(to_trace(report));
}

TEST(Trace, EveryEventHasWhatItsPhaseNeeds) {
    const nlohmann::json trace = parse(test::sample_recording({{1.0, 2.0}, {3.0, -1.0}}));
    EXPECT_EQ(trace["displayTimeUnit"], "ms");
    EXPECT_EQ(trace["otherData"]["command_line"], "spindrift --trace 'a \"b\".json'");
    std::map<std::string, int> phases;
    for (const nlohmann::json& event : trace["traceEvents"]) {
        const std::string phase = event.at("ph");
        ++phases[phase];
        EXPECT_TRUE(event.at("name").is_string());
        EXPECT_TRUE(event.at("pid").is_number_integer());
        if (phase == "X") {
            EXPECT_TRUE(event.at("tid").is_number_integer());
            EXPECT_TRUE(event.at("ts").is_number());
            EXPECT_GE(event.at("dur").get<double>(), 0.0);
            EXPECT_TRUE(event.at("args").at("frame").is_number_integer());
        }
        if (phase == "M") {
            EXPECT_TRUE(event.at("args").at("name").is_string());
        }
        if (phase == "C") {
            EXPECT_TRUE(event.at("args").at("ms").is_number());
        }
    }
    EXPECT_EQ(phases["M"], 3);         // process, CPU, GL
    EXPECT_EQ(phases["X"], 4 + 6 + 5); // frames on two tracks, scopes on the CPU, scopes on the GPU less the missed one
    EXPECT_EQ(phases["C"], 3);         // two GPU times, one interval
    EXPECT_EQ(phases.size(), 3u);
}

TEST(Trace, SensorsAreCounters) {
    Report report;
    report.recording = test::sample_recording({{1.0, 2.0}, {3.0, 0.5}});
    report.recording.origin = 5'000'000'000;
    profiler::SensorReading reading;
    reading.time = report.recording.origin + 7'000'000;
    reading.clock_mhz = 1980.0;
    reading.power_w = 312.5; // the rest is not available and has no event
    profiler::SensorReading before = reading;
    before.time = report.recording.origin - 1;
    report.gpu = {"NVML: Card", {before, reading}};
    std::map<std::string, double> values;
    const nlohmann::json trace = nlohmann::json::parse(to_trace(report));
    for (const nlohmann::json& event : trace["traceEvents"]) {
        if (event["ph"] != "C" || event["args"].contains("ms")) continue;
        EXPECT_DOUBLE_EQ(event["ts"].get<double>(), 7000.0);
        for (const auto& [unit, value] : event["args"].items())
            values[event["name"].get<std::string>() + " " + unit] = value;
    }
    EXPECT_EQ(values, (std::map<std::string, double>{{"GPU clock MHz", 1980.0}, {"GPU power W", 312.5}}));
}

TEST(Trace, TimesAreMicrosecondsAndNestOnEachTrack) {
    const nlohmann::json trace = parse(test::sample_recording({{1.0, 2.0}, {3.0, 0.5}}));
    struct Span {
        double begin, end;
    };
    std::map<int, std::vector<Span>> open;
    bool found = false;
    for (const nlohmann::json& event : trace["traceEvents"]) {
        if (event["ph"] != "X") continue;
        const double begin = event["ts"], end = begin + event["dur"].get<double>();
        // Events of one track stand in the order of the tree: each lies within the open one or after it.
        std::vector<Span>& stack = open[event["tid"].get<int>()];
        while (!stack.empty() && begin >= stack.back().end - 1e-6) stack.pop_back();
        if (!stack.empty()) {
            EXPECT_GE(begin, stack.back().begin - 1e-6);
            EXPECT_LE(end, stack.back().end + 1e-6) << event.dump();
        }
        stack.push_back({begin, end});
        if (event["name"] == "fft.horizontal" && event["tid"] == 2 && event["args"]["frame"] == 1) {
            EXPECT_DOUBLE_EQ(begin, 14000.0); // frame at 10 ms, GPU 1 ms later, after 3 ms of evolve
            EXPECT_DOUBLE_EQ(event["dur"].get<double>(), 500.0);
            found = true;
        }
    }
    EXPECT_TRUE(found);
    EXPECT_EQ(open.size(), 2u);
}

TEST(Trace, NoFrameIsAValidTraceAndNanosecondsAreKept) {
    EXPECT_EQ(parse(test::sample_recording({}))["traceEvents"].size(), 3u);
    profiler::Recording recording = test::sample_recording({{1.0, 2.0}});
    recording.scopes[1].gpu_begin = 3'600'000'000'123;
    Report report;
    report.recording = recording;
    EXPECT_NE(to_trace(report).find("\"ts\":3600000000.123"), std::string::npos) << "an hour, to the nanosecond";
}

TEST(Trace, NamesAndPlacesAreChecked) {
    const std::filesystem::path path = std::filesystem::path(::testing::TempDir()) / "spindrift trace.json";
    check_trace_path(path);
    EXPECT_THROW(check_trace_path("/nonexistent/trace.json"), Error);
    try {
        check_trace_path("trace.csv");
        FAIL() << "accepted";
    } catch (const Error& error) {
        EXPECT_EQ(error.exit_code(), ExitCode::usage);
    }
    Report report;
    report.recording = test::sample_recording({{1.0, 2.0}});
    write_trace(path, report);
    EXPECT_EQ(read_file(path), to_trace(report));
    std::filesystem::remove(path);
}

} // namespace
} // namespace spindrift::report
