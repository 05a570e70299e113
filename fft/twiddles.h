// Roots of unity, computed in double: what every kernel's table is rounded from.
#pragma once

#include <complex>
#include <vector>

namespace spindrift::fft {

/// exp(-2 pi i k / n) for 0 <= k < n, n a multiple of 4; n = 2 and 1 are allowed, too.
std::complex<double> root_of_unity(int k, int n);

/// exp(-2 pi i k / size) for k = 0 .. size - 1 as (re, im) pairs, computed in double and rounded to float.
std::vector<float> twiddle_table(int size);

} // namespace spindrift::fft
