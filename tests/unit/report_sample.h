// A recording made by hand, whose numbers can be checked by eye.
#pragma once

#include "engine/profiler/recording.h"

#include <string>
#include <vector>

namespace spindrift::test {

/// Frames begin every 10 ms and keep the CPU busy for 4 ms and the GPU for 7. `pass_ms` are GPU times of "evolve" and
/// "fft.horizontal" within "step", frame by frame; a negative time stands for a missed one. CPU times are a tenth.
inline profiler::Recording sample_recording(const std::vector<std::pair<double, double>>& pass_ms) {
    constexpr profiler::Nanoseconds millisecond = 1'000'000;
    profiler::Recording recording;
    recording.nodes = {
        {"step", "step", -1, 0}, {"evolve", "step/evolve", 0, 1}, {"fft.horizontal", "step/fft.horizontal", 0, 1}};
    recording.sources = {"GL"};
    recording.requested_frames = pass_ms.size();
    for (const auto& [evolve, horizontal] : pass_ms) {
        profiler::RecordedFrame frame;
        frame.index = recording.frames.size();
        const profiler::Nanoseconds begin = static_cast<profiler::Nanoseconds>(frame.index) * 10 * millisecond;
        frame.cpu_begin = begin;
        frame.cpu_end = begin + 4 * millisecond;
        frame.has_previous = frame.index > 0;
        frame.previous_cpu_end = begin - 6 * millisecond;
        frame.gpu_valid = true;
        frame.gpu_begin = begin + millisecond;
        frame.gpu_duration = 7 * millisecond;
        frame.first_scope = recording.scopes.size();
        frame.scope_count = 3;
        profiler::Nanoseconds gpu = frame.gpu_begin, cpu = frame.cpu_begin;
        const std::size_t step = recording.scopes.size();
        recording.scopes.push_back({0, 0, cpu, cpu, true, gpu, 0});
        for (const auto& [node, ms] : {std::pair{1, evolve}, {2, horizontal}}) {
            const auto duration = static_cast<profiler::Nanoseconds>((ms < 0.0 ? 1.0 : ms) * 1e6);
            recording.scopes.push_back({node, 0, cpu, cpu + duration / 10, ms >= 0.0, gpu, ms < 0.0 ? 0 : duration});
            recording.scopes[step].gpu_duration += duration;
            recording.scopes[step].cpu_end += duration / 10;
            gpu += duration;
            cpu += duration / 10;
        }
        recording.frames.push_back(frame);
    }
    return recording;
}

} // namespace spindrift::test
