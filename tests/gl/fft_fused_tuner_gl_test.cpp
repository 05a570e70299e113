// The search for fused kernels: what is measured shows the same sea, what does not gets no time.
#include "tests/gl/broken_shaders.h"
#include "tests/gl/fft_fixture.h"

#include "app/ocean/fused_case.h"
#include "fft/fused_tuner.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace spindrift {
namespace {

using fft::Effort;
using fft::FusedTuner;
using ocean::FusedStepCase;
using ocean::SimulationDesc;

class FftFusedTuner : public test::FftTest {
protected:
    static SimulationDesc small(fft::Packing packing = fft::Packing::vec4) {
        return {.algorithm = fft::Algorithm::tuned,
                .size = 16,
                .packing = packing,
                .storage = fft::Storage::buffer,
                .fused = true};
    }
    static fft::TransformDesc transform(const SimulationDesc& sea) { return ocean::transform_desc(sea); }

    /// Some candidates of each search are enough: the compiler of a software renderer is slow.
    static void run(FusedTuner& tuner, fft::Waiting waiting, std::size_t most_kernels) {
        std::size_t before = 0, finished = 0;
        for (int step = 0; step < 200'000 && tuner.step(waiting); ++step) {
            if (tuner.searches_finished() != finished) {
                finished = tuner.searches_finished();
                before = tuner.kernels().size();
            }
            if (tuner.kernels().size() - before >= most_kernels) tuner.end_search();
            if (waiting == fft::Waiting::never) std::this_thread::sleep_for(std::chrono::microseconds(100));
        }
    }
};

TEST_F(FftFusedTuner, FindsKernelsThatShowTheSameSea) {
    for (const fft::Packing packing : fft::all_packings) {
        FusedStepCase sea(small(packing), nullptr, library(), device());
        FusedTuner tuner(transform(small(packing)), Effort::measure, sea, library(), device());
        EXPECT_FALSE(tuner.result().has_value());
        run(tuner, fft::Waiting::allowed, 14);
        EXPECT_FALSE(tuner.step());
        EXPECT_EQ(tuner.searches_finished(), tuner.searches());
        EXPECT_GE(tuner.kernels().size(), 24U);
        bool shared = false;
        for (const fft::KernelTrial& trial : tuner.kernels()) {
            EXPECT_TRUE(trial.ok) << trial.kernel.to_string() << ": " << trial.failure;
            EXPECT_LT(trial.relative_l2, 1e-6) << trial.kernel.to_string();
            EXPECT_GT(trial.time.samples, 0U);
            shared = shared || trial.kernel.layer_lanes * trial.kernel.lanes > 1;
        }
        EXPECT_TRUE(shared) << "no kernel shares a texel between invocations";
        ASSERT_TRUE(tuner.result().has_value());
        EXPECT_TRUE(tuner.result()->fused);
        EXPECT_EQ(fft::why_no_fused_schedule(tuner.result()->schedule, tuner.result()->desc, device().limits),
                  std::nullopt);
        for (const fft::ScheduleTrial& trial : tuner.schedules())
            EXPECT_GE(trial.time.median, tuner.result()->microseconds);
    }
}

TEST_F(FftFusedTuner, EveryWayOfSharingShowsTheSameSea) {
    for (const fft::Packing packing : fft::all_packings) {
        const fft::TransformDesc desc = transform(small(packing));
        FusedStepCase sea(small(packing), nullptr, library(), device());
        FusedTuner tuner(desc, Effort::measure, sea, library(), device());
        std::size_t added = 0;
        for (int layer_lanes = 1; layer_lanes <= desc.layers; layer_lanes *= 2)
            for (int lanes = 1; lanes <= fft::complex_per_texel(packing); ++lanes)
                for (const int turns : {1, 2}) {
                    fft::TunedSchedule schedule = fft::default_fused_schedule(desc, device().limits).value();
                    for (fft::KernelParameters* kernel : {&schedule.rows, &schedule.columns}) {
                        kernel->layers = static_cast<std::uint8_t>(desc.layers / layer_lanes);
                        kernel->layer_lanes = static_cast<std::uint8_t>(layer_lanes);
                        kernel->lanes = static_cast<std::uint8_t>(lanes);
                        kernel->lines = 2;
                        kernel->turns = static_cast<std::uint8_t>(turns);
                        kernel->points = 8;
                        kernel->radices = {8, 2};
                        kernel->exchange_components = 1;
                    }
                    ASSERT_EQ(fft::why_no_fused_schedule(schedule, desc, device().limits), std::nullopt);
                    tuner.also_try(schedule);
                    ++added;
                }
        run(tuner, fft::Waiting::allowed, 1);
        EXPECT_GE(tuner.schedules().size(), added);
        for (const fft::ScheduleTrial& trial : tuner.schedules()) {
            EXPECT_TRUE(trial.ok) << trial.schedule.to_string() << ": " << trial.failure;
            EXPECT_LT(trial.relative_l2, 1e-6) << trial.schedule.to_string();
        }
    }
}

TEST_F(FftFusedTuner, WorksBetweenFramesToo) {
    gl::ProgramLibrary fresh = make_library(); // nothing is compiled yet
    FusedStepCase sea(small(), nullptr, fresh, device());
    FusedTuner tuner(transform(small()), Effort::measure, sea, fresh, device());
    run(tuner, fft::Waiting::never, 4);
    ASSERT_TRUE(tuner.result().has_value()) << tuner.doing();
    EXPECT_TRUE(tuner.may_end());
}

TEST_F(FftFusedTuner, AKernelThatShowsAnotherSeaIsNeverTimed) {
    const std::string right = "    fields.pair[2] = pair_from(parts, 2);";
    const test::BrokenShaders shaders("ocean/assemble_columns.comp", right, right + " fields.pair[2].y *= 1.001;");
    gl::ProgramLibrary broken = shaders.library();
    FusedStepCase sea(small(), nullptr, broken, device());
    FusedTuner tuner(transform(small()), Effort::measure, sea, broken, device());
    run(tuner, fft::Waiting::allowed, 2);
    EXPECT_GE(tuner.kernels().size(), 2U);
    for (const fft::KernelTrial& trial : tuner.kernels()) {
        EXPECT_FALSE(trial.ok);
        EXPECT_EQ(trial.time.samples, 0U);
        EXPECT_NE(trial.failure.find("differs by"), std::string::npos) << trial.failure;
    }
    EXPECT_FALSE(tuner.result().has_value());
}

} // namespace
} // namespace spindrift
