// The statistics of comparisons against closed forms and tables.
#include "app/report/welch.h"

#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <numbers>
#include <vector>

namespace spindrift::report {
namespace {

TEST(Welch, StudentsDistributionHasItsClosedForms) {
    for (const double t : {0.0, 0.1, 0.5, 1.0, 2.0, 5.0, 40.0}) {
        EXPECT_NEAR(student_two_sided(t, 1.0), 1.0 - 2.0 / std::numbers::pi * std::atan(t), 1e-13) << t;
        EXPECT_NEAR(student_two_sided(t, 2.0), 1.0 - t / std::sqrt(2.0 + t * t), 1e-13) << t;
        const double s = t * t / (4.0 + t * t);
        EXPECT_NEAR(student_two_sided(t, 4.0), 1.0 - std::sqrt(s) * (1.5 - 0.5 * s), 1e-13) << t;
        EXPECT_DOUBLE_EQ(student_two_sided(-t, 3.5), student_two_sided(t, 3.5));
    }
    EXPECT_NEAR(student_two_sided(1.959963985, 1e7), 0.05, 1e-7) << "nearly the normal distribution";
}

TEST(Welch, QuantilesAreThoseOfThePrintedTable) {
    // NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2: two-sided 5 %.
    for (const auto& [degrees, t] : {std::pair{1.0, 12.706}, {2.0, 4.303}, {4.0, 2.776}, {10.0, 2.228}, {30.0, 2.042}})
        EXPECT_NEAR(student_quantile(0.05, degrees), t, 5e-4) << degrees;
    EXPECT_NEAR(student_quantile(0.01, 3.0), 5.841, 5e-4);
}

TEST(Welch, WorkedOutByHand) {
    // a: mean 2, variance 1; b: mean 6, variance 4. Standard error sqrt(1/3 + 4/3) = 1.2910; t = 3.0984; degrees
    // (5/3)^2 / ((1/3)^2 / 2 + (4/3)^2 / 2) = (25/9) / (17/18) = 50/17.
    const std::array a{1.0, 2.0, 3.0}, b{4.0, 6.0, 8.0};
    const WelchResult result = welch(a, b);
    EXPECT_DOUBLE_EQ(result.difference, 4.0);
    EXPECT_NEAR(result.degrees, 50.0 / 17.0, 1e-12);
    const double half = student_quantile(0.05, 50.0 / 17.0) * std::sqrt(5.0 / 3.0);
    EXPECT_NEAR(result.low, 4.0 - half, 1e-12);
    EXPECT_NEAR(result.high, 4.0 + half, 1e-12);
    EXPECT_LT(result.low, 0.0);
    EXPECT_NEAR(result.p, student_two_sided(4.0 / std::sqrt(5.0 / 3.0), 50.0 / 17.0), 1e-12);
    EXPECT_GT(result.p, 0.05) << "as the interval, which contains zero, says";
}

TEST(Welch, TheIntervalHoldsZeroJustWhenPIsAboveFivePercent) {
    for (int shift = 0; shift < 200; ++shift) {
        const std::vector<double> a{1.0, 1.3, 0.9, 1.1}, b{1.0 + 0.01 * shift, 1.05 + 0.01 * shift, 0.8 + 0.01 * shift};
        const WelchResult result = welch(a, b);
        EXPECT_EQ(result.low > 0.0 || result.high < 0.0, result.p < 0.05) << shift;
    }
}

TEST(Welch, SamplesThatDoNotVary) {
    const std::array a{2.0, 2.0}, b{3.0, 3.0};
    EXPECT_DOUBLE_EQ(welch(a, b).p, 0.0);
    EXPECT_DOUBLE_EQ(welch(a, b).low, 1.0);
    EXPECT_DOUBLE_EQ(welch(a, a).p, 1.0);
    for (const double scale : {1e200, 1e308}) {
        const std::array near{1.0 * scale, 1.5 * scale}, far{1.1 * scale, 1.7 * scale};
        EXPECT_FALSE(welch(near, far).p < 0.05) << "times beyond what squares can hold are no difference";
    }
    EXPECT_TRUE(std::isnan(sample_variance(std::array{1.0})));
    EXPECT_TRUE(std::isnan(mean({})));
}

} // namespace
} // namespace spindrift::report
