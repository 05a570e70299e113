// Tuning as the window does it: between frames, and its result becomes wisdom, in use and in a file.
#include "tests/gl/fft_fixture.h"

#include "app/ocean/simulation.h"
#include "app/transform_tuning.h"
#include "app/wisdom_file.h"
#include "engine/files.h"

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>
#include <unistd.h>

namespace spindrift {
namespace {

namespace fs = std::filesystem;

class TransformTuningGl : public test::FftTest {
protected:
    void SetUp() override {
        FftTest::SetUp();
        if (IsSkipped()) return;
        if (const char* cache = std::getenv("XDG_CACHE_HOME")) cache_before_ = cache;
        folder_ = fs::temp_directory_path() / fmt::format("spindrift-tuning-{}", getpid());
        fs::create_directories(folder_);
        setenv("XDG_CACHE_HOME", folder_.c_str(), 1);
        fft::set_active_wisdom(nullptr);
    }
    void TearDown() override {
        fft::set_active_wisdom(nullptr);
        if (cache_before_)
            setenv("XDG_CACHE_HOME", cache_before_->c_str(), 1);
        else
            unsetenv("XDG_CACHE_HOME");
        if (!folder_.empty()) fs::remove_all(folder_);
        FftTest::TearDown();
    }

    static fft::TransformDesc small() {
        return {.size = 16,
                .algorithm = fft::Algorithm::tuned,
                .packing = fft::Packing::vec2,
                .layers = 1,
                .storage = fft::Storage::buffer};
    }
    fs::path wisdom_file() const { return wisdom_path(device()); }

    /// As in a window. True when the result became wisdom.
    static bool run(TransformTuning& tuning) {
        for (int frame = 0; frame < 200'000 && tuning.running(); ++frame) {
            if (tuning.step(fft::Waiting::never)) return true;
            std::this_thread::sleep_for(std::chrono::microseconds(100));
        }
        return false;
    }

    fs::path folder_;
    std::optional<std::string> cache_before_;
};

TEST_F(TransformTuningGl, TheResultIsInUseAndInTheFile) {
    EXPECT_TRUE(fft::needs_measuring(small(), fft::Effort::measure));
    TransformTuning tuning(library(), device());
    EXPECT_EQ(tuning.status().phase, TuningPhase::idle);
    EXPECT_FALSE(tuning.step(fft::Waiting::never));
    tuning.start(small(), fft::Effort::measure);
    ASSERT_TRUE(tuning.running());
    const std::size_t programs = library().program_count();
    ASSERT_TRUE(run(tuning)) << tuning.status().progress.doing << tuning.status().why;
    EXPECT_LE(library().program_count(), programs + 2) << "only the result's";
    const TuningStatus& status = tuning.status();
    EXPECT_EQ(status.phase, TuningPhase::done);
    EXPECT_EQ(status.fraction(), 1);
    EXPECT_EQ(status.why, "");
    ASSERT_TRUE(status.before && status.after);
    EXPECT_EQ(status.before->schedule, fft::default_schedule(small(), device().limits));
    EXPECT_GT(status.before->time.samples, 0U);
    EXPECT_LE(status.after->time.median, status.before->time.median);
    EXPECT_LT(status.after->relative_l2, fft::fp32_gate);

    EXPECT_FALSE(fft::needs_measuring(small(), fft::Effort::measure));
    EXPECT_TRUE(fft::needs_measuring(small(), fft::Effort::patient));
    EXPECT_EQ(fft::Plan(small(), library(), device().limits).launch().schedule, status.after->schedule);
    const LoadedWisdom loaded = load_wisdom(device(), library().sources());
    EXPECT_FALSE(loaded.refused) << loaded.state;
    ASSERT_NE(loaded.wisdom->find(small(), fft::Effort::measure), nullptr);
    EXPECT_EQ(loaded.wisdom->find(small())->schedule, status.after->schedule);
}

TEST_F(TransformTuningGl, AFusedSeaRunsTheKernelsThatWereFoundForIt) {
    const ocean::SimulationDesc desc{
        .algorithm = fft::Algorithm::tuned, .size = 16, .storage = fft::Storage::buffer, .fused = true};
    ocean::Simulation sea(desc, library(), device());
    const fft::TransformDesc transform = sea.plan().desc();
    EXPECT_TRUE(fft::needs_measuring(transform, fft::Effort::measure, true));
    TransformTuning tuning(library(), device());
    tuning.start_fused(desc, &sea.initial_spectrum(), fft::Effort::measure);
    ASSERT_TRUE(tuning.running()) << tuning.status().why;
    ASSERT_TRUE(run(tuning)) << tuning.status().progress.doing << tuning.status().why;
    const TuningStatus& status = tuning.status();
    EXPECT_TRUE(status.fused);
    ASSERT_TRUE(status.before && status.after);
    EXPECT_LE(status.after->time.median, status.before->time.median);
    EXPECT_EQ(describe_tuned(status.desc, status.fused), "16 fused vec4 4 fields");
    EXPECT_FALSE(fft::needs_measuring(transform, fft::Effort::measure, true));
    EXPECT_TRUE(fft::needs_measuring(transform, fft::Effort::measure)) << "the transform by itself is another matter";
    sea.remake_plan(library(), device().limits);
    EXPECT_EQ(sea.kernel_facts().schedule, status.after->schedule.to_string());
    const LoadedWisdom loaded = load_wisdom(device(), library().sources());
    ASSERT_NE(loaded.wisdom->find_fused(transform), nullptr) << loaded.state;
    EXPECT_EQ(loaded.wisdom->find_fused(transform)->schedule, status.after->schedule);
    EXPECT_TRUE(tune_first(desc, fft::Effort::measure, library(), device(), [] { return true; })) << "it is known";
    tuning.start_fused(desc, nullptr, fft::Effort::patient);
    tuning.step(fft::Waiting::never);
    tuning.cancel("enough");
    EXPECT_EQ(tuning.status().phase, TuningPhase::cancelled);
}

TEST_F(TransformTuningGl, WhatIsCancelledIsNotKept) {
    const std::size_t objects = gl::live_objects();
    const std::size_t programs = library().program_count();
    TransformTuning tuning(library(), device());
    for (const int frames : {0, 1, 20}) {
        tuning.start(small(), fft::Effort::patient);
        for (int frame = 0; frame < frames; ++frame) tuning.step(fft::Waiting::never);
        ASSERT_TRUE(tuning.running());
        tuning.cancel("a recording must not be disturbed");
        EXPECT_EQ(tuning.status().phase, TuningPhase::cancelled);
        EXPECT_EQ(tuning.status().why, "a recording must not be disturbed");
        EXPECT_FALSE(tuning.step(fft::Waiting::never));
        tuning.cancel("again");
        EXPECT_EQ(tuning.status().why, "a recording must not be disturbed");
    }
    // A thread that computes a reference needs a moment to notice.
    for (int frame = 0; frame < 5000 && gl::live_objects() != objects; ++frame) {
        tuning.step(fft::Waiting::never);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_EQ(gl::live_objects(), objects);
    EXPECT_EQ(library().program_count(), programs);
    EXPECT_EQ(fft::active_wisdom(), nullptr);
    EXPECT_FALSE(fs::exists(wisdom_file()));
    int calls = 0;
    EXPECT_FALSE(tune_first(small(), fft::Effort::measure, library(), device(), [&] { return ++calls > 5; }));
    EXPECT_EQ(fft::active_wisdom(), nullptr);
    EXPECT_TRUE(tune_first(small(), fft::Effort::estimate, library(), device(), [] { return true; }));
}

TEST_F(TransformTuningGl, WhatCannotBeWrittenIsUsedAndTold) {
    // A file in the folder's place.
    fs::create_directories(wisdom_file().parent_path().parent_path());
    std::ofstream(wisdom_file().parent_path()) << "in the way";
    EXPECT_TRUE(tune_first(small(), fft::Effort::measure, library(), device(), {}));
    EXPECT_FALSE(fft::needs_measuring(small(), fft::Effort::measure));
    fft::WisdomEntry entry = *fft::active_wisdom()->find(small());
    entry.desc.layers = 2;
    entry.schedule = fft::default_schedule(entry.desc, device().limits).value();
    EXPECT_NE(keep_wisdom(entry, device(), library().sources()).why_not_written, "");
    // Once it can be written, what was known before is written, too.
    fs::remove(wisdom_file().parent_path());
    EXPECT_EQ(keep_wisdom(entry, device(), library().sources()).why_not_written, "");
    EXPECT_EQ(load_wisdom(device(), library().sources()).wisdom->entries().size(), 2U);
    EXPECT_FALSE(fft::needs_measuring(small(), fft::Effort::measure));
}

TEST_F(TransformTuningGl, WhatCannotBeTunedFailsWithAReason) {
    TransformTuning tuning(library(), device());
    fft::TransformDesc desc = small();
    desc.size = 24;
    tuning.start(desc, fft::Effort::measure);
    EXPECT_EQ(tuning.status().phase, TuningPhase::failed);
    EXPECT_NE(tuning.status().why.find("24"), std::string::npos) << tuning.status().why;
}

TEST_F(TransformTuningGl, ARunningSeaTakesTheNewScheduleAndStaysTheSame) {
    const ocean::SimulationDesc desc{.algorithm = fft::Algorithm::tuned, .size = 32};
    ocean::Simulation simulation(desc, library(), device());
    simulation.step(3, 0.02);
    const auto before = simulation.download_fields();
    fft::WisdomEntry entry{.desc = simulation.plan().desc(), .schedule = {}, .microseconds = 1, .relative_l2 = 1e-7};
    entry.schedule = *simulation.plan().launch().schedule;
    entry.schedule.columns.twiddles = fft::Twiddles::products;
    keep_wisdom(entry, device(), library().sources());
    EXPECT_NE(simulation.plan().launch().schedule, entry.schedule);
    simulation.remake_plan(library(), device().limits);
    EXPECT_EQ(simulation.plan().launch().schedule, entry.schedule);
    simulation.step(3, 0);
    const auto after = simulation.download_fields();
    for (std::size_t field = 0; field < before.size(); ++field) {
        double error = 0, norm = 0;
        for (std::size_t cell = 0; cell < before[field].size(); ++cell) {
            error += std::pow(static_cast<double>(after[field][cell]) - static_cast<double>(before[field][cell]), 2);
            norm += std::pow(static_cast<double>(before[field][cell]), 2);
        }
        EXPECT_LT(std::sqrt(error), 1e-5 * std::sqrt(norm)) << field;
    }
}

} // namespace
} // namespace spindrift
