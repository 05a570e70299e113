#include "app/ocean/step_input.h"

#include <cmath>

namespace spindrift::ocean {

void write_evolve_input(const InitialSpectrum& initial, std::vector<float>& result) {
    const auto edge = static_cast<std::size_t>(initial.size);
    result.resize(edge * edge * 4);
    for (std::size_t row = 0; row < edge; ++row)
        for (std::size_t column = 0; column < edge; ++column) {
            const std::size_t cell = row * edge + column;
            const std::complex<double> along = initial.h0[cell];
            const std::complex<double> against = initial.h0[(edge - row) % edge * edge + (edge - column) % edge];
            result[4 * cell] = static_cast<float>(along.real());
            result[4 * cell + 1] = static_cast<float>(along.imag());
            result[4 * cell + 2] = static_cast<float>(against.real());
            result[4 * cell + 3] = static_cast<float>(-against.imag());
        }
}

float wave_number_step(const SeaState& sea) {
    return static_cast<float>(2 * pi / sea.tile_length);
}

AssembleFactors assemble_factors(const SeaState& sea, const InitialSpectrum& initial) {
    const double deviation = sea.choppiness * std::sqrt(initial.slope_variance);
    return {.choppiness = static_cast<float>(sea.choppiness),
            .foam_threshold = static_cast<float>(foam_threshold(sea, initial)),
            .foam_strength = deviation > 0 ? static_cast<float>(sea.foam_strength / deviation) : 0.0F};
}

} // namespace spindrift::ocean
