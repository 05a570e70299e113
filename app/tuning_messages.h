// What `spindrift tune --progress json` writes to standard output, a JSON object on each line, and what a window reads
// that has a search done by a process of its own.
#pragma once

#include "fft/kernel_search.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace spindrift {

/// How far a search is.
struct TuningProgress {
    std::string doing; ///< what is being tried
    std::size_t searches = 0, searches_finished = 0;
    std::size_t kernels = 0;      ///< tried so far
    double best_microseconds = 0; ///< the fastest pass of the search that is going on; 0 = none was timed yet
};

TuningProgress progress_of(const fft::KernelSearch& search);

/// A schedule's trial, without the schedule: its two kernels as KernelParameters::to_string() writes them.
struct NamedTrial {
    std::string rows, columns;
    bool ok = false;
    std::string failure;
    double relative_l2 = 0; ///< NaN where it is no number
    fft::BenchmarkTime time;
};

/// What a search has found.
struct TuningResult {
    std::string
        wisdom; ///< a document of the schema "spindrift.wisdom/2" with that one entry; empty = no kernel is right
    std::size_t kernels = 0;           ///< tried
    std::vector<NamedTrial> schedules; ///< whole transforms, or fused steps
};

/// `entry` is the search's result, if it has one, with the effort that it deserves.
TuningResult result_of(const fft::KernelSearch& search, const std::optional<fft::WisdomEntry>& entry,
                       const gl::DeviceInfo& device, const std::string& shader_hash);

using TuningMessage = std::variant<TuningProgress, TuningResult>;

/// {"message": "progress", "doing": ..., "searches": ..., "searches_finished": ..., "kernels": ..., "best_us": ...}
/// {"message": "result", "wisdom": DOCUMENT or null, "kernels": ..., "schedules": [...]}
std::string to_json_line(const TuningMessage& message);
/// {"message": "skipped", "what": "512 buffer vec4 4 fields", "why": "known"}: no search was made for it.
std::string skipped_line(const std::string& what, const std::string& why);
/// {"message": "interrupted"}: there are no results but those before.
std::string interrupted_line();
/// Throws Error with what is wrong. Messages and members of other names are none of its business.
std::optional<TuningMessage> parse_tuning_message(std::string_view line);

} // namespace spindrift
