// Checks transforms on the device at hand against the double-precision reference: the library behind
// `spindrift verify`, the panel's "verify now" and the benchmark, which prints no time of a kernel that is wrong.
#pragma once

#include "engine/gl/program.h"
#include "fft/plan.h"
#include "fft/reference.h"
#include "fft/transform.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace spindrift::fft {

/// Largest relative L2 error of a correct kernel with table twiddles in fp32, at every size up to 2048. Correct ones
/// measure 1.3e-7 to 2.8e-7; a wrong twiddle, lane or barrier is beyond 1e-3.
inline constexpr double fp32_gate = 3e-7;
/// The same with intermediate values in half floats, which measure about 3e-4.
inline constexpr double fp16_gate = 1e-3;
constexpr double gate_of(const TransformDesc& desc) noexcept {
    return desc.intermediate == Precision::fp16 ? fp16_gate : fp32_gate;
}

/// Uniform in [-1, 1), different in every lane, layer and element; the same on every machine for a seed.
std::vector<float> random_input(const TransformDesc& desc, std::uint64_t seed);

struct VerificationResult {
    TransformDesc desc;
    bool fused =
        false; ///< compared with a step by unfused kernels (fused_case.h), not with the double-precision reference
    reference::ErrorNorms norms; ///< infinite when the result has a NaN or the transform could not run
    double gate = fp32_gate;
    bool ok = false;
    std::string failure; ///< what went wrong beside the norm: an exception, a GL error; usually empty

    /// "stockham-radix4 vec4 image inverse 512", or "tuned vec4 image inverse 512 fused"
    std::string variant() const;
    /// One line: "stockham-radix4 vec4 image inverse 512: relative L2 0.52 is above the gate 3e-07".
    std::string describe() const;
};

/// What a transform is checked with. The expected result takes the CPU a while (a second at 2048) and needs no context:
/// a program that must not stop for it makes the case on another thread.
struct VerificationCase {
    TransformDesc desc;
    std::vector<float> input;
    std::vector<std::vector<reference::Complex>> expected; ///< fields as of reference::transform_batch()
};
/// `desc` must be valid (why_unavailable).
VerificationCase make_verification_case(const TransformDesc& desc, std::uint64_t seed = 1);

/// Runs one transform, in a plan of its own, with a scratch full of NaN. Never throws for what the device does wrong.
VerificationResult verify_transform(const VerificationCase& prepared, gl::ProgramLibrary& library,
                                    const gl::DeviceLimits& limits);
/// The same on random input that it makes first.
VerificationResult verify_transform(const TransformDesc& desc, gl::ProgramLibrary& library,
                                    const gl::DeviceLimits& limits, std::uint64_t seed = 1);

/// Which transforms to check; every combination of the lists.
struct VerificationSet {
    std::vector<int> sizes{16, 32, 64, 128, 256, 512};
    std::vector<Algorithm> algorithms{all_algorithms.begin(), all_algorithms.end()};
    std::vector<Packing> packings{all_packings.begin(), all_packings.end()};
    std::vector<Storage> storages{all_storages.begin(), all_storages.end()};
    std::vector<Direction> directions{all_directions.begin(), all_directions.end()};
    int layers = 2;
    std::uint64_t seed = 1;
};

struct UnavailableTransform {
    TransformDesc desc;
    std::string reason;
};

struct VerificationReport {
    std::vector<VerificationResult> results; ///< size by size, ascending as given
    std::vector<UnavailableTransform> unavailable;

    std::size_t failures() const noexcept;
    bool ok() const noexcept { return !results.empty() && failures() == 0; }
};

/// `progress` is called before each transform with the number done, the number of all, and what comes next.
using VerificationProgress = std::function<void(std::size_t done, std::size_t total, const TransformDesc& next)>;

/// What the device cannot run is listed with its reason and is no failure.
VerificationReport verify(const VerificationSet& set, gl::ProgramLibrary& library, const gl::DeviceLimits& limits,
                          const VerificationProgress& progress = {});

} // namespace spindrift::fft
