#include "app/panel/histogram.h"

#include <gtest/gtest.h>
#include <limits>

namespace spindrift {
namespace {

TEST(Histogram, CountsEverySampleOnce) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const std::vector<double> samples{0.0, 4.9, 5.0, 9.99, 10.0, 19.9, -3.0, 20.0, 1e9, nan};
    EXPECT_EQ(histogram(samples, 0.0, 20.0, 4), (std::vector<std::size_t>{3, 2, 1, 3}));
    EXPECT_EQ(histogram({}, 0.0, 1.0, 2), (std::vector<std::size_t>{0, 0}));
    EXPECT_EQ(histogram(samples, 0.0, 20.0, 1), (std::vector<std::size_t>{9}));
}

} // namespace
} // namespace spindrift
