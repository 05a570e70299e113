// `spindrift bench recorder`: what measuring itself costs.
//
// The same frame of the sea is drawn in three ways that take turns, block by block, so that a drifting clock hits all
// alike: without a profiler; with the profiler whose numbers the panel shows; and with a recording on top, as F9 and
// --report make it, the GPU's sensors included. A block is a wait for the GPU, some frames, and another wait; its time
// for each frame is one sample. The cost of recording is the median over all rounds of (on - off) within a round.
#pragma once

#include "app/commands/bench_fft.h"
#include "app/settings.h"

namespace spindrift {

struct BenchRecorderSettings {
    Settings scene;       ///< sea, size, mesh, picture
    int rounds = 0;       ///< blocks of each way; 0: 60, on a software renderer 20
    int block_frames = 0; ///< 0: 20, on a software renderer 5
    std::string json_file = {};
    std::string shader_dir = {};
};

/// Milliseconds a frame, one sample for each round.
struct RecorderCost {
    std::vector<double> without_profiler, off, on;

    double recording_ms() const;      ///< median of on - off; NaN without samples
    double profiler_ms() const;       ///< median of off - without_profiler
    double recording_percent() const; ///< of the median of off
    double profiler_percent() const;  ///< of the median of without_profiler
};

TextTable recorder_cost_table(const RecorderCost& cost);
/// Schema "spindrift.bench_recorder/1".
nlohmann::ordered_json recorder_cost_json(const RecorderCost& cost, const BenchRecorderSettings& settings,
                                          const gl::DeviceInfo& device);

/// Throws Error.
int run_bench_recorder(BenchRecorderSettings settings);

} // namespace spindrift
