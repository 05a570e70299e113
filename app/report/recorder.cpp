#include "app/report/recorder.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <span>

namespace spindrift::report {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// Of an even number of values; reorders them.
double median_of(std::span<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return 0.5 * (*middle + *std::max_element(values.begin(), middle));
}

} // namespace

const char* to_string(WarmUpEnd end) noexcept {
    switch (end) {
    case WarmUpEnd::none:
        return "none";
    case WarmUpEnd::asked:
        return "asked";
    case WarmUpEnd::stable:
        return "stable";
    case WarmUpEnd::limit:
        return "limit";
    }
    return "";
}

const char* to_string(RecordingEnd end) noexcept {
    switch (end) {
    case RecordingEnd::none:
        return "none";
    case RecordingEnd::frames:
        return "frames";
    case RecordingEnd::seconds:
        return "seconds";
    case RecordingEnd::stopped:
        return "stopped";
    case RecordingEnd::full:
        return "full";
    }
    return "";
}

void Recorder::start(const WarmUp& warm_up, const RecordingLength& length, std::size_t capacity, double now) {
    assert(capacity > 0);
    facts_ = RecorderFacts{};
    facts_.warm_up = warm_up;
    facts_.length = length;
    capacity_ = capacity;
    begin_warm_up(now);
}

void Recorder::restart(std::string_view reason, double now) {
    if (!active()) return;
    ++facts_.restarts;
    facts_.last_restart = reason;
    begin_warm_up(now);
}

void Recorder::begin_warm_up(double now) noexcept {
    phase_ = Phase::warm_up;
    phase_began_ = now;
    frame_began_ = -1.0;
    recorded_ = 0;
    interval_count_ = 0;
    facts_.warm_up_frames = 0;
    facts_.warm_up_seconds = 0.0;
    facts_.warm_up_ended_by = WarmUpEnd::none;
    facts_.last_change_percent = unknown;
    facts_.ended_by = RecordingEnd::none;
}

void Recorder::stop(double now) {
    if (phase_ == Phase::warm_up) {
        phase_ = Phase::idle;
        facts_.warm_up_seconds = now - phase_began_;
    } else if (phase_ == Phase::recording) {
        phase_ = Phase::done;
        facts_.ended_by = RecordingEnd::stopped;
    }
}

void Recorder::add_interval(double seconds) noexcept {
    intervals_[interval_count_ % intervals_.size()] = seconds;
    ++interval_count_;
}

bool Recorder::settled() noexcept {
    if (interval_count_ < intervals_.size()) return false;
    std::array<double, 2 * block_frames> ordered;
    for (std::size_t index = 0; index < ordered.size(); ++index)
        ordered[index] = intervals_[(interval_count_ + index) % intervals_.size()];
    const double before = median_of(std::span(ordered).first<block_frames>());
    const double after = median_of(std::span(ordered).last<block_frames>());
    if (after <= 0.0) return false;
    facts_.last_change_percent = 100.0 * std::abs(after - before) / after;
    return facts_.last_change_percent <= facts_.warm_up.stable_percent;
}

WarmUpEnd Recorder::warm_up_end(double now) noexcept {
    const WarmUp& asked = facts_.warm_up;
    const double elapsed = now - phase_began_;
    const bool stable = asked.stable_percent <= 0.0 || settled();
    if (facts_.warm_up_frames >= asked.frames && elapsed >= asked.seconds && stable)
        return asked.stable_percent > 0.0 ? WarmUpEnd::stable : WarmUpEnd::asked;
    return asked.limit_seconds > 0.0 && elapsed >= asked.limit_seconds ? WarmUpEnd::limit : WarmUpEnd::none;
}

RecordingEnd Recorder::recording_end(double now) const noexcept {
    const RecordingLength& length = facts_.length;
    if (length.frames > 0 && recorded_ >= length.frames) return RecordingEnd::frames;
    if (length.seconds > 0.0 && recorded_ > 0 && now - phase_began_ >= length.seconds) return RecordingEnd::seconds;
    return recorded_ >= static_cast<std::int64_t>(capacity_) ? RecordingEnd::full : RecordingEnd::none;
}

Recorder::Phase Recorder::begin_frame(double now) {
    if (phase_ == Phase::warm_up) {
        if (frame_began_ >= 0.0) add_interval(now - frame_began_);
        frame_began_ = now;
        facts_.warm_up_ended_by = warm_up_end(now);
        if (facts_.warm_up_ended_by == WarmUpEnd::none) {
            ++facts_.warm_up_frames;
            return phase_;
        }
        facts_.warm_up_seconds = now - phase_began_;
        phase_ = Phase::recording;
        phase_began_ = now;
    }
    if (phase_ == Phase::recording) {
        facts_.ended_by = recording_end(now);
        if (facts_.ended_by == RecordingEnd::none)
            ++recorded_;
        else
            phase_ = Phase::done;
    }
    return phase_;
}

double Recorder::remaining_seconds(double now) const noexcept {
    const double elapsed = now - phase_began_;
    if (phase_ == Phase::warm_up) {
        const WarmUp& asked = facts_.warm_up;
        if (asked.limit_seconds > 0.0) return std::max(0.0, asked.limit_seconds - elapsed);
        return asked.seconds > 0.0 && asked.stable_percent <= 0.0 ? std::max(0.0, asked.seconds - elapsed) : unknown;
    }
    if (phase_ != Phase::recording) return unknown;
    if (facts_.length.seconds > 0.0) return std::max(0.0, facts_.length.seconds - elapsed);
    if (facts_.length.frames > 0 && recorded_ > 1) // at the pace so far
        return elapsed / static_cast<double>(recorded_ - 1) * remaining_frames();
    return unknown;
}

double Recorder::remaining_frames() const noexcept {
    if (phase_ != Phase::recording || facts_.length.frames == 0) return unknown;
    return static_cast<double>(facts_.length.frames - recorded_ + 1);
}

} // namespace spindrift::report
