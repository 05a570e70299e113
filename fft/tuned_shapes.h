// Shapes of tuned kernels that are worth a try: the default of each size, and what a planner varies.
#pragma once

#include "fft/tuned.h"

#include <optional>
#include <vector>

namespace spindrift::fft {

using Radices = std::array<std::uint8_t, KernelParameters::most_stages>;

/// The default kernel with the axis, ends, direction, packing, layers and placement of `fixed`, and at most so many
/// lanes; empty when none fits.
std::optional<KernelParameters> default_kernel(const KernelParameters& fixed, int size, const gl::DeviceLimits& limits,
                                               int most_lanes = 2);

/// Radices for a size with that many points: the largest first, and the other way round. With `all_orders`, all that
/// have no more stages, in every order.
std::vector<Radices> radix_orders(int size, int points, bool all_orders);

} // namespace spindrift::fft
