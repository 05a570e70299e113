#include "fft/real_pair.h"

#include <cassert>

namespace spindrift::fft {

using Complex = std::complex<double>;

std::vector<Complex> pack_real_pair(std::span<const double> first, std::span<const double> second) {
    assert(first.size() == second.size());
    std::vector<Complex> packed(first.size());
    for (std::size_t index = 0; index < packed.size(); ++index) packed[index] = {first[index], second[index]};
    return packed;
}

std::vector<Complex> pack_spectrum_pair(std::span<const Complex> first, std::span<const Complex> second) {
    assert(first.size() == second.size());
    std::vector<Complex> packed(first.size());
    for (std::size_t index = 0; index < packed.size(); ++index)
        packed[index] = first[index] + Complex(0.0, 1.0) * second[index];
    return packed;
}

std::pair<std::vector<Complex>, std::vector<Complex>> unpack_spectrum_pair(std::span<const Complex> spectrum,
                                                                           int size) {
    const auto length = static_cast<std::size_t>(size);
    assert(spectrum.size() == length * length);
    std::vector<Complex> first(spectrum.size());
    std::vector<Complex> second(spectrum.size());
    for (std::size_t row = 0; row < length; ++row)
        for (std::size_t column = 0; column < length; ++column) {
            const std::size_t mirrored = (length - row) % length * length + (length - column) % length;
            const Complex here = spectrum[row * length + column];
            const Complex there = std::conj(spectrum[mirrored]);
            first[row * length + column] = (here + there) / 2.0;
            second[row * length + column] = (here - there) / Complex(0.0, 2.0);
        }
    return {std::move(first), std::move(second)};
}

} // namespace spindrift::fft
