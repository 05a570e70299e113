// What a recording keeps: every frame and every scope of it, with its beginning, so that reports, CSV rows and traces
// all come from the same numbers. Memory is reserved before the first frame.
#pragma once

#include "engine/profiler/statistics.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace spindrift::profiler {

using Nanoseconds = std::int64_t;

/// The source of a scope that no device clock times, for what must not put commands into a GPU's queue.
inline constexpr int cpu_only = -1;

/// One node of the tree of scopes. The same name below the same parent is the same node.
struct ScopeNode {
    std::string name; ///< as given to scope(); dots belong to the name
    std::string path; ///< names from the root, joined by '/'
    int parent = -1;  ///< index of the parent node, -1 at the root
    int depth = 0;    ///< 0 at the root
};

/// One run through a scope. CPU times count from the recording's start (steady clock); GPU times from the same moment,
/// read on the device's clock.
struct RecordedScope {
    int node = 0;
    int source = 0; ///< 0 = OpenGL, others in the order of Profiler::add_source(); cpu_only = no GPU time
    Nanoseconds cpu_begin = 0, cpu_end = 0;
    bool gpu_valid = false; ///< false: missed, dropped as absurd, or a device without timestamps
    Nanoseconds gpu_begin = 0, gpu_duration = 0;
};

struct RecordedFrame {
    std::uint64_t index = 0;                ///< counted from the first frame of the recording
    Nanoseconds cpu_begin = 0, cpu_end = 0; ///< begin_frame() and end_frame(); the swap comes after cpu_end
    bool has_previous = false;
    Nanoseconds previous_cpu_end = 0; ///< end_frame() of the frame before, if there was one
    bool gpu_valid = false, gpu_missed = false;
    Nanoseconds gpu_begin = 0, gpu_duration = 0;
    Nanoseconds present_duration = -1;            ///< in the swap that followed; -1: nothing was presented
    std::size_t first_scope = 0, scope_count = 0; ///< range in Recording::scopes

    double cpu_ms() const noexcept { return static_cast<double>(cpu_end - cpu_begin) * 1e-6; }
    double gpu_ms() const noexcept { return gpu_valid ? static_cast<double>(gpu_duration) * 1e-6 : not_available; }
    /// From one end_frame() to the next, the call that precedes the swap: PresentMon's MsBetweenPresents.
    double interval_ms() const noexcept {
        return has_previous ? static_cast<double>(cpu_end - previous_cpu_end) * 1e-6 : not_available;
    }
    /// PresentMon's MsInPresentAPI: how long the swap kept the CPU.
    double present_ms() const noexcept {
        return present_duration >= 0 ? static_cast<double>(present_duration) * 1e-6 : not_available;
    }
    /// PresentMon's MsGPULatency: from the beginning of the frame on the CPU to its first work on the GPU.
    double gpu_latency_ms() const noexcept {
        return gpu_valid ? static_cast<double>(gpu_begin - cpu_begin) * 1e-6 : not_available;
    }
};

/// Statistics of one scope. A scope that ran several times in a frame counts once, with its sum.
struct ScopeStatistics {
    std::string path;
    std::string name;
    int depth = 0;
    Summary gpu_ms;
    Summary cpu_ms;
    std::size_t samples = 0; ///< frames with a GPU time (with a CPU time where no device clock timed the scope)
    std::size_t missed = 0;  ///< frames whose GPU time was not ready in time, or absurd
};

struct FrameStatistics {
    Summary cpu_ms;      ///< begin_frame() to end_frame()
    Summary gpu_ms;      ///< the same on the GPU's clock
    Summary interval_ms; ///< from end_frame() to end_frame(): the frame time that a user sees, vsync included
    Summary present_ms;  ///< in the swap; empty without presented()
    std::size_t frames = 0;
    std::size_t missed = 0; ///< frames whose queries were not ready when their place in the ring was needed
    std::size_t absurd = 0; ///< GPU durations dropped because they were negative or beyond a minute
};

struct Statistics {
    FrameStatistics frame;
    std::vector<ScopeStatistics> scopes; ///< depth first, in the order of their first run
};

/// A per-frame table of one scope's summed times; NaN where a frame has none.
struct ScopeSeries {
    int node = 0;
    std::vector<double> gpu_ms;
    std::vector<double> cpu_ms;
    std::size_t missed = 0;
};

struct Recording {
    std::vector<ScopeNode> nodes; ///< nodes that the profiler knew when the last frame was added
    std::vector<RecordedFrame> frames;
    std::vector<RecordedScope> scopes;
    std::vector<std::string> sources; ///< names of the time sources
    std::size_t requested_frames = 0;
    Nanoseconds origin = 0; ///< the recording's start on the steady clock: all times count from here
    std::size_t absurd = 0;
    bool has_timestamps = true;

    bool complete() const noexcept { return frames.size() >= requested_frames; }
    std::span<const RecordedScope> scopes_of(const RecordedFrame& frame) const {
        return std::span(scopes).subspan(frame.first_scope, frame.scope_count);
    }
    /// One series for each node that ran at least once, depth first.
    std::vector<ScopeSeries> series() const;
    Statistics statistics() const;
};

/// Node indices depth first, children in the order of their creation.
std::vector<int> depth_first(std::span<const ScopeNode> nodes);

} // namespace spindrift::profiler
