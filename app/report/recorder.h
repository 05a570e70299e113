// When a recording begins and ends. A state machine without a clock, a GPU or a file of its own: it is told the time
// and the frames, and says what the next frame is.
//
//     idle -- start() --> warm-up --> recording --> done          stop() ends a recording; during the warm-up it goes
//                            ^            |                       back to idle
//                            +-- restart() after a change of what is drawn
//
// The warm-up lasts until all that was asked for is true: a number of frames, a time, and frame times that have
// settled. They have settled when the median of the last 30 frames and that of the 30 before differ by at most
// `stable_percent` of the later one. `limit_seconds` ends it in any case; the facts say which of them it was.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

namespace spindrift::report {

struct WarmUp {
    int frames = 0;              ///< at least so many
    double seconds = 0.0;        ///< at least so long
    double stable_percent = 0.0; ///< until frame times have settled; 0 = they are not looked at
    double limit_seconds = 0.0;  ///< never longer than this; 0 = no limit
};

/// Whichever comes first; both 0: until stop().
struct RecordingLength {
    std::int64_t frames = 0;
    double seconds = 0.0;
    bool bounded() const noexcept { return frames > 0 || seconds > 0.0; }
};

enum class WarmUpEnd {
    none,   ///< it has not ended
    asked,  ///< frames and seconds as asked for; stability was not
    stable, ///< frame times had settled
    limit,  ///< they had not when the time was over
};
const char* to_string(WarmUpEnd end) noexcept; ///< "none", "asked", "stable", "limit"

enum class RecordingEnd {
    none, ///< it goes on
    frames,
    seconds,
    stopped, ///< by stop()
    full,    ///< the memory reserved for it
};
const char* to_string(RecordingEnd end) noexcept;

/// What a report says about how it came to be.
struct RecorderFacts {
    WarmUp warm_up;
    RecordingLength length;
    int warm_up_frames = 0;
    double warm_up_seconds = 0.0;
    WarmUpEnd warm_up_ended_by = WarmUpEnd::none;
    /// Difference of the last two medians in percent of the later; NaN when there were fewer than 60 frames.
    double last_change_percent = std::numeric_limits<double>::quiet_NaN();
    RecordingEnd ended_by = RecordingEnd::none;
    int restarts = 0;
    std::string_view last_restart; ///< why; empty without one
};

class Recorder {
public:
    enum class Phase { idle, warm_up, recording, done };
    static constexpr std::size_t block_frames = 30; ///< frames of each of the two medians

    /// Times are seconds of any clock that never goes back. `capacity` is the number of frames that memory was reserved
    /// for. Whatever ran before is forgotten.
    void start(const WarmUp& warm_up, const RecordingLength& length, std::size_t capacity, double now);
    /// What is drawn has changed: the warm-up begins again and frames recorded so far do not count. Does nothing when
    /// idle or done. `reason` must outlive the recorder: a literal.
    void restart(std::string_view reason, double now);
    /// A recording is done, a warm-up is off.
    void stop(double now);

    /// Before each frame: what this frame is. The first frame with `recording` has first_recorded() true.
    Phase begin_frame(double now);

    Phase phase() const noexcept { return phase_; }
    bool active() const noexcept { return phase_ == Phase::warm_up || phase_ == Phase::recording; }
    /// Index of the frame that was begun last, from 0 at the first recorded one; 0 during the warm-up as well, so that
    /// every warm-up frame shows the first moment.
    std::int64_t frame() const noexcept { return recorded_ > 0 ? recorded_ - 1 : 0; }
    bool first_recorded() const noexcept { return phase_ == Phase::recording && recorded_ == 1; }
    std::int64_t recorded_frames() const noexcept { return recorded_; }

    /// Of the recording, or of the warm-up as far as it can be known: NaN when it cannot.
    double remaining_seconds(double now) const noexcept;
    /// NaN when no number of frames was asked for.
    double remaining_frames() const noexcept;
    const RecorderFacts& facts() const noexcept { return facts_; }

private:
    void begin_warm_up(double now) noexcept;
    void add_interval(double seconds) noexcept;
    bool settled() noexcept;
    WarmUpEnd warm_up_end(double now) noexcept;
    RecordingEnd recording_end(double now) const noexcept;

    Phase phase_ = Phase::idle;
    RecorderFacts facts_;
    std::size_t capacity_ = 0;
    double phase_began_ = 0.0;
    double frame_began_ = -1.0; ///< negative: none yet in this warm-up
    std::int64_t recorded_ = 0;
    std::array<double, 2 * block_frames> intervals_{}; ///< ring
    std::size_t interval_count_ = 0;
};

} // namespace spindrift::report
