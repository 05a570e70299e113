// Where a scope's GPU times come from. OpenGL timestamps are one source; CUDA events are to be another, in the same
// tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace spindrift::gl {
struct DeviceInfo;
}

namespace spindrift::profiler {

/// A clock that a device reads when its command stream reaches a slot. All times are nanoseconds.
/// The profiler asks elapsed() and since_anchor() only for slots that are available(), so neither ever waits.
class TimeSource {
public:
    TimeSource() = default;
    TimeSource(const TimeSource&) = delete;
    TimeSource& operator=(const TimeSource&) = delete;
    virtual ~TimeSource() = default;

    virtual std::string_view name() const noexcept = 0;
    /// False when the device has no timestamps: then scopes have CPU times only.
    virtual bool has_timestamps() const noexcept = 0;

    /// A place for one timestamp, to be recorded again in later frames. Called while the ring fills up, not after.
    virtual std::size_t create_slot() = 0;
    virtual void record(std::size_t slot) = 0;
    /// Whether the device has passed the latest record() of this slot.
    virtual bool available(std::size_t slot) = 0;
    /// Until the slot is available.
    virtual void wait(std::size_t /*slot*/) { finish(); }
    /// From slot to slot. Negative when the clock went backwards: the profiler drops and counts such samples.
    virtual std::int64_t elapsed(std::size_t begin_slot, std::size_t end_slot) = 0;

    /// Ties the device's clock to the CPU's: reads it now. It may synchronise, so it happens once per recording.
    virtual void anchor() = 0;
    virtual std::int64_t since_anchor(std::size_t slot) = 0;

    /// Waits until every recorded slot is available. Never called inside a frame.
    virtual void finish() = 0;

    virtual void push_group(std::string_view /*name*/) {}
    virtual void pop_group() {}
};

/// end - begin on a counter that is `bits` wide and wraps (36 bits of nanoseconds wrap every 68.7 s). Differences of
/// half the range or more are read as negative: the counter went backwards.
std::int64_t wrapped_difference(std::uint64_t begin, std::uint64_t end, int bits) noexcept;

/// GL_TIMESTAMP queries of the current context; groups are KHR_debug groups.
std::unique_ptr<TimeSource> make_gl_time_source(const gl::DeviceInfo& device);

} // namespace spindrift::profiler
