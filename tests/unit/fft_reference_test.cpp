// The double-precision reference against the definition and against transforms known in closed form.
#include "fft/plan.h"
#include "fft/real_pair.h"
#include "fft/reference.h"

#include <gtest/gtest.h>
#include <limits>
#include <numbers>
#include <random>

namespace spindrift {
namespace {

namespace reference = fft::reference;
using fft::Direction;
using reference::Complex;

std::vector<Complex> random_values(std::size_t count, unsigned seed) {
    std::mt19937_64 generator(seed);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    std::vector<Complex> values(count);
    for (Complex& value : values) value = {uniform(generator), uniform(generator)};
    return values;
}

/// exp(i angle turns), angle in turns.
Complex phase(double turns) {
    return std::polar(1.0, 2.0 * std::numbers::pi * turns);
}

TEST(FftReference, NaiveTransformIsTheDefinition) {
    // Length 4 by hand: X0 = sum, X1 = x0 - i x1 - x2 + i x3 and so on.
    const std::vector<Complex> x{{1, 2}, {3, -1}, {-2, 0.5}, {0, 4}};
    const Complex i(0, 1);
    const auto forward = reference::naive_dft(x, Direction::forward);
    EXPECT_LT(std::abs(forward[0] - (x[0] + x[1] + x[2] + x[3])), 1e-14);
    EXPECT_LT(std::abs(forward[1] - (x[0] - i * x[1] - x[2] + i * x[3])), 1e-14);
    EXPECT_LT(std::abs(forward[3] - (x[0] + i * x[1] - x[2] - i * x[3])), 1e-14);
    const auto inverse = reference::naive_dft(x, Direction::inverse);
    EXPECT_LT(std::abs(inverse[1] - forward[3]), 1e-14);
    // A length that is no power of two: one wave, one line.
    std::vector<Complex> wave(12);
    for (std::size_t n = 0; n < wave.size(); ++n) wave[n] = phase(5.0 * static_cast<double>(n) / 12.0);
    const auto line = reference::naive_dft(wave, Direction::forward);
    for (std::size_t k = 0; k < line.size(); ++k) EXPECT_LT(std::abs(line[k] - (k == 5 ? 12.0 : 0.0)), 1e-13) << k;
}

TEST(FftReference, FastLineEqualsTheDefinition) {
    for (const std::size_t size : {1U, 2U, 4U, 8U, 16U, 128U, 1024U})
        for (const Direction direction : fft::all_directions) {
            std::vector<Complex> values = random_values(size, static_cast<unsigned>(size));
            const auto expected = reference::naive_dft(values, direction);
            reference::transform_line(values, direction);
            EXPECT_LT(reference::error_norms(values, expected).relative_l2, 1e-14) << size;
        }
}

TEST(FftReference, SquareTransformsOfImpulsesWavesAndConstants) {
    const int size = 32;
    const auto index = [](int column, int row) { return static_cast<std::size_t>(row) * 32 + column; };
    // An impulse at column 1 varies along the columns only: the two axes are not swapped.
    std::vector<Complex> impulse(std::size_t{32} * 32);
    impulse[index(1, 0)] = 1.0;
    reference::transform_square(impulse, size, Direction::forward);
    for (int row = 0; row < size; ++row)
        for (int column = 0; column < size; ++column)
            EXPECT_LT(std::abs(impulse[index(column, row)] - phase(-column / 32.0)), 1e-14);
    // A plane wave with wave numbers (3, -5) is one element.
    std::vector<Complex> wave(std::size_t{32} * 32);
    for (int row = 0; row < size; ++row)
        for (int column = 0; column < size; ++column) wave[index(column, row)] = phase((3 * column - 5 * row) / 32.0);
    reference::transform_square(wave, size, Direction::forward, fft::Scaling::by_n2);
    for (int row = 0; row < size; ++row)
        for (int column = 0; column < size; ++column)
            EXPECT_LT(std::abs(wave[index(column, row)] - (column == 3 && row == 27 ? 1.0 : 0.0)), 1e-14);
}

TEST(FftReference, SquareEqualsRowsThenColumnsOfTheDefinition) {
    const std::size_t size = 16;
    const std::vector<Complex> input = random_values(size * size, 3);
    std::vector<Complex> expected = input;
    for (std::size_t row = 0; row < size; ++row) {
        const auto line = reference::naive_dft(std::span(expected).subspan(row * size, size), Direction::inverse);
        std::copy(line.begin(), line.end(), expected.begin() + static_cast<std::ptrdiff_t>(row * size));
    }
    for (std::size_t column = 0; column < size; ++column) {
        std::vector<Complex> line(size);
        for (std::size_t row = 0; row < size; ++row) line[row] = expected[row * size + column];
        line = reference::naive_dft(line, Direction::inverse);
        for (std::size_t row = 0; row < size; ++row) expected[row * size + column] = line[row];
    }
    std::vector<Complex> values = input;
    reference::transform_square(values, 16, Direction::inverse);
    EXPECT_LT(reference::error_norms(values, expected).relative_l2, 1e-14);
}

TEST(FftReference, ThereAndBackAndParseval) {
    const std::vector<Complex> input = random_values(std::size_t{256} * 256, 9);
    std::vector<Complex> values = input;
    reference::transform_square(values, 256, Direction::forward);
    double before = 0;
    double after = 0;
    for (std::size_t element = 0; element < input.size(); ++element) {
        before += std::norm(input[element]);
        after += std::norm(values[element]);
    }
    EXPECT_NEAR(after / before / (256.0 * 256.0), 1.0, 1e-13);
    reference::transform_square(values, 256, Direction::inverse, fft::Scaling::by_n2);
    EXPECT_LT(reference::error_norms(values, input).relative_l2, 1e-15);
}

TEST(FftReference, NormsMeasureAndRefuseNaN) {
    const std::vector<Complex> expected{{3, 0}, {0, 4}};
    const std::vector<Complex> off{{3, 0}, {0, 4.5}};
    const auto norms = reference::error_norms(off, expected);
    EXPECT_DOUBLE_EQ(norms.relative_l2, 0.1);
    EXPECT_DOUBLE_EQ(norms.max_over_rms, 0.5 / std::sqrt(12.5));
    const std::vector<Complex> poisoned{{3, 0}, {std::numeric_limits<double>::quiet_NaN(), 4}};
    EXPECT_FALSE(reference::error_norms(poisoned, expected).relative_l2 < 1e30);
    EXPECT_FALSE(reference::error_norms(poisoned, expected).max_over_rms < 1e30);
    const std::vector<Complex> zeros(2);
    EXPECT_EQ(reference::error_norms(zeros, zeros).relative_l2, 0.0);
    EXPECT_FALSE(reference::error_norms(off, zeros).relative_l2 < 1e30);
    const std::vector<float> real{3, 4}, off_real{3, 4.5F}, poisoned_real{std::numeric_limits<float>::quiet_NaN(), 4};
    EXPECT_DOUBLE_EQ(reference::error_norms(off_real, real).relative_l2, 0.1);
    EXPECT_DOUBLE_EQ(reference::error_norms(off_real, real).max_over_rms, 0.5 / std::sqrt(12.5));
    EXPECT_FALSE(reference::error_norms(poisoned_real, real).relative_l2 < 1e30);
}

TEST(FftReference, FieldsOfABatchAreWhereTheLayoutSays) {
    const fft::TransformDesc desc{.size = 16, .packing = fft::Packing::vec4, .layers = 3};
    std::vector<float> texels(fft::float_count(desc));
    const std::vector<Complex> field = random_values(256, 4);
    reference::insert_field(texels, desc, 2, 1, field);
    // Layer 2, row 5, column 7, second complex number.
    const std::size_t texel = ((std::size_t{2} * 16 + 5) * 16 + 7) * 4 + 2;
    EXPECT_EQ(texels[texel], static_cast<float>(field[5 * 16 + 7].real()));
    EXPECT_EQ(texels[texel + 1], static_cast<float>(field[5 * 16 + 7].imag()));
    EXPECT_LT(reference::error_norms(reference::extract_field(texels, desc, 2, 1), field).relative_l2, 1e-7);
    for (const Complex& value : reference::extract_field(texels, desc, 2, 0)) EXPECT_EQ(value, Complex{});
}

TEST(FftTwiddles, AreRoundedFromDouble) {
    for (int size = fft::min_size; size <= fft::max_size; size *= 2) {
        const std::vector<float> table = fft::twiddle_table(size);
        ASSERT_EQ(table.size(), 2U * size);
        for (int k = 0; k < size; ++k) {
            const long double angle = -2.0L * std::numbers::pi_v<long double> * k / size;
            // Half a unit in the last place of a float below 1, plus the long double's own rounding near zero.
            EXPECT_NEAR(table[2 * k], static_cast<double>(std::cos(angle)), 0x1p-25 + 1e-12) << size << ' ' << k;
            EXPECT_NEAR(table[2 * k + 1], static_cast<double>(std::sin(angle)), 0x1p-25 + 1e-12) << size << ' ' << k;
        }
        EXPECT_EQ(table[0], 1.0F);
        EXPECT_EQ(table[size / 2], 0.0F); // a quarter turn is exactly -i
        EXPECT_EQ(table[size / 2 + 1], -1.0F);
    }
}

TEST(FftRealPair, PacksTwoRealFieldsAndTakesThemApart) {
    const int size = 32;
    std::mt19937 generator(5);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    std::vector<double> first(std::size_t{32} * 32);
    std::vector<double> second(std::size_t{32} * 32);
    for (double& value : first) value = uniform(generator);
    for (double& value : second) value = uniform(generator);
    const auto spectrum_of = [size](std::span<const double> field) {
        std::vector<Complex> values(field.begin(), field.end());
        reference::transform_square(values, size, Direction::forward);
        return values;
    };
    std::vector<Complex> packed = fft::pack_real_pair(first, second);
    reference::transform_square(packed, size, Direction::forward);
    const auto [first_spectrum, second_spectrum] = fft::unpack_spectrum_pair(packed, size);
    EXPECT_LT(reference::error_norms(first_spectrum, spectrum_of(first)).relative_l2, 1e-14);
    EXPECT_LT(reference::error_norms(second_spectrum, spectrum_of(second)).relative_l2, 1e-14);
    // And the other way: two Hermitian spectra, one inverse transform, two real fields.
    std::vector<Complex> back = fft::pack_spectrum_pair(spectrum_of(first), spectrum_of(second));
    reference::transform_square(back, size, Direction::inverse, fft::Scaling::by_n2);
    for (std::size_t element = 0; element < back.size(); ++element) {
        EXPECT_NEAR(back[element].real(), first[element], 1e-14);
        EXPECT_NEAR(back[element].imag(), second[element], 1e-14);
    }
}

} // namespace
} // namespace spindrift
