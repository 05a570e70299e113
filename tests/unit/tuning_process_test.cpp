// What a process that searches for kernels says, and what its reader makes of it.
#include "app/tuning_process.h"
#include "engine/error.h"
#include "fft/tuned_shapes.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <thread>
#include <unistd.h>

namespace spindrift {
namespace {

namespace fs = std::filesystem;

fft::TransformDesc desc_of_512() {
    return {.size = 512,
            .direction = fft::Direction::forward,
            .algorithm = fft::Algorithm::tuned,
            .packing = fft::Packing::vec2,
            .layers = 3,
            .storage = fft::Storage::buffer,
            .intermediate = fft::Precision::fp16};
}

TuningResult some_result() {
    fft::Wisdom wisdom(gl::DeviceInfo{}, "text");
    return {
        .wisdom = wisdom.to_json(),
        .kernels = 12,
        .schedules = {{.rows = "8.8.8",
                       .columns = "16.16.2",
                       .ok = true,
                       .failure = {},
                       .relative_l2 = 1.5e-7,
                       .time = {.median = 2, .p5 = 1, .p95 = 3, .min = 0.5, .max = 4, .samples = 7}},
                      {.rows = "2.2", .columns = "4", .failure = "it is \"wrong\"", .relative_l2 = NAN, .time = {}}}};
}

TEST(TuningMessages, ComeBackAsTheyWere) {
    const TuningProgress progress{
        .doing = "512: rows", .searches = 4, .searches_finished = 1, .kernels = 9, .best_microseconds = 7.25};
    const std::string line = to_json_line(progress);
    EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1);
    const auto read = std::get<TuningProgress>(parse_tuning_message(line).value());
    EXPECT_EQ(read.doing, progress.doing);
    EXPECT_EQ(read.searches, progress.searches);
    EXPECT_EQ(read.searches_finished, progress.searches_finished);
    EXPECT_EQ(read.kernels, progress.kernels);
    EXPECT_EQ(read.best_microseconds, progress.best_microseconds);

    const TuningResult result = some_result();
    const auto back = std::get<TuningResult>(parse_tuning_message(to_json_line(result)).value());
    EXPECT_EQ(fft::Wisdom::parse(back.wisdom, {}, "text").entries().size(), 0U);
    EXPECT_EQ(back.kernels, 12U);
    ASSERT_EQ(back.schedules.size(), 2U);
    EXPECT_EQ(back.schedules[0].columns, "16.16.2");
    EXPECT_TRUE(back.schedules[0].ok);
    EXPECT_EQ(back.schedules[0].time.p95, 3);
    EXPECT_EQ(back.schedules[0].time.samples, 7U);
    EXPECT_EQ(back.schedules[1].failure, "it is \"wrong\"");
    EXPECT_TRUE(std::isnan(back.schedules[1].relative_l2));
    EXPECT_EQ(back.schedules[1].time.samples, 0U);
    EXPECT_EQ(std::get<TuningResult>(parse_tuning_message(to_json_line(TuningResult{})).value()).wisdom, "");
}

TEST(TuningMessages, WhatIsDamagedIsRefusedAndOthersAreLeftAlone) {
    EXPECT_FALSE(parse_tuning_message(R"({"message": "weather", "sun": true})"));
    for (const char* line : {"", "words", "[]", "{}", R"({"message": 3})", R"({"message": "progress"})",
                             R"({"message": "result", "wisdom": null, "kernels": "many", "schedules": []})",
                             R"({"message": "result", "wisdom": null, "kernels": 1, "schedules": [{}]})"})
        EXPECT_THROW(parse_tuning_message(line), Error) << line;
}

TEST(TuningProcess, AsksForTheTransformThatItIsGiven) {
    TuningProcessDesc asked{
        .program = "spindrift", .desc = desc_of_512(), .effort = fft::Effort::patient, .shader_folder = "/a folder"};
    const auto text = [&] { return fmt::format("{}", fmt::join(tuning_command(asked), "|")); };
    EXPECT_EQ(
        text(),
        "spindrift|tune|--progress|json|--window|--again|--sizes|512|--packing|vec2|--fields|3|--direction|forward|"
        "--intermediate|fp16|--effort|patient|--storage|buffer|--shader-dir|/a folder");
    asked.fused = true;
    asked.shader_folder.reset();
    EXPECT_TRUE(text().ends_with("|patient|--fused")) << text();
}

/// A program in spindrift's place that does what a script says.
class Impostor {
public:
    explicit Impostor(const std::string& script)
        : file_(fs::temp_directory_path() / fmt::format("spindrift-impostor-{}", getpid())) {
        std::ofstream(file_) << "#!/bin/sh\n" << script << "\n";
        fs::permissions(file_, fs::perms::owner_all);
    }
    Impostor(const Impostor&) = delete;
    Impostor& operator=(const Impostor&) = delete;
    ~Impostor() { fs::remove(file_); }

    TuningProcess start() const {
        return TuningProcess({.program = file_.string(), .desc = desc_of_512(), .shader_folder = std::nullopt});
    }
    /// Until it has a result or throws.
    static void run(TuningProcess& process) {
        while (process.step()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    std::string failure() const {
        TuningProcess process = start();
        try {
            run(process);
        } catch (const Error& error) {
            return error.what();
        }
        return "none";
    }

private:
    fs::path file_;
};

std::string echo(const TuningMessage& message) {
    return fmt::format("cat <<'END'\n{}END\n", to_json_line(message));
}

TEST(TuningProcess, FollowsProgressAndTakesTheResult) {
    TuningProgress progress{.doing = "columns", .searches = 2, .searches_finished = 1, .kernels = 5};
    const Impostor impostor(echo(progress) + "echo '{\"message\": \"weather\"}'\n" + echo(some_result()));
    TuningProcess process = impostor.start();
    Impostor::run(process);
    EXPECT_EQ(process.progress().doing, "columns");
    EXPECT_EQ(process.progress().kernels, 5U);
    EXPECT_EQ(process.result().schedules.size(), 2U);
    EXPECT_TRUE(process.may_end());
}

TEST(TuningProcess, TellsWhyThereIsNoResult) {
    EXPECT_EQ(Impostor("exit 0").failure(), "the process that searched has ended without a result");
    EXPECT_EQ(Impostor("echo; echo 'no GPU here' >&2; exit 4").failure(), "a tuning message is no JSON object: ");
    EXPECT_EQ(Impostor("echo first >&2; echo 'no GPU here' >&2; exit 4").failure(),
              "the process that searched has ended with exit code 4: no GPU here");
    EXPECT_NE(Impostor("kill -TERM $$").failure().find("signal 15"), std::string::npos);
    // A process that fails after it has said its result may have been right about it, or not.
    EXPECT_NE(Impostor(echo(some_result()) + "exit 1").failure().find("exit code 1"), std::string::npos);
    EXPECT_EQ(Impostor(echo(TuningResult{}) + "exit 1").failure(), "none") << "no kernel is right: a result";
}

TEST(TuningProcess, WhatIsGivenUpIsGoneSoon) {
    const Impostor impostor("while :; do echo '{\"message\": \"weather\"}'; done");
    TuningProcess process = impostor.start();
    EXPECT_TRUE(process.step());
    process.kill();
    const auto start = std::chrono::steady_clock::now();
    while (!process.may_end()) ASSERT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
}

} // namespace
} // namespace spindrift
