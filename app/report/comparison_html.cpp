// A comparison as a page.
#include "app/report/chart.h"
#include "app/report/html.h"
#include "app/report/outliers.h"
#include "app/report/report_html.h"
#include "app/report/series.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace spindrift::report {
namespace {

constexpr std::size_t most_curves = 6; // of a group: more cannot be told apart

std::string side(const std::string& letter, const std::string& name, std::size_t runs) {
    return fmt::format("{}: {}{}", letter, name, runs == 1 ? "" : fmt::format(" ({} runs)", runs));
}

const char* css_class(const MetricComparison& metric) {
    if (metric.verdict == Verdict::slower) return metric.gates ? "bad" : "";
    return metric.verdict == Verdict::faster ? "good" : "";
}

std::string percent_text(double value) {
    return std::isfinite(value) ? fmt::format("{:+.1f} %", value) : std::string("–");
}

std::string verdict_banner(const Comparison& comparison) {
    const auto regressions = comparison.regressions();
    std::string html;
    for (const MetricComparison* metric : regressions)
        html += fmt::format("<div class=\"verdict bad\"><b>{} {}</b> is slower: {} → {} ms, {}</div>\n",
                            html_escape(metric->name), html_escape(metric->clock), html_ms(metric->baseline_ms),
                            html_ms(metric->candidate_ms), percent_text(metric->percent));
    if (!regressions.empty()) return html;
    const std::size_t faster = comparison.count(Verdict::faster);
    const std::size_t short_ones = comparison.count(Verdict::too_short);
    if (faster > 0)
        html = fmt::format("<div class=\"verdict good\">No regression beyond {:g} %; {} metric(s) faster.</div>\n",
                           comparison.threshold_percent, faster);
    else if (short_ones < comparison.compared())
        html =
            fmt::format("<div class=\"verdict\">No difference beyond {:g} %{}.</div>\n", comparison.threshold_percent,
                        comparison.count(Verdict::within_noise) > 0 ? " that stands out from the noise" : "");
    if (short_ones > 0)
        html += fmt::format("<div class=\"verdict\">{} metric(s) not judged: a single run needs at least {} frames to "
                            "tell a difference from noise.</div>\n",
                            short_ones, 2 * blocks_per_run);
    return html;
}

std::string metric_table(const Comparison& comparison) {
    const bool repeats =
        std::any_of(comparison.metrics.begin(), comparison.metrics.end(),
                    [](const MetricComparison& metric) { return metric.confidence_percent.has_value(); });
    HtmlTable table{.headings = {"metric", "A, ms", "B, ms", "B − A, ms", "change", "faster ← → slower",
                                 repeats ? "95 % interval" : "noise", "verdict"},
                    .rows = {}};
    for (const MetricComparison& metric : comparison.metrics) {
        if (!metric.gates && metric.name != "frame") continue;
        const auto interval =
            metric.confidence_percent.value_or(std::pair{profiler::not_available, profiler::not_available});
        std::string uncertainty = "–";
        if (metric.confidence_percent)
            uncertainty = fmt::format("{:+.1f} to {:+.1f} %", interval.first, interval.second);
        else if (metric.noise_percent)
            uncertainty = fmt::format("± {:.1f} %", *metric.noise_percent);
        const std::string verdict = fmt::format("{}{}", to_string(metric.verdict), metric.gates ? "" : " (not judged)");
        table.rows.push_back(
            {fmt::format("{} <span class=\"soft\">{}</span>", html_escape(metric.name), html_escape(metric.clock)),
             html_ms(metric.baseline_ms), html_ms(metric.candidate_ms),
             html_ms(metric.candidate_ms - metric.baseline_ms), percent_text(metric.percent),
             change_bar(metric.percent, interval.first, interval.second, css_class(metric)), uncertainty,
             fmt::format("<span class=\"{}\">{}</span>", css_class(metric), verdict)});
    }
    return "<div class=\"panel\">" + table.str() + "</div>\n";
}

/// The runs of both sides, each a line in its side's colour.
std::vector<ChartLine> curves(const Group& baseline, const Group& candidate, const std::string& pass,
                              const std::string& clock) {
    std::vector<ChartLine> lines;
    for (const auto& [group, letter, colour] : {std::tuple{&baseline, "A", 0}, {&candidate, "B", 1}})
        for (std::size_t run = 0; run < std::min(group->reports.size(), most_curves); ++run) {
            std::vector<double> values = read_series(group->reports[run], pass, clock);
            if (std::any_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); }))
                lines.push_back({letter, std::move(values), colour});
        }
    return lines;
}

/// One line a side, with all its runs: for distributions and for the legend.
std::vector<ChartLine> merged(const std::vector<ChartLine>& lines) {
    std::vector<ChartLine> sides;
    for (const ChartLine& line : lines) {
        if (sides.empty() || sides.back().name != line.name) {
            sides.push_back(line);
            continue;
        }
        sides.back().values.insert(sides.back().values.end(), line.values.begin(), line.values.end());
    }
    return sides;
}

std::string overlays(const Comparison& comparison, const Group& baseline, const Group& candidate) {
    std::string html;
    for (const auto& [clock, name] : {std::pair{"interval", "Frame time"}, {"gpu", "GPU time of a frame"}}) {
        const std::vector<ChartLine> lines = curves(baseline, candidate, "frame", clock);
        if (lines.empty()) continue;
        const std::vector<ChartLine> sides = merged(lines);
        html += fmt::format("<h3>{}</h3>\n<div class=\"panel\">{}{}{}</div>\n", name, chart_legend(sides),
                            line_chart(lines, fmt::format("{} by frame, both sides", name)),
                            histogram_chart(sides, fmt::format("{}: share of frames", name), {1060, 170}));
    }
    std::string passes;
    for (const MetricComparison& metric : comparison.metrics) {
        if (metric.name == "frame" || metric.clock != "gpu") continue;
        const std::vector<ChartLine> lines = curves(baseline, candidate, metric.name, "gpu");
        if (lines.empty()) continue;
        passes += fmt::format("<div class=\"panel\"><h3>{} <span class=\"soft\">{}</span></h3>{}{}</div>\n",
                              html_escape(metric.name), percent_text(metric.percent), chart_legend(merged(lines)),
                              line_chart(lines, metric.name + " by frame, both sides", {520, 180}));
    }
    if (!passes.empty()) html += fmt::format("<h3>Passes</h3>\n<div class=\"pair\">{}</div>\n", passes);
    if (html.empty()) return "<p class=\"soft\">These reports have no times of single frames to draw.</p>\n";
    return html;
}

std::string differences(const char* heading, const std::vector<SettingDifference>& list, bool open) {
    if (list.empty()) return {};
    HtmlTable table{.headings = {"", "A", "B"}, .rows = {}, .text_columns = true};
    for (const SettingDifference& difference : list)
        table.rows.push_back(
            {html_escape(difference.key), html_escape(difference.baseline), html_escape(difference.candidate)});
    return html_details(heading, table.str(), open);
}

std::string outliers(const Comparison& comparison) {
    std::string html;
    for (const auto& [letter, list] :
         {std::pair{"A", &comparison.baseline_outliers}, {"B", &comparison.candidate_outliers}})
        for (const RunOutlier& outlier : *list)
            html += fmt::format("<li>{}: {}</li>\n", letter, html_escape(to_text(outlier)));
    if (html.empty()) return {};
    return fmt::format(
        "<p>Outliers, counted all the same (modified z-score of the median frame time beyond {:g}):</p>\n"
        "<ul>\n{}</ul>\n",
        outlier_score, html);
}

std::string method(const Comparison& comparison) {
    if (comparison.baseline_runs >= 2 && comparison.candidate_runs >= 2)
        return "<p class=\"soft\">Medians of the runs, averaged; Welch's 95 % interval over the runs. A verdict needs "
               "a "
               "probability below 5 % over all metrics together, and the threshold.</p>\n";
    return fmt::format(
        "<p class=\"soft\">A single run on a side gives no confidence interval. A verdict needs a change "
        "beyond the noise: {:g} % of a GPU time, {:g} % of a CPU time, {:g} % on a software renderer, or "
        "what parts of the runs differ by. Repeat the runs to see less.</p>\n",
        least_gpu_change_of_single_runs, least_cpu_change_of_single_runs, least_software_change_of_single_runs);
}

} // namespace

std::string to_html(std::span<const Comparison> comparisons, std::span<const Group> groups) {
    std::string body = "<h1>Comparison of frame times</h1>\n";
    for (std::size_t index = 0; index < comparisons.size(); ++index) {
        const Comparison& comparison = comparisons[index];
        body +=
            fmt::format("<h2>{}<br>{}</h2>\n", html_escape(side("A", comparison.baseline, comparison.baseline_runs)),
                        html_escape(side("B", comparison.candidate, comparison.candidate_runs)));
        body += verdict_banner(comparison) + outliers(comparison) + metric_table(comparison) + method(comparison);
        body +=
            differences("Settings that differ, so that the times need not be comparable", comparison.settings, true);
        body += differences("Also different", comparison.facts, true);
        body += overlays(comparison, groups.front(), groups[index + 1]);
    }
    for (std::size_t index = 0; index < groups.size(); ++index) {
        const Json& run = groups[index].reports.front()["run"];
        if (run.contains("command_line") && run["command_line"].is_string())
            body += fmt::format("{}<p class=\"soft\">{}</p>\n<pre>{}</pre>\n",
                                index == 0 ? "<h2>Run them again</h2>\n" : "", html_escape(groups[index].name),
                                html_escape(run["command_line"].get<std::string>()));
    }
    return html_page("Comparison of frame times", body + "<footer>Spindrift compare</footer>\n");
}

} // namespace spindrift::report
