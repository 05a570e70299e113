// `spindrift bench step`: what one step of the sea's simulation costs (evolve, four complex inverse transforms,
// assemble), for every algorithm, for cufft with 1, 2, 4 and 8 frames to a switch between OpenGL and CUDA, and for
// cufft without OpenGL (bench_step_cuda.h); beside them one pass over the fields, the copy floor (bench_step_copy.h).
//
// Method. Every candidate simulates the same sea at the same times, frame after frame with a steady dt. Candidates of
// one size take turns, block by block; a block is sixteen consecutive steps between two timestamps, divided by sixteen,
// so that frames which are transformed ahead are counted with those that only show them. Blocks are queued without a
// wait between steps; the first turn of all candidates is not measured. After the last block every candidate's
// displacement map is compared with that of the first candidate that is a GLSL kernel, at the same time.
//
// The maps' mip levels are the same work whatever transforms, and no other library's step has them: they are measured
// by themselves, in a row of their own, and are in the steps only when asked for.
#pragma once

#include "app/commands/bench_fft.h"
#include "app/ocean/simulation.h"

namespace spindrift {

struct BenchStepSettings {
    std::vector<int> sizes = {}; ///< empty: 256, 512 and 1024, on a software renderer 64
    std::vector<fft::Algorithm> algorithms{fft::all_algorithms.begin(), fft::all_algorithms.end()};
    int blocks = 0;    ///< measured of each candidate; 0: 40, or 3
    bool mips = false; ///< in the steps, as a frame pays them; by themselves they are always measured
    std::string json_file = {}, csv_file = {}, markdown_file = {}; ///< empty = none
    std::string shader_dir = {};                                   ///< empty = the embedded shaders
    bool force = false;                                            ///< run a Debug build anyway
};

/// What a result is of.
enum class BenchStepKind {
    simulation, ///< the step of an ocean::Simulation
    cuda,       ///< the step of an ocean::CudaStep: no OpenGL, no mip levels
    mips,       ///< not a step: the mip levels of both maps, by themselves
    copy,       ///< not a step: one pass over its fields
};

struct BenchStepResult {
    ocean::SimulationDesc desc;
    std::string failure;         ///< why there is no time; empty when there is one
    bool unavailable = false;    ///< the device cannot run it: not a fault
    fft::BenchmarkTime gpu, cpu; ///< of one step, microseconds; gpu from stamp to stamp, switches included
    double relative_l2 = 0.0;    ///< of the displacement map, against the first GLSL kernel's; 0 for itself
    BenchStepKind kind = BenchStepKind::simulation;
    std::string schedule = {}; ///< of `tuned`: its kernels; else empty
};

/// What all kinds of rows have in common.
namespace bench_step {
inline constexpr int steps_of_block = 16;
inline constexpr double seconds_per_step = 1.0 / 60;
inline constexpr double largest_difference = 1e-5; ///< relative L2 between two displacement maps of one sea
/// ||values - reference|| / ||reference||
double relative_difference(const std::vector<float>& values, const std::vector<float>& reference);
} // namespace bench_step

/// Every simulation of a size, in the order in which they take turns; mip levels, copies and CUDA's steps are not among
/// them.
std::vector<ocean::SimulationDesc> bench_step_candidates(const BenchStepSettings& settings, int size);

TextTable bench_step_table(const std::vector<BenchStepResult>& results);

/// Schema "spindrift.bench_step/1".
nlohmann::ordered_json bench_step_json(const BenchStepSettings& settings, const std::vector<BenchStepResult>& results,
                                       const gl::DeviceInfo& device);

/// Returns runtime_failure when a candidate shows another sea. Throws Error.
int run_bench_step(BenchStepSettings settings);

} // namespace spindrift
