#include "fft/twiddles.h"

#include <array>
#include <cmath>
#include <numbers>

namespace spindrift::fft {

std::complex<double> root_of_unity(int k, int n) {
    if (n < 4) return k == 0 ? 1.0 : -1.0;
    // Quarter turns are exact, and the angle left over is small where its sine is.
    const int quarter = static_cast<int>(4 * static_cast<long long>(k) / n);
    const int beyond = k - quarter * (n / 4);
    const double angle = 2.0 * std::numbers::pi * beyond / n;
    const double cosine = std::cos(angle);
    const double sine = std::sin(angle);
    const std::array<std::complex<double>, 4> turned{
        {{cosine, -sine}, {-sine, -cosine}, {-cosine, sine}, {sine, cosine}}};
    return turned[static_cast<std::size_t>(quarter)];
}

std::vector<float> twiddle_table(int size) {
    std::vector<float> table;
    table.reserve(static_cast<std::size_t>(size) * 2);
    for (int k = 0; k < size; ++k) {
        const std::complex<double> root = root_of_unity(k, size);
        table.push_back(static_cast<float>(root.real()));
        table.push_back(static_cast<float>(root.imag()));
    }
    return table;
}

} // namespace spindrift::fft
