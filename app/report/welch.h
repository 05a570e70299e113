// Whether the means of two small samples differ by more than chance.
//
// Welch's t-test, which allows unequal variances: B. L. Welch, "The generalization of 'Student's' problem when several
// different population variances are involved", Biometrika 34 (1947). The samples must be independent: medians of
// repeated runs are, frames of one run are not.
#pragma once

#include <span>

namespace spindrift::report {

/// Of no values: NaN.
double mean(std::span<const double> values);
/// Divided by n - 1; of fewer than two values: NaN.
double sample_variance(std::span<const double> values);

/// Probability that a variable with Student's t distribution lies outside [-t, t]: the regularised incomplete beta
/// function I_x(d / 2, 1 / 2) at x = d / (d + t^2), by its continued fraction (NIST DLMF 8.17.22).
/// `degrees` need not be whole and is at least 1.
double student_two_sided(double t, double degrees);
/// The t for which student_two_sided() is `probability`, which lies between 0 and 1, both excluded.
double student_quantile(double probability, double degrees);

struct WelchResult {
    double difference = 0.0;      ///< mean of b - mean of a
    double low = 0.0, high = 0.0; ///< 95 % confidence interval of the difference
    double degrees = 0.0;         ///< Welch and Satterthwaite's; infinite where neither sample varies
    double p = 1.0;               ///< two-sided, of "the means are equal"
};
/// Both samples need at least two values.
WelchResult welch(std::span<const double> a, std::span<const double> b);

} // namespace spindrift::report
