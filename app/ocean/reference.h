// The ocean in double precision on the CPU: what the GPU's must equal. Slow and plain on purpose.
#pragma once

#include "app/ocean/fields.h"
#include "app/ocean/spectrum.h"

#include <array>
#include <vector>

namespace spindrift::ocean {

/// size x size values for each Field, row-major: index = j * size + i is the point x = i L / size, z = j L / size.
using ReferenceFields = std::array<std::vector<double>, field_count>;

/// The fields at `time` seconds. Each of the eight is transformed by itself, so that faults of the packing show.
ReferenceFields reference_fields(const InitialSpectrum& initial, double time);

/// One field only.
std::vector<double> reference_field(const InitialSpectrum& initial, double time, Field field);

/// A point of the surface as `assemble` computes it.
struct ReferencePoint {
    double x, height, z; ///< displacement with choppiness, m
    double jacobian;
    double slope_x, slope_z; ///< -N.x / N.y and -N.z / N.y of the exact normal, without bounds
};
ReferencePoint reference_point(const ReferenceFields& fields, std::size_t index, double choppiness);

} // namespace spindrift::ocean
