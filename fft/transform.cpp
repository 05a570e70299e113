#include "fft/transform.h"

#include "fft/planner.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace spindrift::fft {
namespace {

template <class Choice, std::size_t Count>
using NameTable = std::array<std::pair<Choice, std::string_view>, Count>;

constexpr NameTable<Algorithm, all_algorithms.size()> algorithm_names{{
    {Algorithm::cooley_tukey_stages, "cooley-tukey-stages"},
    {Algorithm::cooley_tukey, "cooley-tukey"},
    {Algorithm::stockham_radix2, "stockham-radix2"},
    {Algorithm::stockham_radix4, "stockham-radix4"},
    {Algorithm::tuned, "tuned"},
    {Algorithm::cufft, "cufft"},
}};
constexpr NameTable<Direction, 2> direction_names{{{Direction::forward, "forward"}, {Direction::inverse, "inverse"}}};
constexpr NameTable<Packing, 2> packing_names{{{Packing::vec2, "vec2"}, {Packing::vec4, "vec4"}}};
constexpr NameTable<Storage, 2> storage_names{{{Storage::image, "image"}, {Storage::buffer, "buffer"}}};
constexpr NameTable<Scaling, 2> scaling_names{{{Scaling::none, "none"}, {Scaling::by_n2, "by_n2"}}};
constexpr NameTable<Precision, 2> precision_names{{{Precision::fp32, "fp32"}, {Precision::fp16, "fp16"}}};
constexpr NameTable<Axis, 2> axis_names{{{Axis::horizontal, "horizontal"}, {Axis::vertical, "vertical"}}};

template <class Choice, std::size_t Count>
std::string_view name_of(const NameTable<Choice, Count>& table, Choice choice) noexcept {
    for (const auto& [entry, name] : table)
        if (entry == choice) return name;
    return "unknown";
}

template <class Choice, std::size_t Count>
std::optional<Choice> choice_of(const NameTable<Choice, Count>& table, std::string_view name) noexcept {
    for (const auto& [choice, entry] : table)
        if (entry == name) return choice;
    return std::nullopt;
}

/// What is wrong whatever the device.
std::optional<std::string> why_invalid(const TransformDesc& desc) {
    const int largest = max_size_of(desc.algorithm);
    if (desc.size < min_size || desc.size > largest || !is_power_of_two(desc.size))
        return fmt::format("size is {}; it must be a power of two from {} to {}", desc.size, min_size, largest);
    if (desc.layers < 1) return fmt::format("layers is {}; it must be at least 1", desc.layers);
    if (desc.intermediate != Precision::fp32 && desc.algorithm != Algorithm::tuned)
        return fmt::format("intermediate is {}; {} keeps its intermediate values in fp32", to_string(desc.intermediate),
                           to_string(desc.algorithm));
    return std::nullopt;
}

std::optional<std::string> why_storage_too_small(const TransformDesc& desc, const gl::DeviceLimits& limits) {
    if (desc.storage == Storage::image) {
        if (desc.size > limits.max_texture_size)
            return fmt::format("size is {}; this device's textures end at {}", desc.size, limits.max_texture_size);
        if (desc.layers > limits.max_array_layers)
            return fmt::format("layers is {}; this device's array textures end at {} layers", desc.layers,
                               limits.max_array_layers);
    } else if (byte_count(desc) > limits.max_storage_block_bytes) {
        return fmt::format("size {} with {} layers of {} needs a buffer of {} bytes; this device's storage blocks end "
                           "at {} bytes",
                           desc.size, desc.layers, to_string(desc.packing), byte_count(desc),
                           limits.max_storage_block_bytes);
    }
    return std::nullopt;
}

std::optional<std::string> why_no_cufft(const TransformDesc& desc, const gl::DeviceLimits& limits) {
    if (!limits.cuda.available) return limits.cuda.reason;
    if (desc.butterflies_per_invocation != 0)
        return fmt::format("butterflies_per_invocation is {}; cuFFT chooses its own", desc.butterflies_per_invocation);
    return std::nullopt;
}

std::optional<std::string> why_dispatch_too_large(const TransformDesc& desc, const gl::DeviceLimits& limits) {
    if (desc.layers > limits.max_group_count[2])
        return fmt::format("layers is {}; this device dispatches at most {} work groups along z", desc.layers,
                           limits.max_group_count[2]);
    if (desc.size > limits.max_group_count[0])
        return fmt::format("size is {}; this device dispatches at most {} work groups along x", desc.size,
                           limits.max_group_count[0]);
    return std::nullopt;
}

} // namespace

std::string_view to_string(Algorithm algorithm) noexcept {
    return name_of(algorithm_names, algorithm);
}
std::string_view to_string(Direction direction) noexcept {
    return name_of(direction_names, direction);
}
std::string_view to_string(Packing packing) noexcept {
    return name_of(packing_names, packing);
}
std::string_view to_string(Storage storage) noexcept {
    return name_of(storage_names, storage);
}
std::string_view to_string(Scaling scaling) noexcept {
    return name_of(scaling_names, scaling);
}
std::string_view to_string(Axis axis) noexcept {
    return name_of(axis_names, axis);
}
std::string_view to_string(Precision precision) noexcept {
    return name_of(precision_names, precision);
}

std::optional<Algorithm> parse_algorithm(std::string_view name) noexcept {
    return choice_of(algorithm_names, name);
}
std::optional<Direction> parse_direction(std::string_view name) noexcept {
    return choice_of(direction_names, name);
}
std::optional<Packing> parse_packing(std::string_view name) noexcept {
    return choice_of(packing_names, name);
}
std::optional<Storage> parse_storage(std::string_view name) noexcept {
    return choice_of(storage_names, name);
}
std::optional<Scaling> parse_scaling(std::string_view name) noexcept {
    return choice_of(scaling_names, name);
}
std::optional<Precision> parse_precision(std::string_view name) noexcept {
    return choice_of(precision_names, name);
}

std::optional<std::string> why_unavailable(const TransformDesc& desc, const gl::DeviceLimits& limits) {
    if (auto reason = why_invalid(desc)) return reason;
    if (auto reason = why_storage_too_small(desc, limits)) return reason;
    if (desc.algorithm == Algorithm::cufft) return why_no_cufft(desc, limits);
    if (auto reason = why_dispatch_too_large(desc, limits)) return reason;
    return why_no_work_group(desc, limits);
}

} // namespace spindrift::fft
