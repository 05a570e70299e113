// One tree of scopes with GPU and CPU times. Reading never waits for the GPU: results are taken some frames later, and
// what is not ready by then is dropped and counted.
//
//     Profiler profiler(device);                      // once, with a current context
//     profiler.begin_frame();
//     { auto scope = profiler.scope("fft"); ... { auto inner = profiler.scope("fft.horizontal"); ... } }
//     profiler.end_frame();                           // before the swap, so that no wait for vsync is inside
//     profiler.statistics();                          // the last frames, for a panel
//     profiler.record(600); ... profiler.drain(); profiler.recording();   // all of them, for a report
#pragma once

#include "engine/profiler/recording.h"
#include "engine/profiler/time_source.h"

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace spindrift::profiler {

struct Options {
    std::size_t ring_frames = 5;     ///< frames in flight before a result is needed, at least 4
    std::size_t window_frames = 128; ///< frames that statistics() looks at
    /// Frames left out of statistics() after the set of scopes changed or reset_statistics(): first runs compile,
    /// allocate and fault pages in.
    std::size_t settle_frames = 8;
    /// A scope that begins where its older sibling ended shares that timestamp: half the queries, but whatever runs
    /// between the two is counted to the younger.
    bool share_boundaries = false;
    /// begin_frame() waits for the oldest frame's results when the ring is full, in place of dropping them: for runs
    /// without a swap, where nothing else keeps the CPU from queueing frames without end.
    bool wait_when_full = false;
};

/// Frame times of the rolling window, oldest first, in milliseconds; NaN where missed. For graphs.
struct History {
    struct Pass {
        std::string name;
        int depth = 0;
        std::vector<double> gpu_ms;
    };
    std::vector<double> cpu_ms, gpu_ms, interval_ms;
    std::vector<Pass> passes; ///< those of the latest frame, depth first
};

class Profiler {
public:
    /// Ends when it is destroyed. Move-only; an empty Scope does nothing.
    class [[nodiscard]] Scope {
    public:
        Scope() noexcept = default;
        Scope(Scope&& other) noexcept : profiler_(std::exchange(other.profiler_, nullptr)), event_(other.event_) {}
        Scope& operator=(Scope&& other) noexcept {
            end();
            profiler_ = std::exchange(other.profiler_, nullptr);
            event_ = other.event_;
            return *this;
        }
        ~Scope() { end(); }
        /// Ends now. Scopes end in the reverse order of their beginnings.
        void end() noexcept;

    private:
        friend class Profiler;
        Scope(Profiler& profiler, std::size_t event) noexcept : profiler_(&profiler), event_(event) {}
        Profiler* profiler_ = nullptr;
        std::size_t event_ = 0;
    };

    /// Needs the context that it is used with to be current, also at its destruction.
    explicit Profiler(const gl::DeviceInfo& device, const Options& options = {});
    /// With another clock: for tests. The first source times the frame itself.
    explicit Profiler(std::unique_ptr<TimeSource> source, const Options& options = {});
    ~Profiler();
    Profiler(const Profiler&) = delete;
    Profiler& operator=(const Profiler&) = delete;

    /// A second clock, such as CUDA events; its scopes stand in the same tree. Returns the number for scope().
    int add_source(std::unique_ptr<TimeSource> source);
    /// The number of the source with this name; cpu_only when there is none.
    int find_source(std::string_view name) const noexcept;

    void begin_frame();
    void end_frame(); ///< after all scopes of the frame and before the swap
    /// After the swap that follows end_frame(): how long it took belongs to that frame. Without it presenting times are
    /// not available.
    void presented();

    /// A node below the scope that is open now, and on the first source a debug group of the same name. The name is
    /// copied the first time. Outside a frame it is a debug group only.
    Scope scope(std::string_view name, int source = 0);

    /// The rolling window, without the frames still in flight. `missed` counts since the last reset.
    Statistics statistics() const;
    History history() const;
    void reset_statistics();

    /// Reserves and touches the memory for a recording of so many frames, so that record() and the frames after it
    /// neither allocate nor fault pages in. A running recording ends without results.
    void prepare_recording(std::size_t frames);
    /// Records the next `frames` frames with every scope. All memory is reserved here, unless prepare_recording() did;
    /// a running recording is replaced. The first frame has no interval: this call may take its time.
    void record(std::size_t frames);
    bool recording_active() const noexcept; ///< frames are still to be begun
    void stop_recording();                  ///< after the current frame; frames in flight are still added
    /// Frames whose results have arrived so far; complete after drain().
    const Recording& recording() const noexcept { return recording_; }

    /// Waits for the GPU and takes the results that are still in flight. For the end of a run, never inside a frame.
    void drain();

    std::uint64_t frame_count() const noexcept { return frame_count_; } ///< frames ended since the beginning
    std::uint64_t missed_frames() const noexcept { return missed_frames_; }
    bool has_timestamps() const noexcept { return sources_.front()->has_timestamps(); }

private:
    struct Event;
    struct Frame;
    struct Window;

    std::size_t take_slot(Frame& frame, int source);
    void end_scope(std::size_t event) noexcept;
    int find_or_add_node(std::string_view name);
    void collect_ready();
    bool results_available(const Frame& frame);
    void collect(Frame& frame, bool available);
    void add_to_window(const Frame& frame, bool available);
    void add_to_recording(const Frame& frame, bool available);

    Options options_;
    std::vector<std::unique_ptr<TimeSource>> sources_;
    std::vector<ScopeNode> nodes_;
    std::vector<Frame> ring_;
    std::size_t current_ = 0; ///< ring place of the frame that is open, or was last
    bool in_frame_ = false;
    std::vector<std::size_t> open_events_;
    std::vector<int> open_nodes_;
    std::size_t shared_slot_; ///< end of the sibling that just ended
    Nanoseconds last_end_ = -1;
    std::uint64_t frame_count_ = 0, missed_frames_ = 0;
    std::unique_ptr<Window> window_;
    Recording recording_;
    std::size_t frames_to_record_ = 0;
    std::vector<Nanoseconds> anchors_; ///< by source: when its clock was read, on the CPU's clock
};

/// A scope of a profiler that may be absent.
[[nodiscard]] inline Profiler::Scope scope(Profiler* profiler, std::string_view name, int source = 0) {
    return profiler == nullptr ? Profiler::Scope{} : profiler->scope(name, source);
}

} // namespace spindrift::profiler
