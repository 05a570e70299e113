#include "engine/profiler/recording.h"

#include <algorithm>
#include <cmath>

namespace spindrift::profiler {
namespace {

void append_subtree(std::span<const ScopeNode> nodes, int parent, std::vector<int>& order) {
    for (std::size_t index = 0; index < nodes.size(); ++index) {
        if (nodes[index].parent != parent) continue;
        order.push_back(static_cast<int>(index));
        append_subtree(nodes, static_cast<int>(index), order);
    }
}

/// A sum that is not available as soon as one part is not.
void add(double& sum, double value) {
    sum = std::isnan(sum) ? value : sum + value;
}

} // namespace

std::vector<int> depth_first(std::span<const ScopeNode> nodes) {
    std::vector<int> order;
    order.reserve(nodes.size());
    append_subtree(nodes, -1, order);
    return order;
}

std::vector<ScopeSeries> Recording::series() const {
    std::vector<ScopeSeries> by_node(nodes.size());
    std::vector<bool> timed(nodes.size(), false);
    for (std::size_t row = 0; row < frames.size(); ++row) {
        for (const RecordedScope& scope : scopes_of(frames[row])) {
            ScopeSeries& series = by_node[static_cast<std::size_t>(scope.node)];
            if (series.cpu_ms.empty()) {
                series.cpu_ms.assign(frames.size(), not_available);
                series.gpu_ms.assign(frames.size(), not_available);
            }
            add(series.cpu_ms[row], static_cast<double>(scope.cpu_end - scope.cpu_begin) * 1e-6);
        }
        // A second walk for the GPU: one part that was missed makes the frame's sum unknown, in any order.
        for (const RecordedScope& scope : scopes_of(frames[row])) {
            ScopeSeries& series = by_node[static_cast<std::size_t>(scope.node)];
            if (scope.gpu_valid) add(series.gpu_ms[row], static_cast<double>(scope.gpu_duration) * 1e-6);
        }
        for (const RecordedScope& scope : scopes_of(frames[row])) {
            const bool is_timed = has_timestamps && scope.source != cpu_only;
            timed[static_cast<std::size_t>(scope.node)] = timed[static_cast<std::size_t>(scope.node)] || is_timed;
            if (!scope.gpu_valid) by_node[static_cast<std::size_t>(scope.node)].gpu_ms[row] = not_available;
        }
    }
    std::vector<ScopeSeries> result;
    for (const int node : depth_first(nodes)) {
        ScopeSeries& series = by_node[static_cast<std::size_t>(node)];
        if (series.cpu_ms.empty()) continue;
        series.node = node;
        if (timed[static_cast<std::size_t>(node)])
            for (std::size_t row = 0; row < frames.size(); ++row)
                if (!std::isnan(series.cpu_ms[row]) && std::isnan(series.gpu_ms[row])) ++series.missed;
        result.push_back(std::move(series));
    }
    return result;
}

Statistics Recording::statistics() const {
    Statistics result;
    std::vector<double> cpu, gpu, interval, present;
    for (const RecordedFrame& frame : frames) {
        cpu.push_back(frame.cpu_ms());
        gpu.push_back(frame.gpu_ms());
        interval.push_back(frame.interval_ms());
        present.push_back(frame.present_ms());
        result.frame.missed += frame.gpu_missed ? 1 : 0;
    }
    result.frame.cpu_ms = summarize(cpu);
    result.frame.gpu_ms = summarize(gpu);
    result.frame.interval_ms = summarize(interval);
    result.frame.present_ms = summarize(present);
    result.frame.frames = frames.size();
    result.frame.absurd = absurd;
    for (const ScopeSeries& series : series()) {
        const ScopeNode& node = nodes[static_cast<std::size_t>(series.node)];
        ScopeStatistics statistics{
            node.path, node.name, node.depth, summarize(series.gpu_ms), summarize(series.cpu_ms), 0, series.missed};
        statistics.samples =
            statistics.gpu_ms.count + statistics.missed > 0 ? statistics.gpu_ms.count : statistics.cpu_ms.count;
        result.scopes.push_back(std::move(statistics));
    }
    return result;
}

} // namespace spindrift::profiler
