// What a step's evolve and assemble are given, the same numbers for the shaders and for the CUDA kernels.
#pragma once

#include "app/ocean/sea_state.h"
#include "app/ocean/spectrum.h"

#include <vector>

namespace spindrift::ocean {

/// Four floats for each cell, in the order of InitialSpectrum: real and imaginary part of h0(k), then of conj(h0(-k)).
void write_evolve_input(const InitialSpectrum& initial, std::vector<float>& result);

/// 2 pi / tile length, rad/m.
float wave_number_step(const SeaState& sea);

struct AssembleFactors {
    float choppiness;     ///< lambda
    float foam_threshold; ///< the Jacobian below which there is foam
    float foam_strength;  ///< coverage gained per unit of J below it; 0 where nothing moves sideways
};
AssembleFactors assemble_factors(const SeaState& sea, const InitialSpectrum& initial);

} // namespace spindrift::ocean
