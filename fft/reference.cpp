#include "fft/reference.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

namespace spindrift::fft::reference {
namespace {

double sign_of(Direction direction) {
    return direction == Direction::forward ? -1.0 : 1.0;
}

/// exp(sign 2 pi i k / length), the angle reduced to an eighth of a turn in integers so that every value is good to the
/// last bit.
Complex root_of_unity(std::size_t k, std::size_t length, double sign) {
    const std::size_t eighth_units = 8 * (k % length); // angle in units of 1 / (8 length) turns, times 8
    const std::size_t octant = eighth_units / length;
    const bool mirrored = octant % 2 == 1;
    const std::size_t within = eighth_units - octant * length;
    const double angle =
        std::numbers::pi / 4.0 * static_cast<double>(mirrored ? length - within : within) / static_cast<double>(length);
    double cosine = std::cos(angle);
    double sine = std::sin(angle);
    if (mirrored) std::swap(cosine, sine);
    switch (octant / 2) {
    case 0:
        return {cosine, sign * sine};
    case 1:
        return {-sine, sign * cosine};
    case 2:
        return {-cosine, -sign * sine};
    default:
        return {sine, -sign * cosine};
    }
}

std::vector<Complex> roots_of_unity(std::size_t length, Direction direction) {
    std::vector<Complex> roots(length);
    for (std::size_t k = 0; k < length; ++k) roots[k] = root_of_unity(k, length, sign_of(direction));
    return roots;
}

/// The even and odd halves, recursively: out of place, strided input, no bit reversal to get wrong.
/// roots: of the whole transform; root_step: whole length / length.
void transform_recursively(const Complex* input, std::size_t stride, Complex* output, std::size_t length,
                           const std::vector<Complex>& roots, std::size_t root_step) {
    if (length == 1) {
        *output = *input;
        return;
    }
    const std::size_t half = length / 2;
    transform_recursively(input, 2 * stride, output, half, roots, 2 * root_step);
    transform_recursively(input + stride, 2 * stride, output + half, half, roots, 2 * root_step);
    for (std::size_t k = 0; k < half; ++k) {
        const Complex& root = roots[k * root_step];
        const Complex odd = output[half + k];
        // Written out: std::complex's operator* checks for NaN and is several times slower.
        const Complex turned{root.real() * odd.real() - root.imag() * odd.imag(),
                             root.real() * odd.imag() + root.imag() * odd.real()};
        const Complex even = output[k];
        output[k] = even + turned;
        output[half + k] = even - turned;
    }
}

void transpose(std::span<Complex> values, std::size_t size) {
    constexpr std::size_t block = 16; // both sides of a block stay in the first-level cache
    for (std::size_t row_block = 0; row_block < size; row_block += block)
        for (std::size_t column_block = row_block; column_block < size; column_block += block)
            for (std::size_t row = row_block; row < std::min(row_block + block, size); ++row)
                for (std::size_t column = std::max(column_block, row + 1);
                     column < std::min(column_block + block, size); ++column)
                    std::swap(values[row * size + column], values[column * size + row]);
}

/// Every `size` values are a row.
void transform_rows(std::span<Complex> values, std::size_t size, const std::vector<Complex>& roots,
                    const std::stop_token& stop = {}) {
    std::vector<Complex> line(size);
    for (std::size_t row = 0; row < values.size() / size && !stop.stop_requested(); ++row) {
        const std::span<Complex> target = values.subspan(row * size, size);
        transform_recursively(target.data(), 1, line.data(), size, roots, 1);
        std::copy(line.begin(), line.end(), target.begin());
    }
}

/// Sums that both norms are made of.
struct ErrorSums {
    double squared_error = 0;
    double squared_reference = 0;
    double largest_squared_error = 0;
    std::size_t count = 0;
    bool finite = true;

    void add(std::span<const Complex> values, std::span<const Complex> reference) {
        assert(values.size() == reference.size());
        for (std::size_t index = 0; index < values.size(); ++index)
            add(std::norm(values[index] - reference[index]), std::norm(reference[index]));
    }

    /// Of one value: the square of its error, and that of what it should be.
    void add(double squared, double squared_expected) {
        finite = finite && std::isfinite(squared);
        squared_error += squared;
        squared_reference += squared_expected;
        largest_squared_error = std::max(largest_squared_error, squared);
        ++count;
    }

    ErrorNorms norms() const {
        constexpr double infinity = std::numeric_limits<double>::infinity();
        if (!finite) return {infinity, infinity};
        if (squared_reference == 0.0) return squared_error == 0.0 ? ErrorNorms{} : ErrorNorms{infinity, infinity};
        const double mean_square = squared_reference / static_cast<double>(count);
        return {std::sqrt(squared_error / squared_reference), std::sqrt(largest_squared_error / mean_square)};
    }
};

std::size_t field_index(const TransformDesc& desc, int layer, int lane, std::size_t element) {
    const auto texels = static_cast<std::size_t>(desc.size) * desc.size;
    const auto lanes = static_cast<std::size_t>(complex_per_texel(desc.packing));
    return ((static_cast<std::size_t>(layer) * texels + element) * lanes + lane) * 2;
}

} // namespace

std::vector<Complex> naive_dft(std::span<const Complex> values, Direction direction) {
    const std::size_t length = values.size();
    const std::vector<Complex> roots = roots_of_unity(length, direction);
    std::vector<Complex> result(length);
    for (std::size_t k = 0; k < length; ++k)
        for (std::size_t n = 0; n < length; ++n) result[k] += values[n] * roots[k * n % length];
    return result;
}

void transform_line(std::span<Complex> values, Direction direction) {
    assert(is_power_of_two(static_cast<int>(values.size())));
    transform_rows(values, values.size(), roots_of_unity(values.size(), direction));
}

void transform_square(std::span<Complex> values, int size, Direction direction, Scaling scaling,
                      const std::stop_token& stop) {
    const auto length = static_cast<std::size_t>(size);
    assert(is_power_of_two(size) && values.size() == length * length);
    const std::vector<Complex> roots = roots_of_unity(length, direction);
    transform_rows(values, length, roots, stop);
    transpose(values, length);
    transform_rows(values, length, roots, stop);
    transpose(values, length);
    if (scaling == Scaling::by_n2)
        for (Complex& value : values) value /= static_cast<double>(values.size());
}

ErrorNorms error_norms(std::span<const Complex> values, std::span<const Complex> reference) {
    ErrorSums sums;
    sums.add(values, reference);
    return sums.norms();
}

ErrorNorms error_norms(std::span<const float> values, std::span<const float> reference) {
    assert(values.size() == reference.size());
    ErrorSums sums;
    for (std::size_t index = 0; index < values.size(); ++index) {
        const double expected = reference[index], error = static_cast<double>(values[index]) - expected;
        sums.add(error * error, expected * expected);
    }
    return sums.norms();
}

std::vector<Complex> extract_field(std::span<const float> texels, const TransformDesc& desc, int layer, int lane) {
    assert(texels.size() == float_count(desc));
    std::vector<Complex> field(static_cast<std::size_t>(desc.size) * desc.size);
    for (std::size_t element = 0; element < field.size(); ++element) {
        const std::size_t index = field_index(desc, layer, lane, element);
        field[element] = {texels[index], texels[index + 1]};
    }
    return field;
}

void insert_field(std::span<float> texels, const TransformDesc& desc, int layer, int lane,
                  std::span<const Complex> field) {
    assert(texels.size() == float_count(desc));
    for (std::size_t element = 0; element < field.size(); ++element) {
        const std::size_t index = field_index(desc, layer, lane, element);
        texels[index] = static_cast<float>(field[element].real());
        texels[index + 1] = static_cast<float>(field[element].imag());
    }
}

std::vector<std::vector<Complex>> transform_batch(std::span<const float> texels, const TransformDesc& desc) {
    std::vector<std::vector<Complex>> fields;
    for (int layer = 0; layer < desc.layers; ++layer)
        for (int lane = 0; lane < complex_per_texel(desc.packing); ++lane) {
            fields.push_back(extract_field(texels, desc, layer, lane));
            transform_square(fields.back(), desc.size, desc.direction, desc.scaling);
        }
    return fields;
}

ErrorNorms batch_error_norms(std::span<const float> texels, const TransformDesc& desc,
                             std::span<const std::vector<Complex>> reference) {
    ErrorSums sums;
    std::size_t field = 0;
    for (int layer = 0; layer < desc.layers; ++layer)
        for (int lane = 0; lane < complex_per_texel(desc.packing); ++lane)
            sums.add(extract_field(texels, desc, layer, lane), reference[field++]);
    return sums.norms();
}

} // namespace spindrift::fft::reference
