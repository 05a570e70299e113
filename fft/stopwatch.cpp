#include "fft/stopwatch.h"

#include "engine/gl/object.h"

#include <cassert>
#include <span>

namespace spindrift::fft {

Stopwatch::Stopwatch(const gl::DeviceInfo& device)
    : on_cpu_(device.software_renderer || device.limits.timestamp_bits == 0) {}

bool Stopwatch::prepare(std::size_t count, std::size_t most) {
    used_ = 0;
    if (on_cpu_) return true;
    pending_.reserve(count);
    for (std::size_t made = 0; pending_.size() < count && made < most; ++made) pending_.emplace_back();
    return pending_.size() >= count;
}

void Stopwatch::begin(std::vector<double>& samples, double divisor) {
    if (on_cpu_) {
        on_cpu_sample_.samples = &samples;
        on_cpu_sample_.divisor = divisor;
        gl::finish();
        cpu_start_ = Clock::now();
        return;
    }
    assert(used_ < pending_.size() && "prepared for fewer measurements");
    Pending& pending = pending_[used_];
    pending.samples = &samples;
    pending.divisor = divisor;
    pending.begin.record();
}

void Stopwatch::end() {
    if (!on_cpu_) {
        pending_[used_++].end.record();
        return;
    }
    gl::finish();
    const double elapsed = std::chrono::duration<double, std::micro>(Clock::now() - cpu_start_).count();
    on_cpu_sample_.samples->push_back(elapsed / on_cpu_sample_.divisor);
}

void Stopwatch::read_results() {
    for (const Pending& pending : std::span(pending_).first(used_)) {
        const std::uint64_t begin = pending.begin.wait_result();
        const std::uint64_t end = pending.end.wait_result();
        if (end < begin) continue; // a counter that wrapped around: no sample
        pending.samples->push_back(static_cast<double>(end - begin) * 1e-3 / pending.divisor);
    }
    used_ = 0;
}

} // namespace spindrift::fft
