// Runs of a group that are far from the others: marked, never left out. A run that something disturbed should be looked
// at, and run again; a number that silently misses it would be somebody's choice.
#pragma once

#include "app/report/comparison.h"

#include <span>
#include <string>
#include <vector>

namespace spindrift::report {

/// Smaller groups say too little about their own spread.
inline constexpr std::size_t least_runs_for_outliers = 5;
/// Of the modified z-score's magnitude; beyond it a run is an outlier. After Iglewicz and Hoaglin, "How to Detect and
/// Handle Outliers" (1993).
inline constexpr double outlier_score = 3.5;

/// Timestamps tell no smaller differences apart.
inline constexpr double clock_resolution_ms = 0.002;

/// 0.6745 (x - median) / MAD of each value, where MAD is the median of the distances from the median, and 0.6745 makes
/// it a standard deviation for normally distributed values. A MAD below the clock's resolution, and so a MAD of zero
/// where more than half of the values are equal, counts as that resolution: the clock cannot show a smaller spread, and
/// an outlier is then more than 0.0104 ms away. Iglewicz and Hoaglin put the mean of the distances in place of a zero;
/// two equal outliers among five or six values would hide each other in it. All values finite; empty for none.
std::vector<double> modified_z_scores(std::span<const double> milliseconds);

/// The runs whose median frame time is an outlier, in the group's order; none in groups of fewer than
/// least_runs_for_outliers runs. Frame time: from frame to frame, and where a run has none, on the GPU or else the CPU.
std::vector<RunOutlier> outliers_of(const Group& group);

/// "after/3.json: frame interval 12.0000 ms, median of the group 10.0000 ms (modified z-score 6.7)"
std::string to_text(const RunOutlier& outlier);

} // namespace spindrift::report
