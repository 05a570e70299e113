// Figures of a sequence of frames as players and reviewers quote them, each with its rule in its name: "1 % low" alone
// is at least three different numbers.
#pragma once

#include "engine/profiler/recording.h"

#include <cstddef>
#include <span>

namespace spindrift::report {

/// From frame times in milliseconds; times that are not finite are left out. NaN where there are too few frames.
struct FrameFigures {
    std::size_t frames = 0;
    double mean_ms = profiler::not_available;
    double stddev_ms = profiler::not_available; ///< of the sample: divided by n - 1
    double median_ms = profiler::not_available;
    double p95_ms = profiler::not_available;
    double p99_ms = profiler::not_available;
    double p999_ms = profiler::not_available; ///< the 99.9th percentile
    double max_ms = profiler::not_available;

    /// Frames over time. The mean of each frame's own fps is a different, larger number.
    double fps_average = profiler::not_available;
    /// Slowest frames first, until they fill 1 % of the total time: the fps of the frame that crosses it. The rule of
    /// RTSS, MSI Afterburner and CapFrameX.
    double fps_1pct_low_time_integral = profiler::not_available;
    /// 1000 / mean of the slowest 1 % of the frames (rounded up, at least one). The rule of most reviews.
    double fps_1pct_low_mean_of_slowest = profiler::not_available;
    /// 1000 / 99th percentile of the frame time. The rule of PresentMon.
    double fps_1pct_low_percentile = profiler::not_available;

    /// A hitch is a frame longer than twice the median of the whole sequence: one that everybody sees, at any frame
    /// rate.
    std::size_t hitches_over_twice_median = 0;
    std::size_t hitches_over_33ms = 0; ///< longer than two refreshes at 60 Hz: 1000 / 30 ms
    double time_in_hitches_percent =
        profiler::not_available; ///< share of the time spent in frames over twice the median
};
FrameFigures frame_figures(std::span<const double> frame_ms);
/// Of a recording's intervals.
FrameFigures frame_figures(const profiler::Recording& recording);

/// What limited the frames, in percent of those whose times are all known; they add up to 100.
///   gpu      the GPU was busy for at least 90 % of the frame's interval; or nothing was presented (a headless run) and
///            the CPU waited for at least half of the interval, which it then does for the GPU alone
///   present  else, at least half of the interval was spent in the swap at its beginning: it waited for the monitor
///   cpu      else
/// A share, not a diagnosis: a busy GPU does not tell why it is busy.
struct BoundShares {
    std::size_t frames = 0;
    double gpu_percent = profiler::not_available;
    double present_percent = profiler::not_available;
    double cpu_percent = profiler::not_available;
};
BoundShares bound_shares(std::span<const profiler::RecordedFrame> frames);

} // namespace spindrift::report
