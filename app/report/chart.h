// Charts of frame times as inline SVG for html.h's pages: colours are the page's variables --c0 to --c8.
//
// Nothing is cut off in silence. Where there are more frames than columns, each column shows its median as a line and
// its range as a band, so a single slow frame stays visible; where a few frames would flatten all others, the axis ends
// below them and a mark at the edge and a line of text say so.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace spindrift::report {

struct ChartLine {
    std::string name;           ///< text
    std::vector<double> values; ///< milliseconds by frame; NaN is a gap
    int colour = 0;             ///< index of a page colour
    bool wide = false;          ///< drawn broad and pale, so that lines on top of it leave it visible
};

struct ChartSize {
    int width = 1060, height = 270; ///< in the SVG's units, about pixels; the page scales it
};

/// Times by frame, from zero. `description` is read by screen readers.
std::string line_chart(std::span<const ChartLine> lines, const std::string& description, ChartSize size = {});

/// How the times are distributed: the share of frames in each of some equal intervals, by line.
std::string histogram_chart(std::span<const ChartLine> lines, const std::string& description, ChartSize size = {});

/// Lines on top of each other: the mean of each column, so that heights add up. NaN counts as zero.
std::string stacked_chart(std::span<const ChartLine> lines, const std::string& description, ChartSize size = {});

/// Names beside their colours.
std::string chart_legend(std::span<const ChartLine> lines);

/// A bar from the middle of a table cell: `percent` to the right (slower) or left (faster), saturated at 100, with a
/// whisker for an interval unless it is NaN.
std::string change_bar(double percent, double low, double high, const char* css_class);

namespace detail {
/// Round numbers (1, 2 or 5 times a power of ten) from 0 to at least `top`, about `count` of them.
std::vector<double> ticks(double top, int count);
/// Where a line chart's axis ends: the largest value, or less where a few frames stand far above the others.
double axis_top(std::span<const double> sorted);
} // namespace detail

} // namespace spindrift::report
