// Two real fields in one complex transform. With real x1, x2 and y = x1 + i x2 the transform is linear, so
//     Y(k)  = X1(k) + i X2(k)
// and because the spectrum of a real field is Hermitian, X(-k) = conj X(k), the two come apart again:
//     X1(k) = (Y(k) + conj Y(-k)) / 2
//     X2(k) = (Y(k) - conj Y(-k)) / (2 i)
// (Mota 2023, section 2.6, with the factor i that its equations 17 and 18 left out.)
#pragma once

#include <complex>
#include <span>
#include <utility>
#include <vector>

namespace spindrift::fft {

/// y = x1 + i x2, element by element; both of the same length.
std::vector<std::complex<double>> pack_real_pair(std::span<const double> first, std::span<const double> second);

/// Y = X1 + i X2.
std::vector<std::complex<double>> pack_spectrum_pair(std::span<const std::complex<double>> first,
                                                     std::span<const std::complex<double>> second);

/// X1 and X2 out of the N x N spectrum of y, row-major; -k is the element at ((N - row) mod N, (N - column) mod N).
std::pair<std::vector<std::complex<double>>, std::vector<std::complex<double>>>
unpack_spectrum_pair(std::span<const std::complex<double>> spectrum, int size);

} // namespace spindrift::fft
