#include "app/report/chart.h"

#include "app/report/html.h"
#include "engine/profiler/statistics.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace spindrift::report {
namespace {

constexpr double left = 46, right = 14, top = 24, bottom = 36;

/// From values to the SVG's coordinates.
struct Frame {
    ChartSize size;
    double x_low, x_high, y_top;
    double x(double value) const {
        return left + (size.width - left - right) * (x_high > x_low ? (value - x_low) / (x_high - x_low) : 0.5);
    }
    double y(double value) const { return base() - (base() - top) * (y_top > 0 ? value / y_top : 0.0); }
    double base() const { return size.height - bottom; }
    int columns() const { return static_cast<int>(size.width - left - right); }
};

/// With the decimals that the distance between ticks needs: fewer, and neighbours in a narrow range read the same.
std::string tick_text(double value, const std::vector<double>& ticks) {
    const double step = ticks.size() < 2 ? 0.0 : ticks[1] - ticks[0];
    if (!(step > 0.0)) return fmt::format("{:g}", value);
    const double decimals = std::clamp(std::ceil(-std::log10(step) - 1e-3), 0.0, 12.0);
    return fmt::format("{:.{}f}", std::abs(value) < 0.5 * step ? 0.0 : value, static_cast<int>(decimals));
}

std::string open_svg(ChartSize size, const std::string& description) {
    return fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n", size.width, size.height,
                       html_escape(description));
}

std::string text_at(double x, double y, const char* anchor, std::string_view text) {
    return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                       html_escape(text));
}

/// Grid, numbers and names of both axes. `x_ticks` are values of the x axis.
std::string axes(const Frame& frame, const std::vector<double>& x_ticks, const char* x_name, const char* y_unit,
                 double y_scale) {
    std::string svg;
    const std::vector<double> y_ticks = detail::ticks(frame.y_top * y_scale, 5);
    for (const double tick : y_ticks) {
        const double y = frame.y(tick / y_scale);
        if (y < top - 0.5) continue;
        svg += fmt::format("<line class=\"grid\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>\n", left,
                           frame.size.width - right, y, y);
        svg += text_at(left - 7, y + 4, "end", tick_text(tick, y_ticks));
    }
    for (const double tick : x_ticks) {
        if (tick < frame.x_low - 1e-9 || tick > frame.x_high + 1e-9) continue;
        svg += fmt::format("<line class=\"axis\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\"/>\n",
                           frame.x(tick), frame.base(), frame.base() + 4);
        svg += text_at(frame.x(tick), frame.base() + 17, "middle", tick_text(tick, x_ticks));
    }
    svg += fmt::format("<line class=\"axis\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>\n", left,
                       frame.size.width - right, frame.base(), frame.base());
    svg += text_at(frame.size.width - right, frame.size.height - 4.0, "end", x_name);
    svg += text_at(2, 11, "start", y_unit);
    return svg;
}

std::vector<double> all_sorted(std::span<const ChartLine> lines) {
    std::vector<double> values;
    for (const ChartLine& line : lines) values.insert(values.end(), line.values.begin(), line.values.end());
    return profiler::sorted_finite(values);
}

std::size_t longest(std::span<const ChartLine> lines) {
    std::size_t count = 0;
    for (const ChartLine& line : lines) count = std::max(count, line.values.size());
    return count;
}

std::string nothing_to_show() {
    return "<p class=\"soft\">No times to show.</p>\n";
}

/// What one column of a chart stands for.
struct Column {
    double x, median, low, high, mean;
};

/// One column for each frame, or for several where there are more frames than `most`.
std::vector<Column> columns_of(const std::vector<double>& values, std::size_t most) {
    std::vector<Column> columns;
    const std::size_t count = std::min(values.size(), std::max<std::size_t>(1, most));
    for (std::size_t column = 0; column < count; ++column) {
        const std::size_t begin = column * values.size() / count, end = (column + 1) * values.size() / count;
        const auto sorted = profiler::sorted_finite(std::span(values).subspan(begin, end - begin));
        const double centre = 0.5 * static_cast<double>(begin + end - 1);
        if (sorted.empty()) {
            columns.push_back({centre, profiler::not_available, profiler::not_available, profiler::not_available, 0.0});
            continue;
        }
        double sum = 0.0;
        for (const double value : sorted) sum += value;
        columns.push_back({centre, profiler::percentile_of_sorted(sorted, 0.5), sorted.front(), sorted.back(),
                           sum / static_cast<double>(end - begin)});
    }
    return columns;
}

/// The band between the extremes and the line of medians, in pieces where there are gaps.
std::string draw_line(const Frame& frame, const ChartLine& line, std::size_t& beyond) {
    const std::vector<Column> columns = columns_of(line.values, static_cast<std::size_t>(frame.columns()));
    const bool has_band = columns.size() < line.values.size();
    const auto clipped = [&](double value) { return frame.y(std::min(value, frame.y_top)); };
    std::string svg, marks;
    std::size_t begin = 0;
    while (begin < columns.size()) {
        if (!std::isfinite(columns[begin].median)) {
            ++begin;
            continue;
        }
        std::size_t end = begin;
        std::string upper, lower, middle;
        for (; end < columns.size() && std::isfinite(columns[end].median); ++end) {
            const double x = frame.x(columns[end].x);
            upper += fmt::format("{:.1f},{:.1f} ", x, clipped(columns[end].high));
            lower = fmt::format("{:.1f},{:.1f} ", x, clipped(columns[end].low)) + lower;
            middle += fmt::format("{:.1f},{:.1f} ", x, clipped(columns[end].median));
            if (columns[end].high > frame.y_top)
                marks += fmt::format("<path d=\"M{0:.1f} {1:.1f}l-4 7h8z\" fill=\"var(--c{2})\"><title>{3} "
                                     "ms</title></path>\n",
                                     x, top - 9, line.colour, html_ms(columns[end].high));
        }
        if (has_band)
            svg += fmt::format("<polygon points=\"{}{}\" fill=\"var(--c{})\" opacity=\"0.28\"/>\n", upper, lower,
                               line.colour);
        if (end - begin == 1)
            svg += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.5\" fill=\"var(--c{})\"/>\n",
                               frame.x(columns[begin].x), clipped(columns[begin].median), line.colour);
        else
            svg += fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"var(--c{})\" stroke-width=\"{}\" "
                               "stroke-linejoin=\"round\"/>\n",
                               middle, line.colour, line.wide ? "3.2\" opacity=\"0.5" : "1.4");
        begin = end;
    }
    for (const double value : line.values)
        if (value > frame.y_top) ++beyond;
    return svg + marks;
}

std::vector<double> frame_ticks(std::size_t frames) {
    std::vector<double> whole;
    for (const double tick : detail::ticks(static_cast<double>(frames) - 1, 8))
        if (tick == std::floor(tick)) whole.push_back(tick);
    return whole;
}

Frame frame_for(ChartSize size, std::size_t frames, double y_top) {
    return {size, 0.0, std::max(1.0, static_cast<double>(frames) - 1.0), y_top};
}

/// Equal intervals that hold nearly all values, of the width that Freedman and Diaconis advise: 2 IQR / n^(1/3).
struct Bins {
    double low, width;
    std::size_t count;
    std::size_t of(double value) const {
        const double place = std::floor((value - low) / width);
        return place < 0 ? 0 : std::min(count - 1, static_cast<std::size_t>(place));
    }
};

Bins bins_for(const std::vector<double>& sorted) {
    const double low = sorted.front(), high = std::min(sorted.back(), detail::axis_top(sorted));
    if (high <= low) return {low - std::max(0.0005, 0.05 * low), std::max(0.001, 0.1 * low), 1};
    const double quartiles =
        profiler::percentile_of_sorted(sorted, 0.75) - profiler::percentile_of_sorted(sorted, 0.25);
    const double advised = 2.0 * quartiles / std::cbrt(static_cast<double>(sorted.size()));
    const double wanted = advised > 0.0 ? (high - low) / advised : 40.0;
    const auto count = static_cast<std::size_t>(std::clamp(std::ceil(wanted), 8.0, 60.0));
    return {low, (high - low) / static_cast<double>(count), count};
}

} // namespace

namespace detail {

std::vector<double> ticks(double top_value, int count) {
    if (!(top_value > 0.0) || !std::isfinite(top_value)) return {0.0};
    const double rough = top_value / std::max(1, count);
    const double power = std::pow(10.0, std::floor(std::log10(rough)));
    double step = 10.0 * power;
    for (const double factor : {1.0, 2.0, 5.0})
        if (factor * power >= rough * 0.999) {
            step = factor * power;
            break;
        }
    std::vector<double> result;
    for (int index = 0; index < 1000; ++index) {
        result.push_back(index * step);
        if (index * step >= top_value * (1.0 - 1e-9)) break;
    }
    return result;
}

double axis_top(std::span<const double> sorted) {
    const double limit = 2.5 * profiler::percentile_of_sorted(sorted, 0.98);
    return sorted.back() <= limit || limit <= 0.0 ? sorted.back() : limit;
}

} // namespace detail

std::string chart_legend(std::span<const ChartLine> lines) {
    std::string html = "<ul class=\"legend\">";
    for (const ChartLine& line : lines)
        html += fmt::format("<li><i style=\"background:var(--c{})\"></i>{}</li>", line.colour, html_escape(line.name));
    return html + "</ul>\n";
}

std::string line_chart(std::span<const ChartLine> lines, const std::string& description, ChartSize size) {
    const std::vector<double> sorted = all_sorted(lines);
    if (sorted.empty()) return nothing_to_show();
    const double y_top = detail::axis_top(sorted) * 1.04;
    const Frame frame = frame_for(size, longest(lines), y_top);
    std::string svg = open_svg(size, description) + axes(frame, frame_ticks(longest(lines)), "frame", "ms", 1.0);
    std::size_t beyond = 0;
    for (const ChartLine& line : lines) svg += draw_line(frame, line, beyond);
    svg += "</svg>\n";
    if (beyond > 0)
        svg += fmt::format("<p class=\"soft\">{} time{} above {:.3g} ms {} marked at the upper edge; the longest is {} "
                           "ms.</p>\n",
                           beyond, beyond == 1 ? "" : "s", y_top, beyond == 1 ? "is" : "are", html_ms(sorted.back()));
    return svg;
}

std::string histogram_chart(std::span<const ChartLine> lines, const std::string& description, ChartSize size) {
    const std::vector<double> sorted = all_sorted(lines);
    if (sorted.empty()) return nothing_to_show();
    const Bins bins = bins_for(sorted);
    const double high = bins.low + bins.width * static_cast<double>(bins.count);
    std::vector<std::vector<double>> shares;
    double most = 0.0;
    std::size_t beyond = 0;
    for (const ChartLine& line : lines) {
        const auto values = profiler::sorted_finite(line.values);
        auto& share = shares.emplace_back(bins.count, 0.0);
        for (const double value : values) {
            if (value > high * (1.0 + 1e-9))
                ++beyond;
            else
                share[bins.of(value)] += 1.0 / static_cast<double>(values.size());
        }
        most = std::max(most, *std::max_element(share.begin(), share.end()));
    }
    const Frame frame{size, bins.low, high, most * 1.05};
    std::vector<double> x_ticks;
    const std::vector<double> steps = detail::ticks(high - bins.low, 8);
    const double step = steps.size() > 1 ? steps[1] : 1.0;
    // Not by adding: a step far below the values' own precision would never get anywhere.
    const double first = std::ceil(bins.low / step);
    for (int index = 0; index <= 10 && (first + index) * step <= high; ++index)
        x_ticks.push_back((first + index) * step);
    std::string svg = open_svg(size, description) + axes(frame, x_ticks, "ms", "% of frames", 100.0);
    for (std::size_t index = 0; index < lines.size(); ++index)
        for (std::size_t bin = 0; bin < bins.count; ++bin) {
            if (shares[index][bin] <= 0.0) continue;
            const double begin = bins.low + bins.width * static_cast<double>(bin);
            svg += fmt::format("<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"var(--c{})\" "
                               "opacity=\"{}\"><title>{}: {} to {} ms, {:.1f} %</title></rect>\n",
                               frame.x(begin) + 0.5, frame.y(shares[index][bin]),
                               std::max(0.5, frame.x(begin + bins.width) - frame.x(begin) - 1.0),
                               frame.base() - frame.y(shares[index][bin]), lines[index].colour,
                               lines.size() > 1 ? 0.6 : 0.9, html_escape(lines[index].name), html_ms(begin),
                               html_ms(begin + bins.width), 100.0 * shares[index][bin]);
        }
    svg += "</svg>\n";
    if (beyond > 0)
        svg += fmt::format("<p class=\"soft\">{} longer time{} up to {} ms {} to the right of this.</p>\n", beyond,
                           beyond == 1 ? "" : "s", html_ms(sorted.back()), beyond == 1 ? "lies" : "lie");
    return svg;
}

std::string stacked_chart(std::span<const ChartLine> lines, const std::string& description, ChartSize size) {
    const std::size_t frames = longest(lines);
    std::vector<std::vector<Column>> columns;
    std::vector<double> sums;
    for (const ChartLine& line : lines) {
        columns.push_back(columns_of(line.values, 360));
        sums.resize(std::max(sums.size(), columns.back().size()), 0.0);
        for (std::size_t index = 0; index < columns.back().size(); ++index) sums[index] += columns.back()[index].mean;
    }
    const std::vector<double> sorted = profiler::sorted_finite(sums);
    if (sorted.empty() || sorted.back() <= 0.0) return nothing_to_show();
    const double y_top = detail::axis_top(sorted) * 1.04;
    const Frame frame = frame_for(size, frames, y_top);
    std::string svg = open_svg(size, description) + axes(frame, frame_ticks(frames), "frame", "ms", 1.0);
    std::vector<double> floor(sums.size(), 0.0);
    for (std::size_t index = 0; index < lines.size(); ++index) {
        std::string upper, lower;
        for (std::size_t column = 0; column < columns[index].size(); ++column) {
            // A single frame becomes a block as wide as the chart.
            const double x = columns[index].size() > 1 ? frame.x(columns[index][column].x) : left;
            const double x_end = columns[index].size() > 1 ? x : size.width - right;
            const double below = std::min(floor[column], y_top);
            floor[column] += columns[index][column].mean;
            const double above = std::min(floor[column], y_top);
            upper += fmt::format("{:.1f},{:.1f} ", x, frame.y(above));
            lower = fmt::format("{:.1f},{:.1f} ", x, frame.y(below)) + lower;
            if (x_end > x) {
                upper += fmt::format("{:.1f},{:.1f} ", x_end, frame.y(above));
                lower = fmt::format("{:.1f},{:.1f} ", x_end, frame.y(below)) + lower;
            }
        }
        svg +=
            fmt::format("<polygon points=\"{}{}\" fill=\"var(--c{})\" opacity=\"0.85\"><title>{}</title></polygon>\n",
                        upper, lower, lines[index].colour, html_escape(lines[index].name));
    }
    return svg + "</svg>\n";
}

std::string change_bar(double percent, double low, double high, const char* css_class) {
    if (!std::isfinite(percent)) return "";
    const auto place = [](double value) { return 75.0 + 0.7 * std::clamp(value, -100.0, 100.0); };
    const double end = place(percent);
    std::string svg =
        fmt::format("<svg class=\"bar {}\" viewBox=\"0 0 150 16\" aria-hidden=\"true\"><line class=\"axis\" "
                    "x1=\"75\" x2=\"75\" y1=\"0\" y2=\"16\"/><rect x=\"{:.1f}\" y=\"4\" width=\"{:.1f}\" "
                    "height=\"8\" rx=\"1.5\" fill=\"currentColor\" opacity=\"0.75\"/>",
                    css_class, std::min(75.0, end), std::max(0.8, std::abs(end - 75.0)));
    if (std::isfinite(low) && std::isfinite(high))
        svg +=
            fmt::format("<path d=\"M{0:.1f} 8H{1:.1f}M{0:.1f} 5v6M{1:.1f} 5v6\" stroke=\"var(--ink)\" fill=\"none\"/>",
                        place(low), place(high));
    return svg + "</svg>";
}

} // namespace spindrift::report
