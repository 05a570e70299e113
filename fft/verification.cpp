#include "fft/verification.h"

#include "engine/error.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace spindrift::fft {
namespace {

using ReferenceFields = std::vector<std::vector<reference::Complex>>;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// A 64-bit mix (the finaliser of Steele, Lea and Flood's SplitMix, 2014): every bit of the counter reaches every bit.
std::uint64_t mixed(std::uint64_t value) {
    value = (value ^ (value >> 30U)) * 0xBF58476D1CE4E5B9U;
    value = (value ^ (value >> 27U)) * 0x94D049BB133111EBU;
    return value ^ (value >> 31U);
}

std::vector<float> execute(Plan& plan, std::span<const float> input) {
    std::vector<float> output(input.size(), std::numeric_limits<float>::quiet_NaN());
    if (plan.desc().storage == Storage::image) {
        gl::Texture data(data_texture_desc(plan.desc()), "fft verification data");
        data.upload(input);
        plan.execute(data);
        data.download(output);
        plan.detach();
    } else {
        gl::Buffer data = gl::Buffer::from(input, "fft verification data");
        plan.execute(data);
        data.download(std::as_writable_bytes(std::span(output)));
        plan.detach();
    }
    return output;
}

VerificationResult check(const TransformDesc& desc, gl::ProgramLibrary& library, const gl::DeviceLimits& limits,
                         std::span<const float> input, const ReferenceFields& expected) {
    VerificationResult result{.desc = desc, .norms = {infinity, infinity}, .gate = gate_of(desc), .failure = {}};
    try {
        Plan plan(desc, library, limits);
        plan.fill_scratch(std::numeric_limits<float>::quiet_NaN());
        const std::vector<float> output = execute(plan, input);
        result.norms = reference::batch_error_norms(output, desc, expected);
        result.failure = gl::drain_errors();
    } catch (const Error& error) {
        result.failure = error.what();
        gl::drain_errors();
    }
    // Exactly zero would mean that nothing was computed: no float transform of random numbers is exact.
    result.ok = result.failure.empty() && result.norms.relative_l2 < result.gate && result.norms.relative_l2 > 0.0;
    return result;
}

} // namespace

std::vector<float> random_input(const TransformDesc& desc, std::uint64_t seed) {
    std::vector<float> input(float_count(desc));
    const std::uint64_t stream = mixed(seed + 0x9E3779B97F4A7C15U);
    std::uint64_t counter = 0;
    // 24 bits: every value is a float without rounding.
    for (float& value : input) value = static_cast<float>(mixed(stream + ++counter) >> 40U) * 0x1p-23F - 1.0F;
    return input;
}

std::string VerificationResult::variant() const {
    return fmt::format("{} {} {} {} {}{}", to_string(desc.algorithm), to_string(desc.packing), to_string(desc.storage),
                       to_string(desc.direction), desc.size, fused ? " fused" : "");
}

std::string VerificationResult::describe() const {
    const std::string what = variant();
    if (!failure.empty()) return fmt::format("{}: {}", what, failure);
    if (norms.relative_l2 == infinity) return fmt::format("{}: the result has values that are no numbers", what);
    if (ok) return fmt::format("{}: relative L2 {:.2g}", what, norms.relative_l2);
    return fmt::format("{}: relative L2 {:.3g} is {} the gate {:g}", what, norms.relative_l2,
                       norms.relative_l2 > 0.0 ? "above" : "zero, not a value below", gate);
}

VerificationCase make_verification_case(const TransformDesc& desc, std::uint64_t seed) {
    VerificationCase prepared{.desc = desc, .input = random_input(desc, seed), .expected = {}};
    prepared.expected = reference::transform_batch(prepared.input, desc);
    return prepared;
}

VerificationResult verify_transform(const VerificationCase& prepared, gl::ProgramLibrary& library,
                                    const gl::DeviceLimits& limits) {
    if (const auto reason = why_unavailable(prepared.desc, limits))
        return {.desc = prepared.desc, .norms = {infinity, infinity}, .failure = *reason};
    return check(prepared.desc, library, limits, prepared.input, prepared.expected);
}

VerificationResult verify_transform(const TransformDesc& desc, gl::ProgramLibrary& library,
                                    const gl::DeviceLimits& limits, std::uint64_t seed) {
    if (const auto reason = why_unavailable(desc, limits))
        return {.desc = desc, .norms = {infinity, infinity}, .failure = *reason};
    return verify_transform(make_verification_case(desc, seed), library, limits);
}

std::size_t VerificationReport::failures() const noexcept {
    return static_cast<std::size_t>(
        std::count_if(results.begin(), results.end(), [](const VerificationResult& result) { return !result.ok; }));
}

VerificationReport verify(const VerificationSet& set, gl::ProgramLibrary& library, const gl::DeviceLimits& limits,
                          const VerificationProgress& progress) {
    VerificationReport report;
    const std::size_t total =
        set.sizes.size() * set.packings.size() * set.directions.size() * set.algorithms.size() * set.storages.size();
    std::size_t done = 0;
    for (const int size : set.sizes)
        for (const Packing packing : set.packings)
            for (const Direction direction : set.directions) {
                // All algorithms and storages share one input and its slow reference.
                TransformDesc desc{.size = size, .direction = direction, .packing = packing, .layers = set.layers};
                std::vector<float> input;
                ReferenceFields expected;
                for (const Algorithm algorithm : set.algorithms)
                    for (const Storage storage : set.storages) {
                        desc.algorithm = algorithm;
                        desc.storage = storage;
                        if (progress) progress(done, total, desc);
                        ++done;
                        if (auto reason = why_unavailable(desc, limits)) {
                            report.unavailable.push_back({desc, std::move(*reason)});
                            continue;
                        }
                        if (input.empty()) {
                            input = random_input(desc, set.seed + static_cast<std::uint64_t>(size));
                            expected = reference::transform_batch(input, desc);
                        }
                        report.results.push_back(check(desc, library, limits, input, expected));
                    }
            }
    return report;
}

} // namespace spindrift::fft
