#include "fft/tuner_steps.h"

#include <algorithm>
#include <cassert>
#include <limits>

namespace spindrift::fft {
namespace {

constexpr double portion_ms = 3; ///< of the GPU's time in one step
constexpr int most_samples = 256;

} // namespace

void ResultCheck::begin(const KernelStore& store, Compare compare) {
    assert(!under_way());
    store.begin(readback_);
    end_ = store.end();
    compare_ = std::move(compare);
}

std::optional<double> ResultCheck::poll(Waiting waiting) {
    assert(under_way());
    const auto compare = [this] { return compare_(floats_of(readback_.bytes(), end_, converted_)); };
    std::optional<double> error;
    if (waiting == Waiting::allowed && !comparison_.started()) {
        readback_.wait();
        error = compare();
    } else {
        if (!comparison_.started()) {
            if (!readback_.arrived()) return std::nullopt;
            comparison_.start([compare](const std::stop_token&) { return compare(); });
        }
        if (waiting == Waiting::never && !comparison_.ready()) return std::nullopt;
        error = comparison_.take();
    }
    compare_ = {};
    return error;
}

SamplePace::SamplePace(const gl::DeviceInfo& device)
    : counts_(!device.software_renderer && device.limits.timestamp_bits > 0) {
    if (!counts_) return;
    begin_ = gl::TimestampQuery();
    end_ = gl::TimestampQuery();
}

bool SamplePace::free() {
    if (!queued_) return true;
    const std::optional<std::uint64_t> end = end_.try_result();
    if (!end) return false;
    queued_ = false;
    const std::uint64_t begin = begin_.wait_result(); // it came before
    const double elapsed_ms = *end > begin ? static_cast<double>(*end - begin) * 1e-6 : 0.0;
    if (elapsed_ms > portion_ms)
        most_ = std::max(1, most_ / 2);
    else if (elapsed_ms < 0.5 * portion_ms)
        most_ = std::min(most_samples, 2 * most_);
    return true;
}

void SamplePace::begin() {
    if (counts_) begin_.record();
}

void SamplePace::end() {
    if (!counts_) return;
    end_.record();
    queued_ = true;
}

int SamplePace::most() const {
    return counts_ ? most_ : std::numeric_limits<int>::max();
}

bool SampleTurns::begin(Stopwatch& stopwatch, std::size_t candidates, int repetitions, Waiting waiting) {
    constexpr std::size_t queries_of_step = 200;
    const std::size_t most = waiting == Waiting::allowed ? std::numeric_limits<std::size_t>::max() : queries_of_step;
    if (!stopwatch.prepare(candidates * static_cast<std::size_t>(repetitions), most)) return false;
    repetitions_ = repetitions;
    repetition_ = 0;
    turn_ = 0;
    return true;
}

} // namespace spindrift::fft
