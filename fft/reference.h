// Transforms on the CPU in double precision, independent of the kernels on the GPU, and the norms that compare the two.
#pragma once

#include "fft/transform.h"

#include <complex>
#include <span>
#include <stop_token>
#include <vector>

namespace spindrift::fft::reference {

using Complex = std::complex<double>;

/// The definition, O(N^2), any length: what the fast transform is checked with. Unnormalised.
std::vector<Complex> naive_dft(std::span<const Complex> values, Direction direction);

/// In place, natural order, unnormalised; the length must be a power of two.
void transform_line(std::span<Complex> values, Direction direction);

/// N x N values, row-major, in place; rows, then columns. by_n2 multiplies the result by 1 / N^2. Once a stop is
/// requested it soon returns, with no result.
void transform_square(std::span<Complex> values, int size, Direction direction, Scaling scaling = Scaling::none,
                      const std::stop_token& stop = {});

struct ErrorNorms {
    double relative_l2 = 0;  ///< ||x - ref|| / ||ref||
    double max_over_rms = 0; ///< max |x - ref| / rms(ref)
};

/// A NaN or an infinity anywhere in `values` makes both norms infinite, so that no comparison with a gate passes.
/// An all-zero reference gives 0 for equal values, else infinity.
ErrorNorms error_norms(std::span<const Complex> values, std::span<const Complex> reference);
ErrorNorms error_norms(std::span<const float> values, std::span<const float> reference);

/// One complex field out of a batch in the layout of TransformDesc (Texture::download, buffer): layer, then which of
/// the texel's complex numbers. And the inverse.
std::vector<Complex> extract_field(std::span<const float> texels, const TransformDesc& desc, int layer, int lane);
void insert_field(std::span<float> texels, const TransformDesc& desc, int layer, int lane,
                  std::span<const Complex> field);

/// Transforms a whole batch in the layout of TransformDesc; the result stays in double, field by field:
/// index layer * complex_per_texel(packing) + lane.
std::vector<std::vector<Complex>> transform_batch(std::span<const float> texels, const TransformDesc& desc);

/// Norms over all fields of a batch together; the worst max, the joint L2.
ErrorNorms batch_error_norms(std::span<const float> texels, const TransformDesc& desc,
                             std::span<const std::vector<Complex>> reference);

} // namespace spindrift::fft::reference
