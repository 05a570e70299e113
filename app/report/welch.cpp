#include "app/report/welch.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>

namespace spindrift::report {
namespace {

constexpr double tiny = 1e-300; // stands for zero where the continued fraction divides

double away_from_zero(double value) {
    return std::abs(value) < tiny ? tiny : value;
}

/// The continued fraction of I_x(a, b), evaluated from the front (W. J. Lentz, 1976). Converges fast for
/// x < (a + 1) / (a + b + 2).
double beta_fraction(double x, double a, double b) {
    double numerator = 1.0;
    double denominator = 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0));
    double value = denominator;
    for (int m = 1; m < 500; ++m) {
        const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        double step = 1.0;
        for (const double coefficient : {even, odd}) {
            denominator = 1.0 / away_from_zero(1.0 + coefficient * denominator);
            numerator = away_from_zero(1.0 + coefficient / numerator);
            step = denominator * numerator;
            value *= step;
        }
        if (std::abs(step - 1.0) < 1e-15) break;
    }
    return value;
}

double incomplete_beta(double x, double a, double b) {
    if (x <= 0.0) return 0.0;
    if (x >= 1.0) return 1.0;
    const double logarithm =
        std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x);
    const double factor = std::exp(logarithm);
    if (x < (a + 1.0) / (a + b + 2.0)) return factor * beta_fraction(x, a, b) / a;
    return 1.0 - factor * beta_fraction(1.0 - x, b, a) / b;
}

} // namespace

double mean(std::span<const double> values) {
    if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double sample_variance(std::span<const double> values) {
    if (values.size() < 2) return std::numeric_limits<double>::quiet_NaN();
    const double centre = mean(values);
    double squares = 0.0;
    for (const double value : values) squares += (value - centre) * (value - centre);
    return squares / static_cast<double>(values.size() - 1);
}

double student_two_sided(double t, double degrees) {
    assert(degrees >= 1.0);
    if (std::isinf(t)) return 0.0;
    return incomplete_beta(degrees / (degrees + t * t), 0.5 * degrees, 0.5);
}

double student_quantile(double probability, double degrees) {
    assert(probability > 0.0 && probability < 1.0);
    double low = 0.0, high = 1.0;
    while (student_two_sided(high, degrees) > probability) high *= 2.0;
    for (int step = 0; step < 200 && high - low > 1e-12 * high; ++step) {
        const double middle = 0.5 * (low + high);
        (student_two_sided(middle, degrees) > probability ? low : high) = middle;
    }
    return 0.5 * (low + high);
}

WelchResult welch(std::span<const double> a, std::span<const double> b) {
    assert(a.size() >= 2 && b.size() >= 2);
    WelchResult result;
    result.difference = mean(b) - mean(a);
    const auto size_a = static_cast<double>(a.size()), size_b = static_cast<double>(b.size());
    const double from_a = sample_variance(a) / size_a, from_b = sample_variance(b) / size_b;
    const double variance = from_a + from_b;
    if (variance <= 0.0) {
        result.low = result.high = result.difference;
        result.degrees = std::numeric_limits<double>::infinity();
        result.p = result.difference == 0.0 ? 1.0 : 0.0;
        return result;
    }
    result.degrees = variance * variance / (from_a * from_a / (size_a - 1.0) + from_b * from_b / (size_b - 1.0));
    // Squares of absurdly large or small times leave the range of double: then the widest interval. Rounding can leave
    // the smallest possible value, 1, too.
    result.degrees = std::isfinite(result.degrees) ? std::max(1.0, result.degrees) : 1.0;
    const double error = std::sqrt(variance);
    const double half = student_quantile(0.05, result.degrees) * error;
    result.low = result.difference - half;
    result.high = result.difference + half;
    result.p = student_two_sided(result.difference / error, result.degrees);
    return result;
}

} // namespace spindrift::report
