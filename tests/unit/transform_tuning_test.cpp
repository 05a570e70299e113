// What tuning says of itself, and work on another thread; what needs a GPU is in tests/gl.
#include "app/transform_tuning.h"
#include "engine/background.h"
#include "fft/tuning_case.h"
#include "fft/verification.h"

#include <atomic>
#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>
#include <thread>

namespace spindrift {
namespace {

TEST(TuningStatus, AProgressBarGoesFromNothingToAll) {
    TuningStatus status;
    EXPECT_EQ(status.fraction(), 0);
    status.phase = TuningPhase::running;
    status.progress.searches = 4;
    double last = -1;
    for (status.progress.searches_finished = 0; status.progress.searches_finished <= 4;
         ++status.progress.searches_finished) {
        EXPECT_GT(status.fraction(), last);
        last = status.fraction();
    }
    EXPECT_LT(last, 1) << "whole transforms come after the searches";
    status.phase = TuningPhase::done;
    EXPECT_EQ(status.fraction(), 1);
}

TEST(TuningStatus, TheOutcomeNamesBothTimesAndTheSchedule) {
    TuningStatus status;
    EXPECT_EQ(tuning_outcome(status), "no result");
    const fft::TransformDesc desc{.size = 128, .algorithm = fft::Algorithm::tuned, .layers = 2};
    fft::ScheduleTrial trial;
    trial.schedule = fft::default_schedule(desc, {}).value();
    trial.ok = true;
    trial.relative_l2 = 1.25e-7;
    trial.time = {.median = 12.5, .samples = 9};
    status.after = trial;
    EXPECT_EQ(tuning_outcome(status), "now 12.50 us, rel L2 1.2e-07: " + trial.schedule.to_string());
    trial.time.median = 20;
    status.before = trial;
    EXPECT_EQ(tuning_outcome(status), "before 20.00 us, now 12.50 us, rel L2 1.2e-07: " + trial.schedule.to_string());
    status.before->time = {}; // was refused, and has no time
    EXPECT_EQ(tuning_outcome(status).find("before"), std::string::npos);
    EXPECT_EQ(describe_tuned(desc), "128 image vec4 4 fields");
}

TEST(NeedsMeasuring, OnlyTunedWithMoreEffortThanIsKnown) {
    fft::set_active_wisdom(nullptr);
    fft::TransformDesc desc{.size = 128, .algorithm = fft::Algorithm::tuned, .layers = 2};
    EXPECT_FALSE(fft::needs_measuring(desc, fft::Effort::estimate));
    EXPECT_TRUE(fft::needs_measuring(desc, fft::Effort::measure));
    auto wisdom = std::make_shared<fft::Wisdom>(gl::DeviceInfo{}, "text");
    wisdom->add({.desc = desc, .effort = fft::Effort::measure, .schedule = fft::default_schedule(desc, {}).value()});
    fft::set_active_wisdom(wisdom);
    EXPECT_FALSE(fft::needs_measuring(desc, fft::Effort::measure));
    EXPECT_TRUE(fft::needs_measuring(desc, fft::Effort::patient));
    desc.layers = 1;
    EXPECT_TRUE(fft::needs_measuring(desc, fft::Effort::measure));
    desc.algorithm = fft::Algorithm::stockham_radix4;
    EXPECT_FALSE(fft::needs_measuring(desc, fft::Effort::patient));
    fft::set_active_wisdom(nullptr);
}

TEST(BackgroundWork, IsTakenOnceAndTellsWhatItThrew) {
    Background<int> work;
    EXPECT_FALSE(work.started());
    EXPECT_FALSE(work.ready());
    work.start([](const std::stop_token&) { return 42; });
    EXPECT_TRUE(work.started());
    EXPECT_EQ(work.take(), 42);
    EXPECT_FALSE(work.started());
    work.start([](const std::stop_token&) -> int { throw std::runtime_error("no"); });
    EXPECT_THROW(work.take(), std::runtime_error);
}

TEST(BackgroundWork, ItsEndStopsItAndWaits) {
    std::atomic<bool> began{false}, ended{false};
    {
        Background<int> work;
        work.start([&](const std::stop_token& stop) {
            began = true;
            while (!stop.stop_requested()) std::this_thread::yield();
            ended = true;
            return 0;
        });
        while (!began) std::this_thread::yield();
        EXPECT_FALSE(work.ready());
    }
    EXPECT_TRUE(ended);
}

TEST(TuningCase, KnowsWhatIsRight) {
    for (const fft::Direction direction : fft::all_directions) {
        const fft::TransformDesc desc{
            .size = 64, .direction = direction, .algorithm = fft::Algorithm::tuned, .layers = 2};
        const fft::TuningCase made = fft::make_tuning_case(desc);
        EXPECT_EQ(made.input, fft::random_input(desc, 1));
        EXPECT_EQ(made.expected, fft::reference::transform_batch(made.input, desc));
        // Rows of the input transformed one by one, rounded to float.
        std::vector<float> rows = made.input;
        for (int layer = 0; layer < desc.layers; ++layer)
            for (int lane = 0; lane < 2; ++lane) {
                auto field = fft::reference::extract_field(rows, desc, layer, lane);
                for (std::size_t row = 0; row < 64; ++row)
                    fft::reference::transform_line(std::span(field).subspan(row * 64, 64), direction);
                fft::reference::insert_field(rows, desc, layer, lane, field);
            }
        EXPECT_LT(made.of(fft::Axis::horizontal).relative_l2(rows), 1e-7);
        EXPECT_GT(made.of(fft::Axis::vertical).relative_l2(rows), 0.1);
        rows[0] = std::numeric_limits<float>::quiet_NaN();
        EXPECT_TRUE(std::isinf(made.of(fft::Axis::horizontal).relative_l2(rows)));
    }
}

TEST(TuningCase, StopsWhenItIsAskedTo) {
    std::stop_source stop;
    stop.request_stop();
    const fft::TransformDesc desc{.size = 64, .algorithm = fft::Algorithm::tuned, .layers = 2};
    EXPECT_TRUE(fft::make_tuning_case(desc, stop.get_token()).expected.empty());
    std::vector<fft::reference::Complex> values(64 * 64, 1.0);
    fft::reference::transform_square(values, 64, fft::Direction::forward, fft::Scaling::none, stop.get_token());
    EXPECT_EQ(values, std::vector<fft::reference::Complex>(64 * 64, 1.0)) << "no row was transformed";
}

} // namespace
} // namespace spindrift
