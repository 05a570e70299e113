// Brings a GPU to its working clock, and keeps it there between samples.
//
// An idle GPU runs at a fraction of its clock, and takes a while of steady work to leave it: on an NVIDIA H200 the same
// kernel took 26 microseconds after short bursts with waits in between, and 11 after steady work.
#pragma once

#include "engine/gl/buffer.h"
#include "engine/gl/device.h"
#include "engine/gl/program.h"

#include <chrono>
#include <limits>

namespace spindrift::fft {

class WarmUp {
public:
    /// Does nothing on a software renderer. Lives as long as the library at most. Throws Error when the program does
    /// not build.
    WarmUp(gl::ProgramLibrary& library, const gl::DeviceInfo& device);

    /// gl::ProgramLibrary::prepare() of what the constructor needs.
    static bool prepare(gl::ProgramLibrary& library, const gl::DeviceInfo& device);

    /// Queues a spell of arithmetic of some 60 microseconds that touches no caches: in front of a sample it lets the
    /// CPU run ahead, so that the GPU does not wait for it between two timestamps.
    void occupy() const;

    void begin() noexcept; ///< the GPU may have been idle
    /// Works for about so long on the whole GPU, then waits. True when the clock is up: spells take as long as the
    /// fastest so far, for ten milliseconds, or a second is over.
    bool work(double milliseconds);

private:
    void spell(int groups) const;

    using Clock = std::chrono::steady_clock;

    bool idle_;
    gl::Program* program_ = nullptr;
    gl::Buffer result_{gl::no_create};
    double fastest_ms_ = std::numeric_limits<double>::infinity(); ///< of a series of spells, ever
    double worked_ms_ = 0, steady_ms_ = 0;                        ///< since begin()
};

} // namespace spindrift::fft
