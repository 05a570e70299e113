#include "fft/tuned_shapes.h"

#include "fft/planner.h"

#include <algorithm>

namespace spindrift::fft {
namespace {

constexpr int most_points = 16;

/// Radices of the default kernels, large ones first: every stage less is an exchange less.
Radices default_radices(int size, int points) {
    Radices radices{};
    std::size_t stage = 0;
    int left = size;
    while (left > 1) {
        const int radix = std::min(left, points);
        radices[stage++] = static_cast<std::uint8_t>(radix);
        left /= radix;
    }
    return radices;
}

/// Points of an invocation: few where a line is short and latency rules, many where shared memory does. Measured on an
/// NVIDIA H200 by hand-written kernels: 4 up to 256, 8 at 512 and 1024, 16 at 2048.
int default_points(int size) {
    if (size <= 256) return 4;
    return size <= 1024 ? 8 : 16;
}

/// Lines for a work group of at least a warp, and for a column in a buffer pieces of at least 32 bytes in each row.
int default_lines(const KernelParameters& parameters) {
    constexpr int least_invocations = 32;
    const int invocations = parameters.size() / parameters.points;
    int lines = std::max(1, least_invocations / invocations);
    const bool in_buffer = parameters.source.storage == Storage::buffer || parameters.target.storage == Storage::buffer;
    if (parameters.axis == Axis::vertical && in_buffer) lines = std::max(lines, parameters.size() >= 2048 ? 4 : 2);
    return std::min(lines, parameters.size());
}

/// From the preferred shape to ones that need fewer invocations and less shared memory.
std::vector<KernelParameters> default_shapes(const KernelParameters& fixed, int size) {
    std::vector<KernelParameters> shapes;
    // Two layers in registers are twice as many numbers: beyond 8 points they would spill.
    const int first_points = fixed.layers > 1 ? std::min(default_points(size), 8) : default_points(size);
    for (int points = first_points; points <= most_points; points *= 2) {
        for (int components = size <= 256 ? 2 * complex_per_texel(fixed.packing) : 2; components >= 1;
             components /= 2) {
            KernelParameters shape = fixed;
            shape.points = static_cast<std::uint8_t>(points);
            shape.radices = default_radices(size, points);
            shape.exchange_components = static_cast<std::uint8_t>(components);
            shape.padding_shift = padding_for(components);
            for (int lines = default_lines(shape); lines >= 1; lines /= 2) {
                shape.lines = static_cast<std::uint8_t>(lines);
                shapes.push_back(shape);
            }
        }
    }
    return shapes;
}

void add_radix_orders(int left, int points, std::size_t stages, Radices& radices, std::size_t stage,
                      std::vector<Radices>& found) {
    if (left == 1) {
        found.push_back(radices);
        return;
    }
    if (stage == stages) return;
    for (const int radix : {16, 8, 4, 2})
        if (radix <= points && left % radix == 0) {
            radices[stage] = static_cast<std::uint8_t>(radix);
            add_radix_orders(left / radix, points, stages, radices, stage + 1, found);
            radices[stage] = 0;
        }
}

} // namespace

std::uint8_t padding_for(int exchange_components) noexcept {
    return static_cast<std::uint8_t>(5 - log2_exact(exchange_components));
}

std::vector<Radices> radix_orders(int size, int points, bool all_orders) {
    const Radices descending = default_radices(size, points);
    const auto stages = std::find(descending.begin(), descending.end(), 0) - descending.begin();
    if (all_orders) {
        std::vector<Radices> found;
        Radices radices{};
        add_radix_orders(size, points, static_cast<std::size_t>(stages), radices, 0, found);
        return found;
    }
    std::vector<Radices> found{descending};
    Radices ascending = descending;
    std::reverse(ascending.begin(), ascending.begin() + stages);
    if (ascending != descending) found.push_back(ascending);
    return found;
}

std::optional<KernelParameters> default_kernel(const KernelParameters& fixed, int size,
                                               const gl::DeviceLimits& limits) {
    for (const KernelParameters& shape : default_shapes(fixed, size))
        if (!why_no_kernel(shape, limits)) return shape;
    return std::nullopt;
}

std::optional<TunedSchedule> default_schedule(const TransformDesc& desc, const gl::DeviceLimits& limits) {
    const KernelEnd data = data_end(desc);
    KernelEnd between = data;
    between.precision = desc.intermediate;
    // Columns of a buffer cost more the longer the row; from here on the detour through an image is shorter.
    constexpr int image_pays_from = 256;
    if (desc.size >= image_pays_from && desc.size <= limits.max_texture_size && desc.layers <= limits.max_array_layers)
        between.storage = Storage::image;
    KernelParameters rows = kernel_for(desc, Axis::horizontal, data, between);
    KernelParameters columns = kernel_for(desc, Axis::vertical, between, data);
    if (between == data) rows.placement = columns.placement = Placement::in_place;
    const auto fitting_rows = default_kernel(rows, desc.size, limits);
    const auto fitting_columns = default_kernel(columns, desc.size, limits);
    if (!fitting_rows || !fitting_columns) return std::nullopt;
    return TunedSchedule{*fitting_rows, *fitting_columns};
}

} // namespace spindrift::fft
