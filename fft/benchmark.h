// Times transforms against each other and against the copy floor of the same device.
//
// Method. All candidates of one call take turns, sample by sample, in an order that is drawn anew for each round, so
// that a drifting clock and the traces of a neighbour hit all alike. The GPU is kept busy before the first sample,
// because an idle GPU runs at a fraction of its clock; samples are queued without a wait in between, up to two seconds
// of work at a time, and the timestamps are read at the end. (With some twenty seconds queued, one NVIDIA driver,
// 580.159, stopped doing the work and went on writing timestamps: copies at 34 TB/s.) Each sample is a spell of
// arithmetic that lets the CPU run ahead, a fresh copy of the input, an untimed run (so that the caches hold what this
// candidate uses), another fresh copy, a timestamp, the timed run with its barriers, a timestamp. Every candidate's
// result is checked against the double reference before anything is timed; a wrong one gets no time at all, and nor
// does one whose result differs after measuring. On a software renderer, or without timestamps, each sample is timed on
// the CPU, from one glFinish to the next.
#pragma once

#include "engine/gl/device.h"
#include "engine/gl/program.h"
#include "fft/reference.h"
#include "fft/transform.h"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace spindrift::fft {

struct BenchmarkOptions {
    int repetitions = 200;         ///< samples of each candidate
    int transforms_per_sample = 1; ///< back to back between two timestamps; times are divided by it
    double busy_ms = 50;           ///< of work before the first sample
    std::uint64_t seed = 1;
};

/// Median and the range that nine in ten samples lie in, microseconds.
struct BenchmarkTime {
    double median = 0, p5 = 0, p95 = 0, min = 0, max = 0;
    std::size_t samples = 0; ///< 0: there is no time
};

struct BenchmarkResult {
    TransformDesc desc;
    bool ok = false;          ///< within the gate; otherwise the times are empty
    std::string failure;      ///< why there is no time: a failed gate, an unavailable transform, an exception
    bool unavailable = false; ///< the device cannot run it: not a fault
    reference::ErrorNorms norms;
    std::string schedule;    ///< of `tuned`: its kernels, for people; else empty
    BenchmarkTime gpu;       ///< one transform, microseconds
    BenchmarkTime cpu;       ///< time to issue it
    BenchmarkTime transform; ///< of cufft: cuFFT alone on CUDA's clock, where `gpu` is what OpenGL's queue waits
    BenchmarkTime map_cpu, unmap_cpu; ///< of cufft: the parts of `cpu` that hand the data over and back
    BenchmarkTime copy;               ///< one pass over the same data in the same storage, same run
    std::size_t copy_bytes = 0;       ///< read and written by one pass

    /// GPU time over that of the two passes that no transform can do without.
    double floor_ratio() const noexcept { return copy.median > 0 ? gpu.median / (2 * copy.median) : 0; }
};

using BenchmarkProgress = std::function<void(const std::string& what)>;

/// Results in the order of `candidates`, which share memory where their layouts agree; call it once for each size, so
/// that candidates that take turns are of one kind. Throws Error when memory runs out.
std::vector<BenchmarkResult> benchmark(std::span<const TransformDesc> candidates, const BenchmarkOptions& options,
                                       gl::ProgramLibrary& library, const gl::DeviceInfo& device,
                                       const BenchmarkProgress& progress = {});

/// Samples of one measurement to the five numbers. Exposed for tests.
BenchmarkTime summarize_samples(std::span<const double> microseconds);

/// The program of one copy pass.
gl::ProgramRecipe copy_recipe(const TransformDesc& desc);

} // namespace spindrift::fft
