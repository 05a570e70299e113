// The recorder with a clock that the test moves, frame by frame.
#include "app/report/recorder.h"
#include "engine/profiler/profiler.h"

#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>
#include <new>

namespace {
thread_local bool counts_allocations = false;
thread_local std::size_t allocations = 0;
} // namespace

// Sanitizers have operators of their own, which these would hide. Not inlined: the compiler would see malloc() and
// free() through one of a pair only, and warn.
#if !defined(__SANITIZE_ADDRESS__)
#define SPINDRIFT_COUNTS_ALLOCATIONS
[[gnu::noinline]] void* operator new(std::size_t size) {
    if (counts_allocations) ++allocations;
    if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
    throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    if (counts_allocations) ++allocations;
    return std::malloc(size == 0 ? 1 : size);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
    std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, const std::nothrow_t&) noexcept {
    std::free(memory);
}
#endif

namespace spindrift::report {
namespace {

using Phase = Recorder::Phase;
constexpr std::size_t plenty = 100'000;

struct RecorderStates : ::testing::Test {
    /// Begins `count` frames, each `seconds` after the one before; returns the last one's phase.
    Phase frames(int count, double seconds) {
        Phase phase = recorder.phase();
        for (int frame = 0; frame < count; ++frame) {
            phase = recorder.begin_frame(now);
            now += seconds;
        }
        return phase;
    }
    Recorder recorder;
    double now = 100.0;
};

TEST_F(RecorderStates, IdleUntilItIsStarted) {
    EXPECT_EQ(frames(5, 0.01), Phase::idle);
    EXPECT_FALSE(recorder.active());
    recorder.restart("size", now);
    recorder.stop(now);
    EXPECT_EQ(recorder.phase(), Phase::idle);
    EXPECT_EQ(recorder.facts().restarts, 0);
}

TEST_F(RecorderStates, ExactNumbersOfFrames) {
    recorder.start({.frames = 3}, {.frames = 2}, plenty, now);
    EXPECT_EQ(frames(3, 0.01), Phase::warm_up);
    EXPECT_EQ(recorder.frame(), 0);
    EXPECT_EQ(frames(1, 0.01), Phase::recording);
    EXPECT_TRUE(recorder.first_recorded());
    EXPECT_EQ(recorder.frame(), 0);
    EXPECT_DOUBLE_EQ(recorder.remaining_frames(), 2.0);
    EXPECT_EQ(frames(1, 0.01), Phase::recording);
    EXPECT_FALSE(recorder.first_recorded());
    EXPECT_EQ(recorder.frame(), 1);
    EXPECT_EQ(frames(2, 0.01), Phase::done);
    EXPECT_EQ(recorder.recorded_frames(), 2);
    EXPECT_EQ(recorder.facts().warm_up_frames, 3);
    EXPECT_NEAR(recorder.facts().warm_up_seconds, 0.03, 1e-9);
    EXPECT_EQ(recorder.facts().warm_up_ended_by, WarmUpEnd::asked);
    EXPECT_EQ(recorder.facts().ended_by, RecordingEnd::frames);
}

TEST_F(RecorderStates, WithoutWarmUpTheFirstFrameCounts) {
    recorder.start({}, {.frames = 1}, plenty, now);
    EXPECT_EQ(frames(1, 0.01), Phase::recording);
    EXPECT_TRUE(recorder.first_recorded());
    EXPECT_EQ(frames(1, 0.01), Phase::done);
    EXPECT_EQ(recorder.facts().warm_up_frames, 0);
}

TEST_F(RecorderStates, BothTimeAndFramesMustBeOver) {
    recorder.start({.frames = 10, .seconds = 1.0}, {.frames = 1}, plenty, now);
    EXPECT_EQ(frames(11, 0.0625), Phase::warm_up) << "frames alone: 0.625 s";
    EXPECT_EQ(frames(6, 0.0625), Phase::recording);
    recorder.start({.frames = 10, .seconds = 1.0}, {.frames = 1}, plenty, now);
    EXPECT_EQ(frames(10, 0.5), Phase::warm_up) << "time alone: 4.5 s";
    EXPECT_EQ(frames(1, 0.5), Phase::recording);
}

TEST_F(RecorderStates, FrameTimesSettle) {
    recorder.start({.stable_percent = 2.0, .limit_seconds = 100.0}, {.frames = 1}, plenty, now);
    EXPECT_EQ(frames(60, 0.020), Phase::warm_up) << "59 intervals are not two medians";
    EXPECT_EQ(frames(1, 0.020), Phase::recording);
    EXPECT_EQ(recorder.facts().warm_up_ended_by, WarmUpEnd::stable);
    EXPECT_NEAR(recorder.facts().last_change_percent, 0.0, 1e-6);
}

TEST_F(RecorderStates, AStepInFrameTimesIsWaitedFor) {
    recorder.start({.stable_percent = 2.0}, {.frames = 1}, plenty, now);
    EXPECT_EQ(frames(40, 0.020), Phase::warm_up);
    // From here intervals take 10 ms; the medians agree when more than half of the older block is past the step: at
    // 15 + 30 shorter intervals one middle value of the older block is 20 and the other 10, at 46 both are 10.
    EXPECT_EQ(frames(46, 0.010), Phase::warm_up);
    EXPECT_EQ(frames(1, 0.010), Phase::recording);
    EXPECT_EQ(recorder.facts().warm_up_frames, 86);
}

TEST_F(RecorderStates, SingleHitchesDoNotMoveMedians) {
    recorder.start({.stable_percent = 1.0}, {.frames = 1}, plenty, now);
    for (int round = 0; round < 5; ++round) {
        frames(11, 0.010);
        frames(1, 0.100);
    }
    EXPECT_EQ(frames(1, 0.010), Phase::recording);
}

TEST_F(RecorderStates, TheLimitEndsAWarmUpThatNeverSettles) {
    recorder.start({.frames = 1, .seconds = 0.5, .stable_percent = 1.0, .limit_seconds = 4.0}, {.frames = 1}, plenty,
                   now);
    double interval = 0.010;
    while (recorder.begin_frame(now) == Phase::warm_up) {
        interval *= 1.02; // faster than any two medians come together
        now += interval;
    }
    EXPECT_EQ(recorder.facts().warm_up_ended_by, WarmUpEnd::limit);
    EXPECT_GE(recorder.facts().warm_up_seconds, 4.0);
    EXPECT_GT(recorder.facts().last_change_percent, 1.0);
    recorder.start({.frames = 1000, .limit_seconds = 2.0}, {.frames = 1}, plenty, now);
    EXPECT_EQ(frames(5, 0.5), Phase::recording) << "the limit comes before the frames";
    EXPECT_TRUE(std::isnan(recorder.facts().last_change_percent));
}

TEST_F(RecorderStates, SecondsEndARecordingButNeverBeforeOneFrame) {
    recorder.start({}, {.seconds = 1.0}, plenty, now);
    EXPECT_EQ(frames(4, 0.25), Phase::recording);
    EXPECT_NEAR(recorder.remaining_seconds(now), 0.0, 1e-9);
    EXPECT_EQ(frames(1, 0.25), Phase::done);
    EXPECT_EQ(recorder.recorded_frames(), 4);
    EXPECT_EQ(recorder.facts().ended_by, RecordingEnd::seconds);
    recorder.start({}, {.seconds = 0.001}, plenty, now);
    EXPECT_EQ(frames(1, 5.0), Phase::recording);
    EXPECT_EQ(frames(1, 5.0), Phase::done);
    EXPECT_EQ(recorder.recorded_frames(), 1);
}

TEST_F(RecorderStates, WhatWasReservedIsNeverExceeded) {
    recorder.start({}, {}, 7, now);
    EXPECT_EQ(frames(7, 0.01), Phase::recording);
    EXPECT_EQ(frames(1, 0.01), Phase::done);
    EXPECT_EQ(recorder.facts().ended_by, RecordingEnd::full);
}

TEST_F(RecorderStates, AChangeBeginsTheWarmUpAgain) {
    recorder.start({.frames = 2}, {.frames = 5}, plenty, now);
    EXPECT_EQ(frames(5, 0.01), Phase::recording);
    recorder.restart("algorithm", now);
    EXPECT_EQ(recorder.phase(), Phase::warm_up);
    EXPECT_EQ(recorder.recorded_frames(), 0);
    EXPECT_EQ(frames(2, 0.01), Phase::warm_up);
    recorder.restart("size", now);
    EXPECT_EQ(frames(7, 0.01), Phase::recording);
    EXPECT_EQ(recorder.recorded_frames(), 5) << "all five anew";
    EXPECT_EQ(recorder.facts().restarts, 2);
    EXPECT_EQ(recorder.facts().last_restart, "size");
    EXPECT_EQ(recorder.facts().warm_up_frames, 2);
    EXPECT_EQ(frames(1, 0.01), Phase::done);
    recorder.restart("too late", now);
    EXPECT_EQ(recorder.phase(), Phase::done);
}

TEST_F(RecorderStates, StopKeepsARecordingAndDropsAWarmUp) {
    recorder.start({.frames = 2}, {.frames = 50}, plenty, now);
    frames(1, 0.01);
    recorder.stop(now);
    EXPECT_EQ(recorder.phase(), Phase::idle);
    recorder.start({.frames = 2}, {.frames = 50}, plenty, now);
    frames(6, 0.01);
    recorder.stop(now);
    EXPECT_EQ(recorder.phase(), Phase::done);
    EXPECT_EQ(recorder.facts().ended_by, RecordingEnd::stopped);
    EXPECT_EQ(recorder.recorded_frames(), 4);
}

TEST_F(RecorderStates, RemainingTimeForTheMark) {
    recorder.start({.seconds = 2.0, .stable_percent = 2.0, .limit_seconds = 10.0}, {.seconds = 5.0}, plenty, now);
    frames(1, 1.0);
    EXPECT_NEAR(recorder.remaining_seconds(now), 9.0, 1e-9) << "at most";
    recorder.start({}, {.frames = 11}, plenty, now);
    frames(1, 0.5);
    EXPECT_TRUE(std::isnan(recorder.remaining_seconds(now))) << "no pace is known yet";
    frames(1, 0.0);
    EXPECT_NEAR(recorder.remaining_seconds(now), 0.5 * 10.0, 1e-9);
    recorder.start({}, {}, plenty, now);
    frames(3, 0.5);
    EXPECT_TRUE(std::isnan(recorder.remaining_seconds(now)));
    EXPECT_TRUE(std::isnan(recorder.remaining_frames()));
}

/// Device times that are there at once.
class ImmediateClock final : public profiler::TimeSource {
public:
    std::string_view name() const noexcept override { return "immediate"; }
    bool has_timestamps() const noexcept override { return true; }
    std::size_t create_slot() override { return slots_++; }
    void record(std::size_t) override {}
    bool available(std::size_t) override { return true; }
    std::int64_t elapsed(std::size_t, std::size_t) override { return 1000; }
    void anchor() override {}
    std::int64_t since_anchor(std::size_t) override { return 0; }
    void finish() override {}

private:
    std::size_t slots_ = 0;
};

TEST(RecorderMemory, NothingIsAllocatedWhileRecording) {
    constexpr std::size_t frames = 500;
    profiler::Profiler profiler(std::make_unique<ImmediateClock>());
    Recorder recorder;
    recorder.start({.frames = 70, .stable_percent = 5.0}, {.frames = frames}, frames, 0.0);
    profiler.prepare_recording(frames);
    double now = 0.0;
    const auto draw = [&] {
        profiler.begin_frame();
        for (const char* name : {"evolve", "fft.horizontal", "fft.vertical", "assemble", "sky", "surface", "post"}) {
            auto outer = profiler.scope(name);
            auto inner = profiler.scope("inner");
        }
        profiler.end_frame();
        profiler.presented();
        now += 0.01;
    };
    while (recorder.begin_frame(now) == Phase::warm_up) draw();
    const profiler::Recording& recording = profiler.recording();
    const std::size_t frame_capacity = recording.frames.capacity(), scope_capacity = recording.scopes.capacity();
    profiler.record(frames);
    allocations = 0;
    counts_allocations = true;
    do draw();
    while (recorder.begin_frame(now) == Phase::recording);
    counts_allocations = false;
    profiler.drain();
    EXPECT_EQ(allocations, 0u);
    EXPECT_EQ(recording.frames.size(), frames);
    EXPECT_EQ(recording.scopes.size(), frames * 14);
    EXPECT_EQ(recording.frames.capacity(), frame_capacity);
    EXPECT_EQ(recording.scopes.capacity(), scope_capacity);
}

#ifdef SPINDRIFT_COUNTS_ALLOCATIONS
TEST(RecorderMemory, TheCountSeesAllocations) {
    profiler::Recording recording;
    allocations = 0;
    counts_allocations = true;
    recording.frames.reserve(10);
    counts_allocations = false;
    EXPECT_EQ(allocations, 1u);
}
#endif

} // namespace
} // namespace spindrift::report
