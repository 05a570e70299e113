// Comparisons of reports whose differences are known.
#include "app/command_line.h"
#include "app/report/comparison.h"
#include "app/report/outliers.h"
#include "app/report/report_html.h"
#include "engine/error.h"
#include "engine/files.h"
#include "tests/unit/report_sample.h"

#include <cmath>
#include <gtest/gtest.h>

namespace spindrift::report {
namespace {

namespace fs = std::filesystem;

/// A run of 20 frames whose evolve takes about 1 ms and whose fft.horizontal about 2, with 10 % of spread.
Report run(double evolve_factor = 1.0, double horizontal_factor = 1.0) {
    Report report = begin_report({}, "test");
    report.run.algorithm = "stockham-radix4";
    report.run.size = 512;
    report.run.vsync = "off";
    report.run.parameters["wind_speed"] = 12.0;
    report.mesh = {2'000'000, 3'990'000};
    std::vector<std::pair<double, double>> frames;
    for (int frame = 0; frame < 20; ++frame) {
        const double spread = 1.0 + 0.1 * static_cast<double>(frame % 10) / 9.0;
        frames.emplace_back(1.0 * spread * evolve_factor, 2.0 * spread * horizontal_factor);
    }
    report.recording = test::sample_recording(frames);
    return report;
}

Group group(const std::vector<Report>& runs) {
    Group result;
    result.name = "group";
    for (const Report& one : runs) result.reports.push_back(to_json(one));
    return result;
}

const MetricComparison& metric(const Comparison& comparison, const std::string& name, const std::string& clock) {
    for (const MetricComparison& candidate : comparison.metrics)
        if (candidate.name == name && candidate.clock == clock) return candidate;
    throw std::out_of_range(name + " " + clock);
}

TEST(Comparison, TheSameRunDiffersInNothing) {
    const Comparison comparison = compare(group({run()}), group({run()}), 5.0);
    EXPECT_TRUE(comparison.settings.empty());
    EXPECT_TRUE(comparison.regressions().empty());
    for (const MetricComparison& each : comparison.metrics) EXPECT_EQ(each.verdict, Verdict::same) << each.name;
    EXPECT_NE(to_text(comparison, false).find("no difference beyond 5 %"), std::string::npos);
}

TEST(Comparison, TheSlowPassIsNamedBeforeItsParent) {
    const Comparison comparison = compare(group({run()}), group({run(1.0, 1.5)}), 5.0);
    const auto regressions = comparison.regressions();
    ASSERT_EQ(regressions.size(), 2u);
    EXPECT_EQ(regressions[0]->name, "fft.horizontal");
    EXPECT_NEAR(regressions[0]->percent, 50.0, 1e-3); // times are whole nanoseconds
    EXPECT_EQ(regressions[1]->name, "step");
    EXPECT_EQ(metric(comparison, "evolve", "gpu").verdict, Verdict::same);
    EXPECT_NE(to_text(comparison, false).find("regression: fft.horizontal gpu 2.1000 -> 3.1500 ms (+50.0 %)"),
              std::string::npos)
        << to_text(comparison, false);
}

TEST(Comparison, TheThresholdDecides) {
    EXPECT_TRUE(compare(group({run()}), group({run(1.0, 1.3)}), 31.0).regressions().empty());
    EXPECT_EQ(compare(group({run()}), group({run(1.0, 1.3)}), 6.0).regressions().size(), 2u);
    EXPECT_EQ(metric(compare(group({run()}), group({run(0.5)}), 5.0), "evolve", "gpu").verdict, Verdict::faster);
}

TEST(Comparison, WithSingleRunsAMedianInsideTheOtherRunsSpreadIsNoise) {
    // From 1 to 1.2 ms; in the other run all but the fastest frames are 6 % slower: the median moves by more than the
    // threshold, but the minimum does not.
    const auto with_slower = [](double factor) {
        std::vector<std::pair<double, double>> frames;
        for (int frame = 0; frame < 20; ++frame) {
            const double time = 1.0 + 0.2 * static_cast<double>(frame % 10) / 9.0;
            frames.emplace_back(frame % 10 < 3 ? time : time * factor, 2.0);
        }
        Report report = run();
        report.recording = test::sample_recording(frames);
        return report;
    };
    const Comparison comparison = compare(group({with_slower(1.0)}), group({with_slower(1.06)}), 5.0);
    EXPECT_GT(metric(comparison, "evolve", "gpu").percent, 5.0);
    EXPECT_EQ(metric(comparison, "evolve", "gpu").verdict, Verdict::within_noise);
    EXPECT_TRUE(comparison.regressions().empty());
    EXPECT_NE(to_text(comparison, false).find("repeat them"), std::string::npos);
}

TEST(Comparison, ASingleRunWhoseMedianWanderedIsJudgedByItsParts) {
    // Ten parts of ten frames. Baseline parts all about 1 ms; the candidate's are all 1.2, or wander from 1.06 to 1.7.
    const auto with_parts = [](const std::vector<double>& parts) {
        std::vector<std::pair<double, double>> frames;
        for (const double part : parts)
            for (int frame = 0; frame < 10; ++frame) frames.emplace_back(part + 0.002 * frame, 2.0);
        Report report = run();
        report.recording = test::sample_recording(frames);
        return report;
    };
    const std::vector<double> steady{1.00, 1.01, 0.99, 1.02, 1.00, 0.98, 1.01, 1.00, 1.02, 0.99};
    std::vector<double> slower = steady, wandering = steady;
    for (double& part : slower) part *= 1.2;
    wandering = {1.06, 1.06, 1.06, 1.06, 1.06, 1.06, 1.06, 1.06, 1.7, 1.7};
    const auto verdict = [&](const std::vector<double>& parts) {
        return metric(compare(group({with_parts(steady)}), group({with_parts(parts)}), 5.0), "evolve", "gpu").verdict;
    };
    EXPECT_EQ(verdict(slower), Verdict::slower);
    EXPECT_EQ(verdict(wandering), Verdict::within_noise) << "its parts differ by more than it moved";
    const Comparison comparison = compare(group({with_parts(steady)}), group({with_parts(slower)}), 5.0);
    const MetricComparison& evolve = metric(comparison, "evolve", "gpu");
    EXPECT_FALSE(evolve.confidence_percent.has_value()) << "one run says nothing about what differs from run to run";
    EXPECT_FALSE(evolve.p.has_value());
    EXPECT_DOUBLE_EQ(evolve.noise_percent.value(), 10.0) << "the parts differ by 4 %, less than what is never claimed";
    std::vector<double> little = steady;
    for (double& part : little) part *= 1.09;
    EXPECT_EQ(verdict(little), Verdict::within_noise) << "9 % is beyond the threshold, but not for single runs";
}

TEST(Comparison, NeighbouringPassesOfShortRunsAreNeverRegressions) {
    // Six frames each; everything got three times slower, as when a GPU's clock had not risen yet.
    const auto short_run = [](double factor) {
        std::vector<std::pair<double, double>> frames;
        for (int frame = 0; frame < 6; ++frame) frames.emplace_back((1.0 + 0.02 * frame) * factor, 2.0 * factor);
        Report report = run();
        report.recording = test::sample_recording(frames);
        return report;
    };
    const Comparison comparison = compare(group({short_run(1.0)}), group({short_run(3.0)}), 5.0);
    EXPECT_TRUE(comparison.regressions().empty());
    EXPECT_EQ(metric(comparison, "evolve", "gpu").verdict, Verdict::too_short);
    const std::string text = to_text(comparison, false);
    EXPECT_NE(text.find("not judged: a single run needs at least 20 frames"), std::string::npos) << text;
    EXPECT_EQ(text.find("no difference"), std::string::npos) << "what is not judged is not equal either";
    // As repeats they can be judged: each run is one value.
    const Comparison repeats = compare(group({short_run(1.0), short_run(1.01), short_run(1.02)}),
                                       group({short_run(3.0), short_run(3.01), short_run(3.02)}), 5.0);
    EXPECT_EQ(metric(repeats, "evolve", "gpu").verdict, Verdict::slower);
}

TEST(Comparison, RepeatsGiveWelchsInterval) {
    // Medians 1.05 x (1.00, 1.02, 1.04) and 1.05 x (1.10, 1.12, 1.14): difference 0.105, each variance (0.021)^2, so
    // the standard error is 0.021 sqrt(2 / 3) and Welch's degrees of freedom are 4: t = 2.7764 at 95 %.
    const Comparison comparison =
        compare(group({run(1.00), run(1.02), run(1.04)}), group({run(1.10), run(1.12), run(1.14)}), 5.0);
    const MetricComparison& evolve = metric(comparison, "evolve", "gpu");
    ASSERT_TRUE(evolve.confidence_percent.has_value());
    const double base = 1.05 * 1.02, half = 2.7764451 * 0.021 * std::sqrt(2.0 / 3.0);
    EXPECT_NEAR(evolve.confidence_percent->first, 100.0 * (0.105 - half) / base, 1e-3);
    EXPECT_NEAR(evolve.confidence_percent->second, 100.0 * (0.105 + half) / base, 1e-3);
    // t = 6.124 with 4 degrees: p = 0.003602; six metrics are judged (frame gpu, cpu and interval, three passes).
    EXPECT_NEAR(evolve.p.value(), 6 * 0.003602, 1e-5);
    EXPECT_EQ(evolve.verdict, Verdict::slower);
    EXPECT_FALSE(evolve.noise_percent.has_value());
    EXPECT_EQ(comparison.regressions().at(0)->name, "evolve");

    const Comparison scattered =
        compare(group({run(0.8), run(1.2), run(1.0)}), group({run(0.9), run(1.5), run(1.1)}), 5.0);
    EXPECT_EQ(metric(scattered, "evolve", "gpu").verdict, Verdict::within_noise) << "the repeats disagree more";
}

TEST(Comparison, ManyPassesDoNotMakeARegressionByChance) {
    // Medians (1.00, 1.02, 1.04) and (1.06, 1.08, 1.10) of evolve alone: t = 3.674 with 4 degrees, p = 0.0213. By
    // itself that is below 5 %; among six metrics it happens in every eighth comparison of equal builds.
    const Comparison comparison =
        compare(group({run(1.00), run(1.02), run(1.04)}), group({run(1.06), run(1.08), run(1.10)}), 5.0);
    const MetricComparison& evolve = metric(comparison, "evolve", "gpu");
    EXPECT_GT(evolve.percent, 5.0);
    EXPECT_GT(evolve.confidence_percent->first, 0.0);
    EXPECT_NEAR(evolve.p.value(), 6 * 0.0213, 6e-4);
    EXPECT_EQ(evolve.verdict, Verdict::within_noise);
}

TEST(Comparison, SingleRunsOfASoftwareRendererMustDifferByMore) {
    Report before = run(), twice = run(2.0), five_times = run(5.0);
    for (Report* report : {&before, &twice, &five_times}) report->gl.software_renderer = true;
    const auto verdict = [&](const Report& other) {
        return metric(compare(group({before}), group({other}), 5.0), "evolve", "gpu").verdict;
    };
    EXPECT_EQ(verdict(twice), Verdict::within_noise);
    EXPECT_EQ(verdict(five_times), Verdict::slower);
}

TEST(Comparison, AGroupAgainstASingleRunHasNoInterval) {
    const Group repeats = group({run(1.00), run(1.02), run(1.04)});
    const MetricComparison evolve = metric(compare(repeats, group({run(1.5)}), 5.0), "evolve", "gpu");
    EXPECT_FALSE(evolve.confidence_percent.has_value());
    EXPECT_EQ(evolve.verdict, Verdict::slower);
    EXPECT_EQ(metric(compare(repeats, group({run(1.1)}), 5.0), "evolve", "gpu").verdict, Verdict::within_noise);
}

TEST(Outliers, ModifiedScoresAreThoseOfAHandComputation) {
    // Median 10.2; distances 0.2, 0.1, 0, 0.2, 1.8: their median is 0.2. 0.6745 * 1.8 / 0.2 = 6.0705.
    const std::vector<double> scores = modified_z_scores(std::vector{10.0, 10.1, 10.2, 10.4, 12.0});
    const double expected[] = {-0.6745, -0.33725, 0.0, 0.6745, 6.0705};
    ASSERT_EQ(scores.size(), 5U);
    for (std::size_t index = 0; index < 5; ++index) EXPECT_NEAR(scores[index], expected[index], 1e-9) << index;
    // Median (2 + 3) / 2 = 2.5; distances 1.5, 0.5, 0.5, 1.5: their median is 1. 0.6745 * 1.5 = 1.01175.
    EXPECT_NEAR(modified_z_scores(std::vector{4.0, 1.0, 2.0, 3.0})[0], 1.01175, 1e-9);
    EXPECT_TRUE(modified_z_scores({}).empty());
}

TEST(Outliers, ASpreadBelowTheClocksResolutionCountsAsThatResolution) {
    // More than half are equal, so that MAD is 0: 0.6745 * 2 / 0.002 = 674.5.
    const std::vector<double> equal = modified_z_scores(std::vector{10.0, 10.0, 10.0, 10.0, 10.0, 12.0});
    EXPECT_EQ(equal[0], 0.0);
    EXPECT_NEAR(equal[5], 674.5, 1e-6);
    // MAD is 0.00001, far below what the clock shows: 0.6745 * 0.004 / 0.002 = 1.349.
    const std::vector<double> nearly_equal = modified_z_scores(std::vector{10.0, 10.00001, 9.99999, 10.0, 9.996});
    EXPECT_NEAR(nearly_equal[4], -1.349, 1e-6);
}

Group group_of_medians(const std::vector<double>& medians) {
    Group result = group(std::vector<Report>(medians.size(), run()));
    for (std::size_t index = 0; index < medians.size(); ++index) {
        result.reports[index]["frame"]["interval_ms"]["median"] = medians[index];
        result.paths.push_back("g/" + std::to_string(index + 1) + ".json");
    }
    return result;
}

TEST(Outliers, AreMarkedInGroupsOfFiveAndMoreAndNeverDropped) {
    const Group five = group_of_medians({10.0, 10.1, 10.2, 10.4, 12.0});
    const std::vector<RunOutlier> outliers = outliers_of(five);
    ASSERT_EQ(outliers.size(), 1U);
    EXPECT_EQ(outliers[0].run, "g/5.json");
    EXPECT_EQ(outliers[0].clock, "interval");
    EXPECT_DOUBLE_EQ(outliers[0].median_ms, 12.0);
    EXPECT_DOUBLE_EQ(outliers[0].group_median_ms, 10.2);
    EXPECT_EQ(to_text(outliers[0]),
              "g/5.json: frame interval 12.0000 ms, median of the group 10.2000 ms (modified z-score 6.1)");
    EXPECT_TRUE(outliers_of(group_of_medians({10.0, 10.1, 10.2, 12.0})).empty()) << "four say too little";
    // Distances 0.2, 0.1, 0, 0.2 and 1.03 or 1.05; 3.5 * 0.2 / 0.6745 = 1.0378.
    EXPECT_TRUE(outliers_of(group_of_medians({10.0, 10.1, 10.2, 10.4, 11.23})).empty());
    EXPECT_EQ(outliers_of(group_of_medians({10.0, 10.1, 10.2, 10.4, 11.25})).size(), 1U);

    const Comparison comparison = compare(group_of_medians({10.0, 10.1, 10.2, 10.4, 10.0}), five, 5.0);
    EXPECT_TRUE(comparison.baseline_outliers.empty());
    EXPECT_EQ(comparison.candidate_outliers.size(), 1U);
    EXPECT_NEAR(metric(comparison, "frame", "interval").candidate_ms, 52.7 / 5, 1e-9) << "the mean of all five";
    const std::string text = to_text(comparison, false);
    EXPECT_NE(text.find("B: group (5 runs)\n  outlier, counted all the same: g/5.json"), std::string::npos) << text;
    const Json json = to_json(std::vector{comparison})["comparisons"][0];
    EXPECT_TRUE(json["baseline"]["outliers"].empty());
    EXPECT_EQ(json["candidate"]["outliers"][0]["run"], "g/5.json");
    EXPECT_NEAR(json["candidate"]["outliers"][0]["modified_z_score"].get<double>(), 6.0705, 1e-9);
    const std::vector<Group> groups{group_of_medians({10.0, 10.1, 10.2, 10.4, 10.0}), five};
    EXPECT_NE(to_html(std::vector{comparison}, groups).find("<li>B: g/5.json"), std::string::npos);
}

TEST(Outliers, AreFoundOnAnotherClockWhereThereAreNoIntervals) {
    Group five = group_of_medians({10.0, 10.1, 10.2, 10.4, 12.0});
    const double gpu[] = {5.0, 5.0, 5.0, 9.0, 5.0};
    for (std::size_t index = 0; index < 5; ++index) five.reports[index]["frame"]["gpu_ms"]["median"] = gpu[index];
    five.reports[2]["frame"]["interval_ms"]["median"] = nullptr;
    const std::vector<RunOutlier> outliers = outliers_of(five);
    ASSERT_EQ(outliers.size(), 1U);
    EXPECT_EQ(outliers[0].clock, "gpu");
    EXPECT_EQ(outliers[0].run, "g/4.json");
}

TEST(Outliers, AmongEqualRunsAreMarkedWithAScore) {
    const std::vector<RunOutlier> one = outliers_of(group_of_medians({10.0, 10.0, 12.0, 10.0, 10.0, 10.0}));
    ASSERT_EQ(one.size(), 1U);
    EXPECT_EQ(to_text(one[0]),
              "g/3.json: frame interval 12.0000 ms, median of the group 10.0000 ms (modified z-score 674.5)");
    EXPECT_EQ(outliers_of(group_of_medians({10.0, 12.0, 10.0, 12.0, 10.0})).size(), 2U) << "both, though there are two";
    // 3.5 * 0.002 / 0.6745 = 0.01038.
    EXPECT_TRUE(outliers_of(group_of_medians({10.0, 10.0, 10.0, 10.0, 10.0103})).empty());
    EXPECT_EQ(outliers_of(group_of_medians({10.0, 10.0, 10.0, 10.0, 10.0105})).size(), 1U);
    EXPECT_TRUE(outliers_of(group_of_medians({10.0, 10.0, 10.0, 10.0, 10.0})).empty());

    const Group equal = group_of_medians({10.0, 10.0, 10.0, 10.0, 10.0});
    const Json json = to_json(std::vector{compare(equal, group_of_medians({10.0, 10.0, 10.0, 10.0, 12.0}), 5.0)});
    EXPECT_NEAR(json["comparisons"][0]["candidate"]["outliers"][0]["modified_z_score"].get<double>(), 674.5, 1e-6);
}

TEST(Comparison, DifferentSettingsAreListedAndFactsAreNot) {
    Report other = run();
    other.run.size = 256;
    other.run.parameters["wind_speed"] = 15.0;
    other.run.parameters["depth"] = 20.0;
    other.run.command_line = "spindrift --size 256";
    other.run.frames = 77;
    other.gl.renderer = "another GPU";
    const auto settings = different_settings(to_json(run()), to_json(other));
    ASSERT_EQ(settings.size(), 3u);
    EXPECT_EQ(settings[0].key, "run.size");
    EXPECT_EQ(settings[0].baseline, "512");
    EXPECT_EQ(settings[1].key, "run.parameters.wind_speed");
    EXPECT_EQ(settings[2].key, "run.parameters.depth");
    EXPECT_EQ(settings[2].baseline, "(none)");
    other.run.parameters["size"] = 256;
    EXPECT_EQ(different_settings(to_json(run()), to_json(other)).size(), 3u) << "nothing is listed twice";
    const auto facts = different_facts(to_json(run()), to_json(other));
    ASSERT_EQ(facts.size(), 2u);
    EXPECT_EQ(facts[0].key, "gl.renderer");
    EXPECT_EQ(facts[1].key, "run.frames");
}

TEST(Comparison, PassesOfOneSideAndTimesThatAreMissing) {
    Group baseline = group({run()}), candidate = group({run()});
    candidate.reports[0]["passes"].erase("evolve");
    candidate.reports[0]["passes"]["cufft"] = candidate.reports[0]["passes"]["fft.horizontal"];
    candidate.reports[0]["passes"]["step"]["gpu_ms"]["median"] = nullptr;
    const Comparison comparison = compare(baseline, candidate, 5.0);
    EXPECT_EQ(metric(comparison, "evolve", "gpu").verdict, Verdict::one_sided);
    EXPECT_EQ(metric(comparison, "cufft", "gpu").verdict, Verdict::one_sided);
    EXPECT_EQ(metric(comparison, "step", "gpu").verdict, Verdict::one_sided);
    EXPECT_TRUE(comparison.regressions().empty());
    EXPECT_EQ(to_json(std::vector{comparison}).dump().find("nan"), std::string::npos);
}

TEST(Comparison, AFrameThatWaitsForTheDisplayIsNotJudgedByItsInterval) {
    Report fast = run(), slow = run();
    for (Report* report : {&fast, &slow}) report->run.vsync = "on";
    for (profiler::RecordedFrame& frame : slow.recording.frames) frame.previous_cpu_end -= 10'000'000;
    const Comparison comparison = compare(group({fast}), group({slow}), 5.0);
    EXPECT_EQ(metric(comparison, "frame", "interval").verdict, Verdict::slower);
    EXPECT_FALSE(metric(comparison, "frame", "interval").gates);
    EXPECT_TRUE(comparison.regressions().empty());
}

TEST(Comparison, TimesThatLeaveTheRangeOfDoubleAreNoRegression) {
    // Found by tests/fuzz: the degrees of freedom were not a number, and an index came of it.
    Json report = to_json(run());
    report["passes"]["evolve"]["gpu_blocks_ms"] = {1e308, -1e308, 1e308};
    Group strange = group({run()});
    strange.reports = {report};
    const Comparison comparison = compare(strange, strange, 0.0);
    EXPECT_TRUE(comparison.regressions().empty());
    EXPECT_EQ(to_json(std::vector{comparison}).dump().find("nan"), std::string::npos);
    EXPECT_TRUE(compare(group({run()}), strange, 0.0).regressions().empty());
}

TEST(Comparison, ThresholdsAreRead) {
    EXPECT_DOUBLE_EQ(parse_threshold("5%"), 5.0);
    EXPECT_DOUBLE_EQ(parse_threshold("2.5"), 2.5);
    EXPECT_DOUBLE_EQ(parse_threshold("0"), 0.0);
    for (const char* wrong : {"", "%", "-1%", "five", "5%%", "nan", "inf", "5 %x"}) {
        try {
            parse_threshold(wrong);
            ADD_FAILURE() << wrong << " accepted";
        } catch (const Error& error) {
            EXPECT_EQ(error.exit_code(), ExitCode::usage);
        }
    }
}

/// The command as it is typed.
class CompareCommand : public ::testing::Test {
protected:
    void SetUp() override {
        folder_ = fs::path(::testing::TempDir()) / (std::string("spindrift compare ö ") +
                                                    ::testing::UnitTest::GetInstance()->current_test_info()->name());
        fs::remove_all(folder_);
        fs::create_directories(folder_);
        write_report(folder_ / "a.json", run());
    }
    void TearDown() override { fs::remove_all(folder_); }

    std::string path(const std::string& name) const { return (folder_ / name).string(); }
    int command(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), "compare");
        try {
            return run_command_line(arguments);
        } catch (const Error& error) {
            message_ = error.what();
            return static_cast<int>(error.exit_code());
        }
    }

    fs::path folder_;
    std::string message_;
};

TEST_F(CompareCommand, ExitCodesSayWhatWasFound) {
    write_report(folder_ / "same.json", run());
    write_report(folder_ / "slow.json", run(1.0, 1.5));
    EXPECT_EQ(command({path("a.json"), path("same.json")}), 0);
    EXPECT_EQ(command({path("a.json"), path("slow.json"), "--json", path("out.json")}), 3);
    const Json json = Json::parse(read_file(folder_ / "out.json"));
    EXPECT_EQ(json["schema"], "spindrift.comparison/1");
    EXPECT_EQ(json["ok"], false);
    EXPECT_EQ(json["comparisons"][0]["regressions"][0]["name"], "fft.horizontal");
    EXPECT_EQ(command({path("a.json"), path("slow.json"), "--threshold", "60%"}), 0);
    EXPECT_EQ(command({path("a.json"), path("same.json"), path("slow.json")}), 3) << "each is compared with the first";
    EXPECT_EQ(command({path("slow.json"), path("a.json")}), 0) << "faster is no regression";
}

TEST_F(CompareCommand, FoldersAreRepeats) {
    for (const char* side : {"before", "after"}) fs::create_directories(folder_ / side);
    for (const double factor : {1.0, 1.01, 1.02}) {
        write_report(folder_ / "before" / (std::to_string(factor) + ".json"), run(factor));
        write_report(folder_ / "after" / (std::to_string(factor) + ".json"), run(factor * 1.2));
    }
    EXPECT_EQ(command({path("before"), path("after")}), 3);
    EXPECT_EQ(command({path("before"), path("before")}), 0);
    Report other = run();
    other.run.size = 64;
    write_report(folder_ / "after" / "other.json", other);
    EXPECT_EQ(command({path("before"), path("after")}), 1);
    EXPECT_NE(message_.find("not repeats of one run: run.size"), std::string::npos) << message_;
}

TEST_F(CompareCommand, DifferentSettingsNeedForce) {
    Report other = run();
    other.run.size = 256;
    write_report(folder_ / "b.json", other);
    EXPECT_EQ(command({path("a.json"), path("b.json")}), 2);
    EXPECT_NE(message_.find("run.size: 512 | 256"), std::string::npos) << message_;
    EXPECT_NE(message_.find("--force"), std::string::npos);
    EXPECT_EQ(command({path("a.json"), path("b.json"), "--force"}), 0);
}

TEST_F(CompareCommand, FilesThatAreNoReportsAreNamed) {
    const auto expect_message = [&](const std::string& content, const std::string& message) {
        write_file_atomically(folder_ / "bad.json", content);
        EXPECT_EQ(command({path("a.json"), path("bad.json")}), 1) << content;
        EXPECT_NE(message_.find("bad.json"), std::string::npos) << message_;
        EXPECT_NE(message_.find(message), std::string::npos) << message_;
    };
    expect_message("", "not JSON");
    expect_message("{\"schema\":", "not JSON");
    expect_message("[1, 2]", "no report");
    expect_message("{\"schema\":\"spindrift.report/9\"}", "reads \"spindrift.report/1\"");
    expect_message("{\"schema\":\"spindrift.report/1\"}", "no object \"app\"");
    Json numbers = to_json(run());
    numbers["passes"]["evolve"] = 5;
    expect_message(numbers.dump(), "passes[\"evolve\"]");
    Json deep = to_json(run());
    deep["run"]["parameters"]["seed"] = "here";
    std::string text = deep.dump();
    constexpr std::size_t levels = 100'000; // far more than a stack holds calls
    text.replace(text.find("\"here\""), 6, std::string(levels, '[') + std::string(levels, ']'));
    expect_message(text, "nest more than 64 deep");
    EXPECT_EQ(command({path("a.json"), path("missing.json")}), 1);
    EXPECT_EQ(command({path("a.json")}), 2);
    EXPECT_EQ(command({path("a.json"), path("a.json"), "--threshold", "x"}), 2);
    EXPECT_EQ(command({path("a.json"), path("a.json"), "--json", path("none/out.json")}), 1);
}

TEST_F(CompareCommand, NoFramesAreNothingToCompareAndOneFrameIs) {
    const auto write_frames = [&](std::size_t frames) {
        Report report = run();
        report.recording = test::sample_recording(std::vector<std::pair<double, double>>(frames, std::pair{1.0, 2.0}));
        write_report(folder_ / "few.json", report);
    };
    write_frames(0);
    EXPECT_EQ(command({path("few.json"), path("a.json")}), 1) << "no times must not look like no difference";
    EXPECT_NE(message_.find("no time in common"), std::string::npos) << message_;
    write_frames(1);
    EXPECT_EQ(command({path("few.json"), path("few.json")}), 0);
}

} // namespace
} // namespace spindrift::report
