// Times stretches of GPU work by pairs of timestamps that are read when everything has been queued; or, on a software
// renderer and without timestamps, on the CPU between two waits.
#pragma once

#include "engine/gl/device.h"
#include "engine/gl/query.h"

#include <chrono>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

namespace spindrift::fft {

class Stopwatch {
public:
    explicit Stopwatch(const gl::DeviceInfo& device);

    bool on_cpu() const noexcept { return on_cpu_; }

    /// Makes the queries of so many measurements in advance, `most` new ones in a call: making one takes the CPU longer
    /// than queueing a transform, and the GPU would wait for it. True when all are there. They are used again; what was
    /// not read is lost.
    bool prepare(std::size_t count, std::size_t most = std::numeric_limits<std::size_t>::max());

    /// Returns the CPU time to issue `work`, microseconds. The GPU's time, divided by `divisor`, is appended to
    /// `samples`, in microseconds, now or in read_results(): `samples` must stay where it is until then.
    template <class Work>
    double time(std::vector<double>& samples, double divisor, Work work) {
        begin(samples, divisor);
        const auto start = Clock::now();
        work();
        const double issued = std::chrono::duration<double, std::micro>(Clock::now() - start).count();
        end();
        return issued;
    }

    /// Waits for the GPU.
    void read_results();

private:
    using Clock = std::chrono::steady_clock;
    struct Pending {
        gl::TimestampQuery begin, end;
        std::vector<double>* samples = nullptr;
        double divisor = 1;
    };

    void begin(std::vector<double>& samples, double divisor);
    void end();

    bool on_cpu_;
    Clock::time_point cpu_start_;
    Pending on_cpu_sample_{gl::TimestampQuery(gl::no_create), gl::TimestampQuery(gl::no_create), nullptr, 1};
    std::vector<Pending> pending_;
    std::size_t used_ = 0;
};

} // namespace spindrift::fft
