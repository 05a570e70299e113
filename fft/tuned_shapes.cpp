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

bool is_in_buffer(const KernelParameters& kernel) {
    return kernel.source.storage == Storage::buffer || kernel.target.storage == Storage::buffer;
}

/// A CPU keeps all registers of a work group in memory across a barrier: few barriers and many points are fast, as far
/// as its compiler gets through their text in reasonable time.
int preferred_points_on_software(const KernelParameters& fixed, int size) {
    return size <= 256 && fixed.layers == 1 ? 16 : 8;
}

/// Two invocations may share a vec4: only buffers can be written by halves.
bool can_share(const KernelParameters& kernel) {
    return kernel.packing == Packing::vec4 && kernel.layers == 1 && kernel.source.storage == Storage::buffer &&
           kernel.target.storage == Storage::buffer;
}

bool is_column_in_place(const KernelParameters& kernel) {
    return kernel.axis == Axis::vertical && kernel.placement == Placement::in_place && is_in_buffer(kernel);
}

/// Rows whose vec4 two invocations may share.
bool is_shared_row_in_place(const KernelParameters& kernel) {
    return kernel.axis == Axis::horizontal && kernel.placement == Placement::in_place && can_share(kernel);
}

/// The fastest shapes of these sizes, or within a few percent of them, among those that were measured on an NVIDIA H200
/// (NOTES.md). Few points where a line is short and latency rules, many where shared memory does; two layers in
/// registers are twice as many numbers, and beyond 8 points they would spill.
int preferred_points(const KernelParameters& fixed, int size) {
    if (size < 256) return 4;
    if (fixed.layer_lanes > 1) return size == 256 ? 4 : 8;
    if (size == 256) return can_share(fixed) ? 8 : 4;
    if ((size == 512 || size == 1024) && fixed.layers > 1) return 4;
    if (size == 2048 && is_shared_row_in_place(fixed)) return 8;
    return size <= 1024 || fixed.layers > 1 ? 8 : 16;
}

int preferred_lanes(const KernelParameters& fixed, int size) {
    if (!can_share(fixed)) return 1;
    if (size <= 256) return 2;
    if (size == 512) return fixed.axis == Axis::horizontal && fixed.layer_lanes == 1 ? 2 : 1;
    return size == 1024 && is_shared_row_in_place(fixed) ? 2 : 1;
}

Twiddles preferred_twiddles(const KernelParameters& fixed, int size) {
    const bool fused_columns = fixed.layers > 1 && fixed.axis == Axis::vertical;
    const int largest = fused_columns ? 1024 : 2048;
    const bool pays = (fixed.layers == 1 || fused_columns) && size >= 512 && size <= largest;
    return pays ? Twiddles::products : Twiddles::table;
}

/// Twiddles that are loaded early occupy registers.
bool prefers_early_twiddles(const KernelParameters& shape) {
    return shape.points <= 8 || (shape.size() == 2048 && is_column_in_place(shape));
}

/// Lines for a work group of at least a warp; and for columns in a buffer pieces of 64 bytes in each row: of 16 or 32,
/// a pass that only copies takes two to five times as long at 1024 and 2048.
int preferred_lines(const KernelParameters& shape) {
    constexpr int least_invocations = 32;
    int lines = std::max(1, least_invocations / (shape.size() / shape.points * shape.lanes));
    if (shape.axis == Axis::vertical && is_in_buffer(shape)) {
        // Larger groups of two layers from 1024 on cost more than the longer pieces gain.
        const bool few =
            shape.layer_lanes > 1 ? shape.size() == 256 && shape.lanes == 2 : shape.layers > 1 && shape.size() >= 1024;
        lines = std::max(lines, few ? 2 : 4);
    } else if (shape.lanes == 2 ? shape.size() == 256 : shape.layer_lanes > 1) {
        lines = std::max(lines, 2);
    }
    return std::min(lines, shape.size());
}

int preferred_components(const KernelParameters& shape) {
    const int width = 2 * complex_per_texel(shape.packing) / shape.lanes;
    if (shape.size() <= 256 || (shape.size() == 512 && shape.layers > 1)) return width;
    const bool in_large_groups = shape.size() == 2048 || (shape.size() == 1024 && is_column_in_place(shape));
    return shape.lanes == 2 || (shape.layers == 1 && in_large_groups) ? 1 : 2;
}

/// From the preferred shape to ones that need fewer invocations and less shared memory; lines are given up last, and
/// what is exchanged at once first.
std::vector<KernelParameters> default_shapes(const KernelParameters& fixed, int size, bool software, int most_lanes) {
    std::vector<KernelParameters> shapes;
    const int first_points = software ? preferred_points_on_software(fixed, size) : preferred_points(fixed, size);
    for (int points = first_points; points <= most_points; points *= 2) {
        KernelParameters shape = fixed;
        shape.padded = 1;
        shape.points = static_cast<std::uint8_t>(points);
        shape.radices = default_radices(size, points);
        shape.lanes = static_cast<std::uint8_t>(software ? 1 : std::min(preferred_lanes(fixed, size), most_lanes));
        if (!software) shape.twiddles = preferred_twiddles(fixed, size);
        shape.early_twiddles = prefers_early_twiddles(shape) ? 1 : 0;
        for (int lines = preferred_lines(shape); lines >= 1; lines /= 2)
            for (int components = preferred_components(shape); components >= 1; components /= 2) {
                shape.lines = static_cast<std::uint8_t>(lines);
                shape.exchange_components = static_cast<std::uint8_t>(components);
                shapes.push_back(shape);
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

std::optional<KernelParameters> default_kernel(const KernelParameters& fixed, int size, const gl::DeviceLimits& limits,
                                               int most_lanes) {
    for (const KernelParameters& shape : default_shapes(fixed, size, limits.software_renderer, most_lanes))
        if (!why_no_kernel(shape, limits)) return shape;
    return std::nullopt;
}

std::optional<TunedSchedule> default_schedule(const TransformDesc& desc, const gl::DeviceLimits& limits) {
    const KernelEnd data = data_end(desc);
    KernelEnd between = data;
    between.precision = desc.intermediate;
    // In place where that is possible: half of the memory, more of which stays in a cache. But where elements of a
    // column of a buffer lie this far apart, it is read faster from an image, whose memory is arranged in blocks.
    constexpr int image_pays_from = 4096;
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
