// Order statistics of measured times. Pure functions: no clock, no GPU.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace spindrift::profiler {

inline constexpr double not_available = std::numeric_limits<double>::quiet_NaN();

/// Six numbers of a set of samples, in the samples' own unit; all NaN when `count` is 0.
struct Summary {
    double median = not_available;
    double p95 = not_available;
    double p99 = not_available;
    double p999 = not_available; ///< the 99.9th percentile
    double min = not_available;
    double max = not_available;
    std::size_t count = 0; ///< samples used: finite ones
};

/// The value below which the fraction `rank` (0 to 1) of the samples lies.
/// Definition: linear interpolation between the two closest ranks, Hyndman and Fan (1996) type 7, which is the default
/// of NumPy, R and spreadsheets: with samples x[0] <= ... <= x[n-1] and position p = rank * (n - 1), the value is
/// x[floor p] + (p - floor p) (x[floor p + 1] - x[floor p]). So 0 is the minimum, 0.5 the usual median, 1 the maximum,
/// and a single sample is every percentile of itself.
/// `sorted` must be ascending without NaN; the result is NaN when it is empty.
double percentile_of_sorted(std::span<const double> sorted, double rank);

/// The same for samples in any order; samples that are not finite are left out.
double percentile(std::span<const double> samples, double rank);

/// Samples that are not finite (a missed query) are left out and not counted.
Summary summarize(std::span<const double> samples);

/// Medians of `blocks` consecutive parts of a sequence, as equal as they come, for judging how much a median wanders
/// during a run: neighbouring frames are alike, blocks of many frames much less so. Empty when a part would have fewer
/// than two samples; NaN for a part without a finite one.
std::vector<double> block_medians(std::span<const double> samples, std::size_t blocks);

/// Copies the finite samples and sorts them.
std::vector<double> sorted_finite(std::span<const double> samples);

} // namespace spindrift::profiler
