// The profiler's bookkeeping with an invented clock: no GPU.
#include "engine/profiler/profiler.h"

#include <cmath>
#include <gtest/gtest.h>
#include <string>

namespace spindrift::profiler {
namespace {

/// A device whose clock the test moves, and whose results arrive when the test says so.
class InventedClock final : public TimeSource {
public:
    std::string_view name() const noexcept override { return "invented"; }
    bool has_timestamps() const noexcept override { return timestamps; }
    std::size_t create_slot() override {
        stamps.push_back(0);
        return stamps.size() - 1;
    }
    void record(std::size_t slot) override {
        stamps[slot] = time;
        ++records;
    }
    bool available(std::size_t slot) override { return stamps[slot] <= visible_until; }
    std::int64_t elapsed(std::size_t begin, std::size_t end) override {
        EXPECT_LE(stamps[begin], visible_until) << "read before it was available";
        EXPECT_LE(stamps[end], visible_until) << "read before it was available";
        return wrapped_difference(static_cast<std::uint64_t>(stamps[begin]), static_cast<std::uint64_t>(stamps[end]),
                                  bits);
    }
    void anchor() override { anchor_time = time; }
    std::int64_t since_anchor(std::size_t slot) override { return stamps[slot] - anchor_time; }
    void finish() override { visible_until = time; }
    void push_group(std::string_view group) override { groups.append("(").append(group); }
    void pop_group() override { groups += ")"; }

    std::vector<std::int64_t> stamps;
    std::int64_t time = 1000, anchor_time = 0;
    std::int64_t visible_until = std::int64_t{1} << 60;
    int bits = 64;
    bool timestamps = true;
    std::size_t records = 0;
    std::string groups;
};

constexpr std::int64_t millisecond = 1'000'000;

struct ProfilerTree : ::testing::Test {
    static Options no_settling() {
        Options options;
        options.settle_frames = 0;
        return options;
    }
    void make(const Options& options = no_settling()) {
        auto owned = std::make_unique<InventedClock>();
        clock = owned.get();
        profiler = std::make_unique<Profiler>(std::move(owned), options);
    }
    void work(std::string_view name, std::int64_t milliseconds) {
        auto scope = profiler->scope(name);
        clock->time += milliseconds * millisecond;
    }
    InventedClock* clock = nullptr;
    std::unique_ptr<Profiler> profiler;
};

TEST_F(ProfilerTree, NestedScopesFormATreeWithDottedLeafNames) {
    make();
    profiler->begin_frame();
    {
        auto step = profiler->scope("step");
        work("fft.horizontal", 3);
        work("fft.vertical", 4);
        clock->time += millisecond;
    }
    work("surface", 5);
    profiler->end_frame();
    profiler->drain();

    const Statistics statistics = profiler->statistics();
    ASSERT_EQ(statistics.scopes.size(), 4u);
    EXPECT_EQ(statistics.scopes[0].path, "step");
    EXPECT_EQ(statistics.scopes[1].path, "step/fft.horizontal");
    EXPECT_EQ(statistics.scopes[1].name, "fft.horizontal");
    EXPECT_EQ(statistics.scopes[1].depth, 1);
    EXPECT_EQ(statistics.scopes[3].path, "surface");
    EXPECT_DOUBLE_EQ(statistics.scopes[0].gpu_ms.median, 8.0);
    EXPECT_DOUBLE_EQ(statistics.scopes[1].gpu_ms.median, 3.0);
    EXPECT_DOUBLE_EQ(statistics.scopes[2].gpu_ms.median, 4.0);
    EXPECT_DOUBLE_EQ(statistics.frame.gpu_ms.median, 13.0);
    EXPECT_GE(statistics.scopes[0].cpu_ms.median, statistics.scopes[1].cpu_ms.median);
    EXPECT_EQ(clock->groups, "(step(fft.horizontal)(fft.vertical))(surface)");
}

TEST_F(ProfilerTree, AScopeThatRunsTwiceInAFrameCountsOnceWithItsSum) {
    make();
    for (int frame = 0; frame < 3; ++frame) {
        profiler->begin_frame();
        work("fft.horizontal", 2);
        work("fft.horizontal", 5);
        profiler->end_frame();
    }
    profiler->drain();
    const Statistics statistics = profiler->statistics();
    ASSERT_EQ(statistics.scopes.size(), 1u);
    EXPECT_DOUBLE_EQ(statistics.scopes[0].gpu_ms.median, 7.0);
    EXPECT_EQ(statistics.scopes[0].samples, 3u);
}

TEST_F(ProfilerTree, ResultsThatAreLateAreDroppedAndCountedAndNeverWaitedFor) {
    make();
    clock->visible_until = 0; // the device never gets there
    for (int frame = 0; frame < 9; ++frame) {
        profiler->begin_frame();
        work("evolve", 1);
        profiler->end_frame();
    }
    EXPECT_EQ(profiler->missed_frames(), 4u); // nine begun, five places
    Statistics statistics = profiler->statistics();
    ASSERT_EQ(statistics.scopes.size(), 1u);
    EXPECT_EQ(statistics.scopes[0].samples, 0u);
    EXPECT_EQ(statistics.scopes[0].missed, 4u);
    EXPECT_TRUE(std::isnan(statistics.scopes[0].gpu_ms.median));
    EXPECT_FALSE(std::isnan(statistics.scopes[0].cpu_ms.median)) << "CPU times need no device";
    profiler->drain(); // the five in flight arrive
    statistics = profiler->statistics();
    EXPECT_EQ(statistics.scopes[0].samples, 5u);
    EXPECT_EQ(statistics.frame.frames, 9u);
    EXPECT_EQ(statistics.frame.missed, 4u);
}

TEST_F(ProfilerTree, ACounterThatWrapsIsSubtractedModuloItsWidth) {
    EXPECT_EQ(wrapped_difference((std::uint64_t{1} << 36) - 5, 7, 36), 12);
    EXPECT_EQ(wrapped_difference(7, (std::uint64_t{1} << 36) - 5, 36), -12);
    EXPECT_EQ(wrapped_difference(~std::uint64_t{0}, 1, 64), 2);
    EXPECT_EQ(wrapped_difference(0, std::uint64_t{1} << 40, 64), std::int64_t{1} << 40) << "64 bits are kept";

    make();
    clock->bits = 36;
    clock->time = (std::int64_t{1} << 36) - millisecond; // wraps in the middle of the scope
    profiler->begin_frame();
    work("post", 3);
    profiler->end_frame();
    profiler->drain();
    EXPECT_DOUBLE_EQ(profiler->statistics().scopes.at(0).gpu_ms.median, 3.0);
}

TEST_F(ProfilerTree, AClockThatGoesBackwardsOrLeapsIsDroppedAndFlagged) {
    make();
    for (const std::int64_t milliseconds : {2, -1, 120'000, 4}) {
        profiler->begin_frame();
        work("sky", milliseconds);
        profiler->end_frame();
    }
    profiler->drain();
    const Statistics statistics = profiler->statistics();
    EXPECT_EQ(statistics.scopes.at(0).samples, 2u);
    EXPECT_EQ(statistics.scopes.at(0).missed, 2u);
    EXPECT_DOUBLE_EQ(statistics.scopes.at(0).gpu_ms.min, 2.0);
    EXPECT_DOUBLE_EQ(statistics.scopes.at(0).gpu_ms.max, 4.0);
    EXPECT_EQ(statistics.frame.absurd, 4u); // the scope and its frame, twice
}

TEST_F(ProfilerTree, StatisticsStartAgainWhenTheSetOfScopesChanges) {
    Options options;
    options.settle_frames = 2;
    make(options);
    const auto frames = [&](int count, std::string_view name, std::int64_t milliseconds) {
        for (int frame = 0; frame < count; ++frame) {
            profiler->begin_frame();
            work(name, milliseconds);
            profiler->end_frame();
        }
        profiler->drain();
    };
    frames(1, "radix2", 50);
    frames(1, "radix2", 40);
    frames(3, "radix2", 9);
    EXPECT_EQ(profiler->statistics().frame.frames, 3u) << "two frames settle";
    EXPECT_DOUBLE_EQ(profiler->statistics().scopes.at(0).gpu_ms.max, 9.0);
    frames(2, "radix4", 30);
    EXPECT_EQ(profiler->statistics().frame.frames, 0u);
    frames(2, "radix4", 5);
    ASSERT_EQ(profiler->statistics().scopes.size(), 1u) << "what no longer runs is no longer listed";
    EXPECT_EQ(profiler->statistics().scopes[0].name, "radix4");
    EXPECT_DOUBLE_EQ(profiler->statistics().scopes[0].gpu_ms.max, 5.0);
    profiler->reset_statistics();
    frames(3, "radix4", 6);
    EXPECT_EQ(profiler->statistics().frame.frames, 1u);
}

TEST_F(ProfilerTree, TheWindowForgetsWhatIsOlder) {
    Options options = no_settling();
    options.window_frames = 3;
    make(options);
    for (const std::int64_t milliseconds : {100, 1, 2, 3}) {
        profiler->begin_frame();
        work("ui", milliseconds);
        profiler->end_frame();
    }
    profiler->drain();
    EXPECT_DOUBLE_EQ(profiler->statistics().scopes.at(0).gpu_ms.max, 3.0);
    EXPECT_EQ(profiler->history().gpu_ms, (std::vector<double>{1.0, 2.0, 3.0}));
}

TEST_F(ProfilerTree, ARecordingHoldsExactlyTheFramesAskedFor) {
    make();
    const auto frame = [&](std::int64_t milliseconds) {
        profiler->begin_frame();
        {
            auto step = profiler->scope("step");
            work("evolve", milliseconds);
        }
        profiler->end_frame();
    };
    frame(90); // still in flight when the recording begins
    profiler->record(3);
    EXPECT_TRUE(profiler->recording_active());
    frame(1);
    frame(2);
    frame(4);
    EXPECT_FALSE(profiler->recording_active());
    frame(80);
    profiler->drain();

    const Recording& recording = profiler->recording();
    ASSERT_EQ(recording.frames.size(), 3u);
    EXPECT_TRUE(recording.complete());
    ASSERT_EQ(recording.scopes.size(), 6u);
    EXPECT_FALSE(recording.frames[0].has_previous) << "record() may take its time, which is no frame's";
    EXPECT_EQ(recording.scopes[1].gpu_begin, 0);
    EXPECT_EQ(recording.scopes[3].gpu_begin, 1 * millisecond);
    EXPECT_EQ(recording.scopes[5].gpu_begin, 3 * millisecond);
    const std::vector<ScopeSeries> series = recording.series();
    ASSERT_EQ(series.size(), 2u);
    EXPECT_EQ(series[1].gpu_ms, (std::vector<double>{1.0, 2.0, 4.0}));
    const Statistics statistics = recording.statistics();
    EXPECT_EQ(statistics.scopes.at(1).path, "step/evolve");
    EXPECT_DOUBLE_EQ(statistics.scopes.at(1).gpu_ms.median, 2.0);
    EXPECT_DOUBLE_EQ(statistics.frame.gpu_ms.max, 4.0);
    EXPECT_EQ(statistics.frame.frames, 3u);
}

TEST_F(ProfilerTree, RecordingAllocatesNothing) {
    make();
    profiler->record(8);
    const std::size_t frames = profiler->recording().frames.capacity();
    const std::size_t scopes = profiler->recording().scopes.capacity();
    for (int frame = 0; frame < 8; ++frame) {
        profiler->begin_frame();
        for (const char* name : {"evolve", "fft.horizontal", "fft.vertical", "assemble", "sky", "surface", "post"})
            work(name, 1);
        profiler->end_frame();
    }
    profiler->drain();
    EXPECT_EQ(profiler->recording().frames.capacity(), frames);
    EXPECT_EQ(profiler->recording().scopes.capacity(), scopes);
    EXPECT_EQ(profiler->recording().scopes.size(), 56u);
}

TEST_F(ProfilerTree, AMissedFrameIsARowWithoutGpuTimes) {
    make();
    profiler->record(6);
    clock->visible_until = 0;
    for (int frame = 0; frame < 6; ++frame) {
        profiler->begin_frame();
        work("evolve", 1);
        profiler->end_frame();
    }
    profiler->drain();
    const Recording& recording = profiler->recording();
    ASSERT_EQ(recording.frames.size(), 6u);
    EXPECT_TRUE(recording.frames[0].gpu_missed);
    EXPECT_FALSE(recording.frames[1].gpu_missed);
    const Statistics statistics = recording.statistics();
    EXPECT_EQ(statistics.frame.missed, 1u);
    EXPECT_EQ(statistics.scopes.at(0).missed, 1u);
    EXPECT_EQ(statistics.scopes.at(0).samples, 5u);
    EXPECT_TRUE(std::isnan(recording.series().at(0).gpu_ms[0]));
}

TEST_F(ProfilerTree, WhatTheSwapTookBelongsToTheFrameBeforeIt) {
    make();
    profiler->record(2);
    for (int frame = 0; frame < 2; ++frame) {
        profiler->begin_frame();
        work("evolve", 1);
        profiler->end_frame();
        if (frame == 0) profiler->presented();
    }
    profiler->drain();
    const Recording& recording = profiler->recording();
    EXPECT_GE(recording.frames.at(0).present_ms(), 0.0);
    EXPECT_LE(recording.frames.at(0).present_ms(), recording.frames.at(1).interval_ms());
    EXPECT_TRUE(std::isnan(recording.frames.at(1).present_ms())) << "this one was not presented";
    EXPECT_EQ(recording.statistics().frame.present_ms.count, 1u);
    EXPECT_EQ(profiler->statistics().frame.present_ms.count, 1u);
}

TEST_F(ProfilerTree, WithoutTimestampsThereAreCpuTimesOnly) {
    make();
    clock->timestamps = false;
    profiler->begin_frame();
    work("evolve", 1);
    profiler->end_frame();
    profiler->drain();
    const Statistics statistics = profiler->statistics();
    EXPECT_EQ(clock->records, 0u);
    EXPECT_TRUE(std::isnan(statistics.scopes.at(0).gpu_ms.median));
    EXPECT_FALSE(std::isnan(statistics.scopes.at(0).cpu_ms.median));
    EXPECT_EQ(statistics.scopes.at(0).samples, 1u);
    EXPECT_EQ(statistics.scopes.at(0).missed, 0u) << "nothing can be missed that was never asked";
}

TEST_F(ProfilerTree, SiblingsShareABoundaryWhenAsked) {
    for (const bool share : {false, true}) {
        Options options = no_settling();
        options.share_boundaries = share;
        make(options);
        profiler->begin_frame();
        work("a", 1);
        clock->time += 10 * millisecond; // between the two
        work("b", 2);
        profiler->end_frame();
        profiler->drain();
        EXPECT_EQ(clock->records, share ? 5u : 6u);
        EXPECT_DOUBLE_EQ(profiler->statistics().scopes.at(1).gpu_ms.median, share ? 12.0 : 2.0);
    }
}

TEST_F(ProfilerTree, ASecondClockStandsInTheSameTree) {
    make();
    auto owned = std::make_unique<InventedClock>();
    InventedClock* cuda = owned.get();
    const int source = profiler->add_source(std::move(owned));
    profiler->begin_frame();
    {
        auto step = profiler->scope("step");
        clock->time += 9 * millisecond;
        auto transform = profiler->scope("cufft", source);
        cuda->time += 6 * millisecond;
    }
    profiler->end_frame();
    cuda->visible_until = 0; // GL is done, CUDA is not: nothing of the frame may be read
    profiler->begin_frame();
    profiler->end_frame();
    EXPECT_EQ(profiler->statistics().frame.frames, 0u);
    profiler->drain();
    EXPECT_EQ(profiler->statistics().frame.frames, 1u) << "the empty second frame changed the set of scopes";
}

TEST_F(ProfilerTree, ScopesOutsideAFrameOrWithoutAProfilerAreHarmless) {
    make();
    work("loading", 1);
    EXPECT_EQ(clock->groups, "(loading)");
    EXPECT_EQ(clock->records, 0u);
    { const Profiler::Scope nothing = scope(nullptr, "x"); }

    profiler->begin_frame();
    {
        Profiler::Scope first = profiler->scope("moved");
        Profiler::Scope second = std::move(first);
        second.end();
        second.end();
    }
    profiler->end_frame();
    EXPECT_EQ(clock->groups, "(loading)(moved)");
}

} // namespace
} // namespace spindrift::profiler
