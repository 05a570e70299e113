#include "app/report/frame_figures.h"

#include "engine/profiler/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace spindrift::report {
namespace {

double fps(double milliseconds) {
    return milliseconds > 0.0 ? 1000.0 / milliseconds : profiler::not_available;
}

double low_by_time(std::span<const double> sorted, double total) {
    double time = 0.0;
    for (auto slowest = sorted.rbegin(); slowest != sorted.rend(); ++slowest) {
        time += *slowest;
        if (time >= 0.01 * total) return fps(*slowest);
    }
    return profiler::not_available;
}

double low_by_mean(std::span<const double> sorted) {
    const auto count = static_cast<std::size_t>(std::ceil(static_cast<double>(sorted.size()) / 100.0));
    const auto slowest = sorted.last(count);
    return fps(std::accumulate(slowest.begin(), slowest.end(), 0.0) / static_cast<double>(count));
}

} // namespace

FrameFigures frame_figures(std::span<const double> frame_ms) {
    const std::vector<double> sorted = profiler::sorted_finite(frame_ms);
    FrameFigures figures;
    figures.frames = sorted.size();
    if (sorted.empty()) return figures;
    const auto count = static_cast<double>(sorted.size());
    const double total = std::accumulate(sorted.begin(), sorted.end(), 0.0);
    figures.mean_ms = total / count;
    if (sorted.size() > 1) {
        double squares = 0.0;
        for (const double time : sorted) squares += (time - figures.mean_ms) * (time - figures.mean_ms);
        figures.stddev_ms = std::sqrt(squares / (count - 1.0));
    }
    figures.median_ms = profiler::percentile_of_sorted(sorted, 0.5);
    figures.p95_ms = profiler::percentile_of_sorted(sorted, 0.95);
    figures.p99_ms = profiler::percentile_of_sorted(sorted, 0.99);
    figures.p999_ms = profiler::percentile_of_sorted(sorted, 0.999);
    figures.max_ms = sorted.back();
    figures.fps_average = fps(figures.mean_ms);
    figures.fps_1pct_low_time_integral = low_by_time(sorted, total);
    figures.fps_1pct_low_mean_of_slowest = low_by_mean(sorted);
    figures.fps_1pct_low_percentile = fps(figures.p99_ms);
    double hitch_time = 0.0;
    for (const double time : sorted) {
        if (time > 2.0 * figures.median_ms) {
            ++figures.hitches_over_twice_median;
            hitch_time += time;
        }
        if (time > 1000.0 / 30.0) ++figures.hitches_over_33ms;
    }
    if (total > 0.0) figures.time_in_hitches_percent = 100.0 * hitch_time / total;
    return figures;
}

FrameFigures frame_figures(const profiler::Recording& recording) {
    std::vector<double> intervals;
    intervals.reserve(recording.frames.size());
    for (const profiler::RecordedFrame& frame : recording.frames) intervals.push_back(frame.interval_ms());
    return frame_figures(intervals);
}

BoundShares bound_shares(std::span<const profiler::RecordedFrame> frames) {
    std::size_t gpu = 0, present = 0, cpu = 0;
    for (std::size_t index = 0; index < frames.size(); ++index) {
        const profiler::RecordedFrame& frame = frames[index];
        const double interval = frame.interval_ms();
        if (!frame.gpu_valid || !std::isfinite(interval) || interval <= 0.0) continue;
        // The interval begins with the swap of the frame before; the first frame of a recording has only its own.
        const double presenting = (index > 0 ? frames[index - 1] : frame).present_ms();
        const bool presents = std::isfinite(presenting);
        const bool waited_for_gpu = !presents && interval - frame.cpu_ms() >= 0.5 * interval;
        if (frame.gpu_ms() >= 0.9 * interval || waited_for_gpu)
            ++gpu;
        else if (presents && presenting >= 0.5 * interval)
            ++present;
        else
            ++cpu;
    }
    BoundShares shares;
    shares.frames = gpu + present + cpu;
    if (shares.frames == 0) return shares;
    const double percent = 100.0 / static_cast<double>(shares.frames);
    shares.gpu_percent = percent * static_cast<double>(gpu);
    shares.present_percent = percent * static_cast<double>(present);
    shares.cpu_percent = percent * static_cast<double>(cpu);
    return shares;
}

} // namespace spindrift::report
