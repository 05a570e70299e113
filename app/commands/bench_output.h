// How every benchmark begins and ends: what it refuses beforehand, the files that it writes, what it prints, and its
// exit code.
#pragma once

#include "app/commands/bench_fft.h"

#include <nlohmann/json.hpp>
#include <span>
#include <string>

namespace spindrift {

struct BenchFiles {
    std::string json = {}, csv = {}, markdown = {}; ///< empty = none
};

/// Throws Error for a Debug build unless `force` is given, and for files that cannot be written: before anything runs.
void check_bench(const BenchFiles& files, bool force);

/// A candidate without a time.
struct BenchFailure {
    std::string candidate; ///< "tuned vec4 image 512"
    std::string reason;
    bool unavailable = false; ///< the device cannot run it: not a fault
};

/// What stands below a table: each reason why candidates are not available, once and with all of them, in the order of
/// their first; then the faults, one a line.
std::string failures_text(std::span<const BenchFailure> failures);

/// Writes the files, prints table, `source` (a line on how it was measured) and failures. Returns runtime_failure when
/// one of these is a fault. Throws Error.
int finish_bench(const BenchFiles& files, const TextTable& table, const nlohmann::ordered_json& json,
                 const std::string& source, std::span<const BenchFailure> failures);

} // namespace spindrift
