// The eight real fields of a frame, in the order in which they are packed in pairs into complex transforms.
#pragma once

#include <array>
#include <string_view>

namespace spindrift::ocean {

/// x and z are the horizontal axes. Pairs of the packing: (0, 1), (2, 3), (4, 5), (6, 7); the first of each pair is the
/// real part after the transform, the second the imaginary part.
enum class Field {
    displacement_x, ///< Dx, m, before the choppiness
    displacement_z, ///< Dz, m
    height,         ///< h, m
    dx_by_dz,       ///< dDx/dz = dDz/dx
    height_by_dx,   ///< dh/dx
    height_by_dz,   ///< dh/dz
    dx_by_dx,       ///< dDx/dx
    dz_by_dz,       ///< dDz/dz
};
inline constexpr int field_count = 8;
inline constexpr std::array<std::string_view, field_count> field_names{"Dx",    "Dz",    "h",      "dDx/dz",
                                                                       "dh/dx", "dh/dz", "dDx/dx", "dDz/dz"};

} // namespace spindrift::ocean
