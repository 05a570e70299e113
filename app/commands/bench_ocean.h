// `spindrift bench ocean`: what the transforms cost in a whole frame of the sea, and table 4 and the frame rates of
// J. F. Mota, "High Performance Fourier Transforms on GPUs with GLSL" (2023), section 4.3, measured again here.
//
// Method. Every candidate has a scene of its own: the same sea, mesh, camera and times, as the demo draws it. The four
// complex inverse transforms of a frame are checked against the double-precision reference first; a wrong kernel gets
// no time. Candidates of one size then take turns, block by block, so that a drifting clock hits all alike, and a first
// turn of all of them is not measured. A block is four frames that are not measured, a wait for the GPU, the measured
// frames without any wait between them, and another wait. From each measured frame come the time on the GPU and the
// time to issue (CPU) of the horizontal and vertical passes together, and the GPU time of the whole frame; from each
// block the time from wait to wait for each frame, whose inverse is the frame rate. Nothing waits for a monitor.
#pragma once

#include "app/commands/bench_fft.h"
#include "app/settings.h"

namespace spindrift {

struct BenchOceanSettings {
    std::vector<int> sizes; ///< empty: 512 and 1024, on a software renderer 64 and 128
    std::vector<fft::Algorithm> algorithms{fft::all_algorithms.begin(), fft::all_algorithms.end()};
    fft::Storage storage = fft::Storage::image;
    std::int64_t vertices = 0; ///< 0: two million, on a software renderer 10,000
    int frames = 0;            ///< measured of each candidate; 0: 200, on a software renderer 20
    int width = 1280, height = 720;
    std::string json_file = {}, csv_file = {}, markdown_file = {}; ///< empty = none
    std::string shader_dir = {};                                   ///< empty = the embedded shaders
    bool force = false;                                            ///< run a Debug build anyway
};

struct BenchOceanResult {
    fft::Algorithm algorithm = fft::Algorithm::cooley_tukey_stages;
    int size = 0;
    std::string failure;                 ///< why there is no time; empty when there is one
    bool unavailable = false;            ///< the device cannot run it: not a fault
    fft::BenchmarkTime fft_gpu, fft_cpu; ///< horizontal and vertical passes of one frame, microseconds
    fft::BenchmarkTime frame_gpu;        ///< the whole frame on the GPU
    fft::BenchmarkTime frame;            ///< from frame to frame, one sample a block
    double relative_l2 = 0.0;            ///< of the transforms

    double fps() const noexcept { return frame.median > 0 ? 1e6 / frame.median : 0; }
};

/// Beside the printed numbers; `results` in the order of sizes and then algorithms.
TextTable bench_ocean_table(const std::vector<BenchOceanResult>& results);

/// Schema "spindrift.bench_ocean/1".
nlohmann::ordered_json bench_ocean_json(const BenchOceanSettings& settings,
                                        const std::vector<BenchOceanResult>& results, const gl::DeviceInfo& device);

/// Returns runtime_failure when a result is wrong. Throws Error.
int run_bench_ocean(BenchOceanSettings settings);

} // namespace spindrift
