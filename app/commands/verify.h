// `spindrift verify`: every transform that this device can run, against the double-precision reference.
#pragma once

#include "engine/gl/device.h"
#include "fft/verification.h"

#include <nlohmann/json.hpp>
#include <string>

namespace spindrift {

struct VerifySettings {
    fft::VerificationSet set;
    std::string json_file;  ///< empty = none
    std::string shader_dir; ///< empty = the embedded shaders
};

/// Runs in a headless context; prints a table to standard output, progress to standard error when that is a terminal.
/// Returns runtime_failure when any transform fails, and names each. Throws Error.
int run_verify(const VerifySettings& settings);

/// Schema "spindrift.verify/1": gpu, gate, results, unavailable. Norms that are not finite are null.
nlohmann::ordered_json verification_json(const fft::VerificationReport& report, const gl::DeviceInfo& device);

/// One row for each algorithm, packing, storage and direction; one column for each size.
std::string verification_table(const fft::VerificationReport& report);

/// "16,64,256" -> sizes in ascending order, once each. Throws Error(usage) that names `flag`, the value and the limit.
std::vector<int> parse_sizes(const std::string& text, const std::string& flag);

/// Throws Error(usage) when `algorithm` cannot keep what lies between rows and columns so: half floats are of `tuned`.
void check_intermediate(fft::Algorithm algorithm, fft::Precision intermediate);

/// A whole number from `least` to `most`. Throws Error(usage) that names `flag`, the value and the limits.
int parse_integer(const std::string& flag, const std::string& text, int least, int most);

} // namespace spindrift
