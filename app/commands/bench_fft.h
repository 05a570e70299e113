// `spindrift bench fft`: the transforms of this device timed side by side, and the tables of
// J. F. Mota, "High Performance Fourier Transforms on GPUs with GLSL" (2023), section 4.2, measured again here.
#pragma once

#include "app/time_json.h"
#include "engine/gl/device.h"
#include "fft/benchmark.h"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace spindrift {

struct BenchFftSettings {
    int table = 0;                    ///< 1, 2 or 3: a table of the dissertation; 0: all variants
    std::vector<int> sizes;           ///< empty: 128 to 1024, on a software renderer 64 to 256
    std::vector<int> fields{1, 2, 4}; ///< complex fields transformed at once: 1 = vec2, 2 = vec4, 4 = vec4 x 2 layers
    std::vector<fft::Algorithm> algorithms{fft::all_algorithms.begin(), fft::all_algorithms.end()};
    std::vector<fft::Storage> storages{fft::all_storages.begin(), fft::all_storages.end()};
    fft::Direction direction = fft::Direction::inverse; ///< of the runs without a table; tables are forward
    int repetitions = 0;                                ///< 0: 200, on a software renderer 5
    int transforms_per_sample = 1;
    int butterflies_per_invocation = 0;                            ///< 0 = the planner decides
    std::string json_file = {}, csv_file = {}, markdown_file = {}; ///< empty = none
    std::string shader_dir = {};                                   ///< empty = the embedded shaders
    bool force = false;                                            ///< run a Debug build anyway
};

/// Headings and cells, for any of the three writers.
struct TextTable {
    std::string title;
    std::vector<std::string> headings;
    std::vector<std::vector<std::string>> rows; ///< one cell for each heading
    std::string note;                           ///< a line below; may be empty

    std::string as_text() const;     ///< columns aligned: the first to the left, the others to the right
    std::string as_csv() const;      ///< headings and rows only
    std::string as_markdown() const; ///< with title and note
};

/// What a run measures, size by size: candidates of one size take turns.
std::vector<std::vector<fft::TransformDesc>> bench_candidates(const BenchFftSettings& settings);

/// The table that `settings.table` asks for.
TextTable bench_table(const BenchFftSettings& settings, const std::vector<fft::BenchmarkResult>& results);

/// Schema "spindrift.bench_fft/1".
nlohmann::ordered_json bench_json(const BenchFftSettings& settings, const std::vector<fft::BenchmarkResult>& results,
                                  const gl::DeviceInfo& device);

/// Returns runtime_failure when a result failed its gate. Throws Error.
int run_bench_fft(BenchFftSettings settings);

} // namespace spindrift
