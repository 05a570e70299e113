// What a transform is: its description, the names of its choices, and whether a device can run it.
#pragma once

#include "engine/gl/device.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace spindrift::fft {

/// How the one-dimensional transforms of each axis are computed.
enum class Algorithm {
    cooley_tukey_stages, ///< radix-2 decimation in time, one dispatch per stage, one program for all sizes
    cooley_tukey,        ///< radix-2 decimation in time, one dispatch per axis
    stockham_radix2,     ///< radix-2 Stockham, one dispatch per axis
    stockham_radix4,     ///< radix-4 Stockham, one dispatch per axis; a radix-2 last stage where log2 N is odd
    tuned,               ///< generated kernels of radix 2 to 16 in registers and shared memory, chosen by measuring
    cufft,               ///< NVIDIA's cuFFT on the same memory, through CUDA-GL interop: no kernel of ours
};
/// Those that are shaders of ours, and run wherever OpenGL 4.5 does.
inline constexpr std::array glsl_algorithms{Algorithm::cooley_tukey_stages, Algorithm::cooley_tukey,
                                            Algorithm::stockham_radix2, Algorithm::stockham_radix4, Algorithm::tuned};
inline constexpr std::array all_algorithms{
    Algorithm::cooley_tukey_stages, Algorithm::cooley_tukey, Algorithm::stockham_radix2,
    Algorithm::stockham_radix4,     Algorithm::tuned,        Algorithm::cufft};

/// Sign of the exponent: X(k) = sum over n of x(n) exp(-+ 2 pi i k n / N); minus is forward, plus is inverse.
enum class Direction : std::uint8_t { forward, inverse };
inline constexpr std::array all_directions{Direction::forward, Direction::inverse};

/// Complex numbers per texel: vec2 holds one (re, im), vec4 holds two (re0, im0, re1, im1), transformed side by side.
enum class Packing : std::uint8_t { vec2, vec4 };
inline constexpr std::array all_packings{Packing::vec2, Packing::vec4};

/// Where the data is. image: a 2D array texture, rg32f or rgba32f, N x N x layers; x is the column.
/// buffer: std430 array of vec2 or vec4, element (layer * N + row) * N + column.
enum class Storage : std::uint8_t { image, buffer };
inline constexpr std::array all_storages{Storage::image, Storage::buffer};

/// none: neither direction is normalised. by_n2: the result is multiplied by 1 / N^2 (exact, N is a power of two).
enum class Scaling { none, by_n2 };

/// horizontal transforms along a row (the column index), vertical along a column.
enum class Axis : std::uint8_t { horizontal, vertical };

/// Of the numbers between the two axes: fp16 halves what is written and read there, at an error of about 3e-4.
/// Only `tuned` can; the data itself is always fp32.
enum class Precision : std::uint8_t { fp32, fp16 };
inline constexpr std::array all_precisions{Precision::fp32, Precision::fp16};

inline constexpr int min_size = 16;
inline constexpr int max_size = 2048;     ///< of every algorithm
inline constexpr int largest_size = 4096; ///< of any algorithm
/// The largest size that is tested, and therefore offered, with this algorithm.
constexpr int max_size_of(Algorithm algorithm) noexcept {
    return algorithm == Algorithm::tuned ? largest_size : max_size;
}

/// A batch of two-dimensional N x N complex transforms, in place, natural order in and out.
struct TransformDesc {
    int size = 256; ///< N, a power of two from min_size to max_size_of(algorithm)
    Direction direction = Direction::inverse;
    Algorithm algorithm = Algorithm::stockham_radix4;
    Packing packing = Packing::vec4;
    int layers = 1; ///< images in the batch, all in one dispatch per axis (or per stage)
    Storage storage = Storage::image;
    Scaling scaling = Scaling::none;
    int butterflies_per_invocation = 0; ///< a power of two; 0 = the planner decides
    Precision intermediate = Precision::fp32;

    bool operator==(const TransformDesc&) const = default;
};

/// Names on the command line, in reports and in the panel.
std::string_view to_string(Algorithm algorithm) noexcept;
std::string_view to_string(Direction direction) noexcept;
std::string_view to_string(Packing packing) noexcept;
std::string_view to_string(Storage storage) noexcept;
std::string_view to_string(Scaling scaling) noexcept;
std::string_view to_string(Axis axis) noexcept;
std::string_view to_string(Precision precision) noexcept;

/// The inverse of to_string(); empty when no choice has that name.
std::optional<Algorithm> parse_algorithm(std::string_view name) noexcept;
std::optional<Direction> parse_direction(std::string_view name) noexcept;
std::optional<Packing> parse_packing(std::string_view name) noexcept;
std::optional<Storage> parse_storage(std::string_view name) noexcept;
std::optional<Scaling> parse_scaling(std::string_view name) noexcept;
std::optional<Precision> parse_precision(std::string_view name) noexcept;

/// Complex numbers per texel: 1 or 2.
constexpr int complex_per_texel(Packing packing) noexcept {
    return packing == Packing::vec4 ? 2 : 1;
}

/// Floats of the whole batch, in the order of Texture::upload and of the buffer layout.
constexpr std::size_t float_count(const TransformDesc& desc) noexcept {
    return static_cast<std::size_t>(desc.size) * desc.size * desc.layers * 2 * complex_per_texel(desc.packing);
}
constexpr std::size_t byte_count(const TransformDesc& desc) noexcept {
    return float_count(desc) * sizeof(float);
}

constexpr bool is_power_of_two(int value) noexcept {
    return value > 0 && (value & (value - 1)) == 0;
}

/// A sentence that names the field, its value and the limit when `desc` is invalid or the device cannot run it; empty
/// when it can. A pure function: no context is needed.
std::optional<std::string> why_unavailable(const TransformDesc& desc, const gl::DeviceLimits& limits);

} // namespace spindrift::fft
