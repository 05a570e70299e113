// Which runs a sweep consists of, where they lie and what its index page says. The runs themselves:
// app/commands/sweep_runs.h.
//
// A folder of a sweep:
//   sweep.json           what the sweep is: schema "spindrift.sweep/1", program, GPU, settings, axes, repeats
//   CELL/N.json, N.html  run N of one combination of values, such as "algorithm=cooley-tukey,size=256/3.json"; a CELL
//   is
//                        what `spindrift compare` takes as a group of repeats
//   index.html           all cells with their medians
#pragma once

#include "app/parameters.h"
#include "app/report/comparison.h"

#include <string>
#include <vector>

namespace spindrift {

/// One parameter and the values that it takes.
struct SweepAxis {
    const Parameter* parameter = nullptr;
    std::vector<std::string> values; ///< as text, checked
};

/// "size=256,512" or "algorithm=all". Throws Error(usage) that names parameter, value and limit: an unknown name, one
/// that no headless run depends on, a value out of range, none, or one twice.
SweepAxis parse_sweep_axis(const std::string& text);

/// One combination of values.
struct SweepCell {
    std::vector<std::string> values; ///< one for each axis
    Settings settings;
    std::string folder; ///< name below the sweep's folder; no path separators and no blanks
    std::string title;  ///< "algorithm=cooley-tukey, size=256"
};

/// Every combination, the last axis fastest; one cell "run" without axes. Throws Error(usage) when a parameter has two
/// axes or a sea is not known.
std::vector<SweepCell> sweep_cells(const Settings& base, const std::vector<SweepAxis>& axes);

/// What sweep.json holds. `renderer`: of the GPU.
report::Json sweep_description(const Settings& base, const std::vector<SweepAxis>& axes, int repeats,
                               const std::string& renderer);

/// Why a folder begun with `found` cannot go on as `wanted`, naming the first difference; empty when it can. The number
/// of repeats may differ.
std::string why_another_sweep(const report::Json& found, const report::Json& wanted);

/// A cell and what there is of it.
struct SweepResult {
    const SweepCell* cell = nullptr;
    report::Group runs;           ///< complete ones; reports may be empty
    std::vector<int> numbers;     ///< N of each run
    std::string unavailable = {}; ///< why this cell cannot run here
};

/// The index page. `complete` is false while runs are missing.
std::string sweep_index(const std::vector<SweepAxis>& axes, const std::vector<SweepResult>& results, int repeats,
                        const std::string& command_line, bool complete);

} // namespace spindrift
