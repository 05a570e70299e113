// What lets a tuner work between two frames: results that come back without a wait and are compared on another thread,
// and samples in portions that the GPU is done with soon.
#pragma once

#include "engine/background.h"
#include "engine/gl/device.h"
#include "engine/gl/query.h"
#include "engine/gl/readback.h"
#include "fft/kernel_store.h"

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

} // namespace spindrift::fft
