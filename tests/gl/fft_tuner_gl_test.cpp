// The measuring planner and wisdom: what is measured is right, what is wrong gets no time, and wisdom comes back.
#include "tests/gl/broken_shaders.h"
#include "tests/gl/fft_fixture.h"

#include "fft/tuner.h"
#include "fft/wisdom.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace spindrift {
namespace {

using fft::Effort;
using fft::TransformDesc;
using fft::Tuner;
using fft::Wisdom;
using fft::WisdomEntry;

class FftTuner : public test::FftTest {
protected:
    void TearDown() override {
        fft::set_active_wisdom(nullptr);
        FftTest::TearDown();
    }

    static TransformDesc small(fft::Storage storage = fft::Storage::buffer) {
        return {.size = 16,
                .algorithm = fft::Algorithm::tuned,
                .packing = fft::Packing::vec2,
                .layers = 1,
                .storage = storage};
    }
};

TEST_F(FftTuner, FindsARightScheduleStepByStep) {
    Tuner tuner(small(), Effort::measure, library(), device());
    EXPECT_FALSE(tuner.result().has_value());
    // After a few candidates of each search it has seen enough: the compiler of a software renderer is slow.
    int steps = 0;
    while (tuner.step()) {
        ++steps;
        if (tuner.kernels().size() == 8) tuner.hurry();
    }
    EXPECT_FALSE(tuner.step());
    EXPECT_GT(steps, 10);
    EXPECT_FALSE(tuner.doing().empty());
    EXPECT_GE(tuner.kernels().size(), 8U);
    for (const fft::KernelTrial& trial : tuner.kernels()) {
        EXPECT_TRUE(trial.ok) << trial.kernel.to_string() << ": " << trial.failure;
        EXPECT_LT(trial.relative_l2, fft::fp32_gate);
        EXPECT_GT(trial.time.samples, 0U);
    }
    const auto result = tuner.result();
    ASSERT_TRUE(result.has_value());
    EXPECT_EQ(fft::why_no_schedule(result->schedule, result->desc, device().limits), std::nullopt);
    EXPECT_LT(result->relative_l2, fft::fp32_gate);
    EXPECT_GT(tuner.copy().samples, 0U);
    for (const fft::ScheduleTrial& trial : tuner.schedules()) EXPECT_GE(trial.time.median, result->microseconds);
}

TEST_F(FftTuner, AKernelThatIsWrongOnThisDriverIsNeverTimed) {
    const std::string store = "void store_texel(int first, int offset, int line, int layer, int lane, Texel texel) {";
    const std::string for_rows_only = "\n#ifdef HORIZONTAL\ntexel *= 1.001;\n#endif\n";
    const test::BrokenShaders shaders("fft/tuned_store.glsl", store, store + for_rows_only);
    gl::ProgramLibrary broken = shaders.library();
    Tuner tuner(small(), Effort::measure, broken, device());
    tuner.hurry();
    while (tuner.step()) {
    }
    EXPECT_GE(tuner.kernels().size(), 4U);
    for (const fft::KernelTrial& trial : tuner.kernels()) {
        if (trial.kernel.axis != fft::Axis::horizontal) continue;
        EXPECT_FALSE(trial.ok);
        EXPECT_EQ(trial.time.samples, 0U);
        EXPECT_NE(trial.failure.find("outside the gate"), std::string::npos) << trial.failure;
    }
    for (const fft::ScheduleTrial& trial : tuner.schedules()) EXPECT_EQ(trial.time.samples, 0U);
    EXPECT_FALSE(tuner.result().has_value());
}

/// As between frames: false when it has not ended after so many steps.
bool run_without_waiting(Tuner& tuner, std::size_t hurry_after) {
    for (int step = 0; step < 200'000; ++step) {
        if (!tuner.step(fft::Waiting::never)) return true;
        if (tuner.kernels().size() >= hurry_after) tuner.hurry();
        std::this_thread::sleep_for(std::chrono::microseconds(100)); // a frame
    }
    return false;
}

TEST_F(FftTuner, FindsTheSameKernelsWithoutWaiting) {
    for (const fft::Storage storage : fft::all_storages) {
        gl::ProgramLibrary fresh = make_library(); // nothing is compiled yet
        Tuner waiting(small(storage), Effort::measure, fresh, device());
        while (waiting.step())
            if (waiting.kernels().size() >= 6) waiting.hurry();
        gl::ProgramLibrary another = make_library();
        Tuner tuner(small(storage), Effort::measure, another, device());
        ASSERT_TRUE(run_without_waiting(tuner, 6)) << tuner.doing();
        ASSERT_TRUE(tuner.result().has_value());
        EXPECT_EQ(fft::why_no_schedule(tuner.result()->schedule, tuner.result()->desc, device().limits), std::nullopt);
        EXPECT_GT(tuner.copy().samples, 0U);
        // Which kernel is fastest is a matter of the moment; what is tried first, and what comes out of it, is not.
        ASSERT_GE(tuner.kernels().size(), 6U);
        for (std::size_t index = 0; index < 6; ++index) {
            const fft::KernelTrial& trial = tuner.kernels()[index];
            EXPECT_EQ(trial.kernel, waiting.kernels()[index].kernel) << index;
            EXPECT_EQ(trial.relative_l2, waiting.kernels()[index].relative_l2) << trial.kernel.to_string();
            EXPECT_TRUE(trial.ok) << trial.failure;
            EXPECT_GT(trial.time.samples, 0U);
        }
    }
}

TEST_F(FftTuner, PortionsOfSamplesEndBetweenFramesOnHardwareToo) {
    // A software renderer is timed on the CPU; with its timestamps it goes the way of a GPU.
    gl::DeviceInfo hardware = device();
    hardware.software_renderer = false;
    if (hardware.limits.timestamp_bits == 0) GTEST_SKIP() << device().renderer << " has no timestamps";
    Tuner tuner(small(), Effort::measure, library(), hardware);
    ASSERT_TRUE(run_without_waiting(tuner, 4)) << tuner.doing();
    ASSERT_TRUE(tuner.result().has_value());
    EXPECT_GT(tuner.copy().samples, 0U);
    for (const fft::KernelTrial& trial : tuner.kernels()) EXPECT_EQ(trial.time.samples, 20U) << "repetitions";
    for (const fft::ScheduleTrial& trial : tuner.schedules()) EXPECT_EQ(trial.time.samples, 20U);
}

TEST_F(FftTuner, ItsEndInTheMiddleLeavesNothingBehind) {
    const auto live = [] { return std::pair(gl::live_objects(), gl::live_bytes()); };
    const auto before = live();
    std::size_t most_kernels = 0;
    // While the reference is computed, while the first kernels compile, are compared and are timed.
    for (const int steps : {0, 1, 2, 3, 5, 8, 13, 21, 60}) {
        gl::ProgramLibrary own = make_library();
        Tuner tuner(small(fft::Storage::image), Effort::measure, own, device());
        for (int step = 0; step < steps; ++step) {
            tuner.step(fft::Waiting::never);
            std::this_thread::sleep_for(std::chrono::milliseconds(1)); // a frame
        }
        most_kernels = std::max(most_kernels, tuner.kernels().size());
    }
    EXPECT_GT(most_kernels, 0U);
    EXPECT_EQ(live(), before);
    { // a reference that takes long
        gl::ProgramLibrary own = make_library();
        TransformDesc desc = small();
        desc.size = 1024;
        Tuner tuner(desc, Effort::measure, own, device());
        EXPECT_TRUE(tuner.step(fft::Waiting::never));
        EXPECT_TRUE(tuner.kernels().empty());
    }
    EXPECT_EQ(live(), before);
}

TEST_F(FftTuner, AnotherScheduleCompetes) {
    fft::TunedSchedule schedule = fft::default_schedule(small(), device().limits).value();
    schedule.rows.twiddles = fft::Twiddles::products;
    Tuner tuner(small(), Effort::measure, library(), device());
    tuner.also_try(schedule);
    tuner.hurry();
    while (tuner.step()) {
    }
    const auto trials = tuner.schedules();
    const auto found = std::find_if(trials.begin(), trials.end(),
                                    [&](const fft::ScheduleTrial& trial) { return trial.schedule == schedule; });
    ASSERT_NE(found, trials.end());
    EXPECT_TRUE(found->ok) << found->failure;
    EXPECT_GT(found->time.samples, 0U);
}

TEST_F(FftTuner, PlansTakeTheScheduleOfActiveWisdom) {
    const TransformDesc desc = small();
    WisdomEntry entry{.desc = desc,
                      .schedule = fft::default_schedule(desc, device().limits).value(),
                      .microseconds = 5,
                      .relative_l2 = 1e-7};
    entry.schedule.rows.twiddles = fft::Twiddles::products;
    auto wisdom = std::make_shared<Wisdom>(device(), "text");
    wisdom->add(entry);
    fft::set_active_wisdom(wisdom);
    const fft::Plan plan(desc, library(), device().limits);
    EXPECT_EQ(plan.launch().schedule, entry.schedule);
    EXPECT_LT(measure(desc, test::random_texels(desc, 1)).relative_l2, fft::fp32_gate);
    TransformDesc other = desc;
    other.layers = 2; // nothing is known about two
    EXPECT_EQ(fft::Plan(other, library(), device().limits).launch().schedule,
              fft::default_schedule(other, device().limits));
}

} // namespace
} // namespace spindrift
