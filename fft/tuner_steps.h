// What lets a tuner work between two frames: results that come back without a wait and are compared on another thread,
// and samples in portions that the GPU is done with soon.
#pragma once

#include "engine/background.h"
#include "engine/gl/device.h"
#include "engine/gl/query.h"
#include "engine/gl/readback.h"
#include "fft/kernel_store.h"
#include "fft/stopwatch.h"
#include "fft/warm_up.h"

#include <chrono>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace spindrift::fft {

/// Whether a step may wait for the GPU, the compiler or another thread.
enum class Waiting {
    allowed, ///< a command, which has nothing else to do
    never,   ///< a program that draws frames
};

/// One kernel's or transform's output, on its way back from the GPU and then being compared.
class ResultCheck {
public:
    /// Of a comparison, the relative L2 error. Called on another thread where waiting is not allowed: it must not touch
    /// OpenGL, nor anything that others change.
    using Compare = std::function<double(std::span<const float>)>;

    /// Throws Error when memory runs out.
    explicit ResultCheck(const TransformDesc& desc) : readback_(readback_bytes(desc), "tuner readback") {}

    bool under_way() const noexcept { return static_cast<bool>(compare_); }
    void begin(const KernelStore& store, Compare compare);
    /// The error, once it is known.
    std::optional<double> poll(Waiting waiting);

private:
    gl::Readback readback_;
    KernelEnd end_;
    Compare compare_;
    std::vector<float> converted_;
    Background<double> comparison_; ///< the last member: it reads the others
};

/// How many samples a step may queue so that the GPU gets back to the frames soon.
class SamplePace {
public:
    /// On a software renderer and without timestamps every sample is waited for, and time alone decides.
    explicit SamplePace(const gl::DeviceInfo& device);

    bool free();      ///< the GPU has done what was queued; never waits
    void begin();     ///< of a step's samples
    void end();       ///< of them
    int most() const; ///< samples in the next step

private:
    bool counts_;
    bool queued_ = false;
    int most_ = 1;
    gl::TimestampQuery begin_{gl::no_create}, end_{gl::no_create};
};

/// The time that a step has taken.
class StepTime {
public:
    double milliseconds() const {
        return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_).count();
    }
    bool is_over() const { return milliseconds() > most_ms; } ///< enough for one step

    static constexpr double most_ms = 4;

private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Samples of candidates that take turns, some milliseconds' worth of them in a step.
class SampleTurns {
public:
    explicit SampleTurns(const gl::DeviceInfo& device) : pace_(device) {}

    /// Makes the queries for so many candidates; without waiting, some of them. True when all are there.
    bool begin(Stopwatch& stopwatch, std::size_t candidates, int repetitions, Waiting waiting);

    /// Calls `take` with the index of the candidate whose turn it is, as often as there is time. True when all samples
    /// are taken and the GPU has done them. `stalled`: it has not done the last ones yet, and nothing was taken.
    template <class Take>
    bool step(std::size_t candidates, WarmUp& warm_up, Waiting waiting, const StepTime& time, bool& stalled,
              Take take) {
        const bool waits = waiting == Waiting::allowed;
        // Between frames the sea itself keeps the clock where it is, and a wait for the GPU would hold up the next one.
        if (waits && !warm_up.work(StepTime::most_ms)) return false;
        stalled = !waits && !pace_.free();
        if (stalled) return false;
        if (repetition_ == repetitions_ || candidates == 0) return true;
        if (!waits) pace_.begin();
        for (int taken = 0; repetition_ < repetitions_; ++taken) {
            if ((taken > 0 && time.is_over()) || (!waits && taken >= pace_.most())) break;
            take(turn_);
            if (++turn_ == candidates) {
                turn_ = 0;
                ++repetition_;
            }
        }
        if (!waits) pace_.end();
        return waits && repetition_ == repetitions_;
    }

private:
    SamplePace pace_;
    int repetitions_ = 0, repetition_ = 0;
    std::size_t turn_ = 0;
};

} // namespace spindrift::fft
