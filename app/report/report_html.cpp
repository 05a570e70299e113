#include "app/report/report_html.h"

#include "app/report/chart.h"
#include "app/report/html.h"
#include "app/report/series.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

namespace spindrift::report {
namespace {

constexpr int colours = 8; // of the page; --c8 is grey, for what belongs to no pass
constexpr int grey = 8;

const Json* find_path(const Json& json, std::initializer_list<const char*> path) {
    const Json* place = &json;
    for (const char* key : path) {
        if (!place->is_object() || !place->contains(key)) return nullptr;
        place = &place->at(key);
    }
    return place;
}

std::string plain_text(const Json& json) {
    if (json.is_string()) return json.get<std::string>();
    if (json.is_null()) return "–";
    if (json.is_boolean()) return json.get<bool>() ? "yes" : "no";
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string text_at(const Json& json, std::initializer_list<const char*> path) {
    const Json* place = find_path(json, path);
    return place == nullptr || place->is_null() ? std::string{} : plain_text(*place);
}

void append_facts(const Json& json, const std::string& prefix, HtmlTable& table) {
    if (!json.is_object()) {
        table.rows.push_back({html_escape(prefix), html_escape(plain_text(json))});
        return;
    }
    for (const auto& [key, value] : json.items())
        append_facts(value, prefix.empty() ? key : fmt::format("{}.{}", prefix, key), table);
}

std::string card(const std::string& value, const std::string& name) {
    return fmt::format("<div class=\"card\"><b>{}</b><span>{}</span></div>\n", value, html_escape(name));
}

std::string with_unit(double milliseconds) {
    return std::isfinite(milliseconds) ? html_ms(milliseconds) + " ms" : std::string("–");
}

std::string headline(const Json& report) {
    const std::string size = text_at(report, {"run", "size"});
    std::string html =
        fmt::format("<h1>{}, {} × {}</h1>\n", html_escape(text_at(report, {"run", "algorithm"})), size, size);
    html += fmt::format("<p class=\"soft\">{}</p>\n", html_escape(text_at(report, {"gl", "renderer"})));
    html +=
        fmt::format("<p class=\"soft\">{} frames, {}, {} × {} pixels, vsync {}; Spindrift {} {} ({})</p>\n",
                    text_at(report, {"frame", "frames"}), html_escape(text_at(report, {"run", "mode"})),
                    text_at(report, {"run", "width"}), text_at(report, {"run", "height"}),
                    html_escape(text_at(report, {"run", "vsync"})), html_escape(text_at(report, {"app", "version"})),
                    html_escape(text_at(report, {"app", "git"})), html_escape(text_at(report, {"app", "build_type"})));
    html += "<div class=\"cards\">\n";
    html += card(with_unit(number_at(report, {"frame", "interval_ms", "median"})), "median frame time");
    html += card(with_unit(number_at(report, {"frame", "interval_ms", "p99"})), "99th percentile");
    html += card(html_number(number_at(report, {"frame", "fps_average"}), 1), "frames per second, average");
    html += card(html_number(number_at(report, {"frame", "fps_1pct_low_time_integral"}), 1),
                 "fps, 1 % low by time integral");
    html += card(with_unit(number_at(report, {"frame", "gpu_ms", "median"})), "median GPU time of a frame");
    return html + "</div>\n";
}

/// What a reader must know before believing the numbers.
std::string notes(const Json& report) {
    std::vector<std::string> found;
    const auto is_true = [&](std::initializer_list<const char*> path) {
        const Json* place = find_path(report, path);
        return place != nullptr && *place == true;
    };
    const double frames = number_at(report, {"frame", "frames"});
    if (!(frames >= 1.0)) found.emplace_back("Nothing was recorded.");
    if (frames >= 1.0 && frames < 100.0)
        found.push_back(fmt::format("{:.0f} frames are few: the high percentiles are single frames.", frames));
    if (is_true({"gl", "software_renderer"}))
        found.emplace_back("A software renderer drew this: GPU times are times on the CPU's cores.");
    if (is_true({"gl", "debug_context"})) found.emplace_back("OpenGL debugging was on, which costs time.");
    if (text_at(report, {"app", "build_type"}) == "Debug") found.emplace_back("This was a Debug build.");
    if (const double missed = number_at(report, {"frame", "missed"}); missed > 0.0)
        found.push_back(fmt::format("The GPU times of {:.0f} frames were not ready in time and are missing.", missed));
    const std::string vsync = text_at(report, {"run", "vsync"});
    if (vsync != "off" && !vsync.empty())
        found.push_back(fmt::format("Vertical sync was {}: frame times include waiting for the monitor.", vsync));
    if (const Json* said = find_path(report, {"notes"}); said != nullptr && said->is_array())
        for (const Json& note : *said) found.push_back(plain_text(note));
    std::string html;
    for (const std::string& note : found) html += fmt::format("<div class=\"note\">{}</div>\n", html_escape(note));
    return html;
}

bool has_numbers(const std::vector<double>& values) {
    return std::any_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}

std::string graphs(const Json& report) {
    std::vector<ChartLine> lines;
    for (const auto& [clock, name, colour] :
         {std::tuple{"interval", "frame time, from frame to frame", 0}, {"gpu", "GPU", 1}, {"cpu", "CPU", 2}}) {
        std::vector<double> values = read_series(report, "frame", clock);
        if (has_numbers(values)) lines.push_back({name, std::move(values), colour, colour == 0});
    }
    if (lines.empty()) return {};
    std::string html = "<h2>Frame times</h2>\n<div class=\"panel\">" + chart_legend(lines) +
                       line_chart(lines, "Times of each frame in milliseconds") + "</div>\n";
    const std::span<const ChartLine> two = std::span(lines).first(std::min<std::size_t>(2, lines.size()));
    html += "<h2>Distribution</h2>\n<div class=\"panel\">" + chart_legend(two) +
            histogram_chart(two, "Share of frames by frame time") + "</div>\n";
    return html;
}

struct PassOfReport {
    std::string name;
    int depth = 0;
    bool leaf = true;
    int colour = grey;
};

std::vector<PassOfReport> passes_of(const Json& report) {
    std::vector<PassOfReport> passes;
    const Json* json = find_path(report, {"passes"});
    if (json == nullptr || !json->is_object()) return passes;
    for (const auto& [name, pass] : json->items()) {
        PassOfReport entry{name};
        const std::string parent = text_at(pass, {"parent"});
        for (PassOfReport& other : passes)
            if (other.name == parent) {
                entry.depth = other.depth + 1;
                other.leaf = false;
            }
        passes.push_back(std::move(entry));
    }
    int next = 0;
    for (PassOfReport& pass : passes)
        if (pass.leaf) pass.colour = next++ % colours;
    return passes;
}

/// Leaves of the tree, and what the frame took beside them.
std::vector<ChartLine> stack_of(const Json& report, const std::vector<PassOfReport>& passes) {
    std::vector<ChartLine> lines;
    std::vector<double> rest = read_series(report, "frame", "gpu");
    for (const PassOfReport& pass : passes) {
        if (!pass.leaf) continue;
        std::vector<double> values = read_series(report, pass.name, "gpu");
        if (!has_numbers(values)) continue;
        for (std::size_t frame = 0; frame < std::min(rest.size(), values.size()); ++frame)
            if (std::isfinite(values[frame])) rest[frame] -= values[frame];
        lines.push_back({pass.name, std::move(values), pass.colour});
    }
    for (double& value : rest) value = std::max(0.0, value); // clocks of nested queries may cross by a tick; NaN stays
    if (!lines.empty() && has_numbers(rest)) lines.push_back({"between passes", std::move(rest), grey});
    return lines;
}

std::string pass_table(const Json& report, const std::vector<PassOfReport>& passes) {
    HtmlTable table{.headings = {"pass", "median", "share", "p95", "p99", "max", "CPU median", "missed"}, .rows = {}};
    const double frame = number_at(report, {"frame", "gpu_ms", "median"});
    for (const PassOfReport& pass : passes) {
        const Json& json = report["passes"][pass.name];
        const double median = number_at(json, {"gpu_ms", "median"});
        const double share = frame > 0.0 ? 100.0 * median / frame : profiler::not_available;
        table.rows.push_back(
            {fmt::format("<span style=\"padding-left:{}px\"><i class=\"swatch\" style=\"background:{}\"></i>{}</span>",
                         18 * pass.depth, pass.leaf ? fmt::format("var(--c{})", pass.colour) : "transparent",
                         html_escape(pass.name)),
             html_ms(median), std::isfinite(share) ? html_number(share, 1) + " %" : "–",
             html_ms(number_at(json, {"gpu_ms", "p95"})), html_ms(number_at(json, {"gpu_ms", "p99"})),
             html_ms(number_at(json, {"gpu_ms", "max"})), html_ms(number_at(json, {"cpu_ms", "median"})),
             html_number(number_at(json, {"missed"}), 0)});
    }
    return table.rows.empty() ? std::string{} : table.str();
}

std::string pass_section(const Json& report) {
    const std::vector<PassOfReport> passes = passes_of(report);
    if (passes.empty()) return {};
    std::string html = "<h2>Passes, milliseconds on the GPU</h2>\n<div class=\"panel\">";
    if (const std::vector<ChartLine> lines = stack_of(report, passes); !lines.empty())
        html += chart_legend(lines) + stacked_chart(lines, "GPU time of each pass by frame, stacked");
    return html + pass_table(report, passes) + "</div>\n";
}

std::string percentiles(const Json& report) {
    HtmlTable table{.headings = {"milliseconds", "min", "median", "p95", "p99", "p99.9", "max"}, .rows = {}};
    for (const auto& [key, name] : {std::pair{"interval_ms", "frame time"},
                                    {"gpu_ms", "GPU time of a frame"},
                                    {"cpu_ms", "CPU time of a frame"},
                                    {"present_ms", "in the swap"}}) {
        const Json* json = find_path(report, {"frame", key});
        if (json == nullptr || !std::isfinite(number_at(*json, {"median"}))) continue;
        double p999 = number_at(*json, {"p99_9"});
        if (!std::isfinite(p999) && key == std::string_view("interval_ms"))
            p999 = number_at(report, {"frame", "p99_9_ms"});
        table.rows.push_back({name, html_ms(number_at(*json, {"min"})), html_ms(number_at(*json, {"median"})),
                              html_ms(number_at(*json, {"p95"})), html_ms(number_at(*json, {"p99"})), html_ms(p999),
                              html_ms(number_at(*json, {"max"}))});
    }
    return table.rows.empty() ? std::string{}
                              : "<h2>Percentiles</h2>\n<div class=\"panel\">" + table.str() + "</div>\n";
}

std::string frame_rates(const Json& report) {
    HtmlTable table{.headings = {}, .rows = {}, .text_columns = true};
    const auto add = [&](const std::string& name, std::initializer_list<const char*> path, int decimals,
                         const char* unit) {
        const double value = number_at(report, path);
        if (std::isfinite(value)) table.rows.push_back({name, html_number(value, decimals) + unit});
    };
    add("average: frames over time", {"frame", "fps_average"}, 2, " fps");
    add("1 % low, time integral: the slowest frames that fill 1 % of the time", {"frame", "fps_1pct_low_time_integral"},
        2, " fps");
    add("1 % low, mean of the slowest 1 % of frames", {"frame", "fps_1pct_low_mean_of_slowest"}, 2, " fps");
    for (const char* key : {"fps_1pct_low_percentile", "fps_at_p99_frame_time"})
        add("1 % low, at the 99th percentile of the frame time", {"frame", key}, 2, " fps");
    add("standard deviation of the frame time", {"frame", "stddev_ms"}, 3, " ms");
    add("hitches: frames over twice the median", {"frame", "hitches", "over_twice_median"}, 0, "");
    add("hitches: frames over 33.3 ms", {"frame", "hitches", "over_33ms"}, 0, "");
    add("time in hitches", {"frame", "hitches", "time_percent"}, 2, " %");
    add("frames bound by the GPU", {"frame", "bound", "gpu_percent"}, 1, " %");
    add("frames bound by the CPU", {"frame", "bound", "cpu_percent"}, 1, " %");
    add("frames waiting to present", {"frame", "bound", "present_percent"}, 1, " %");
    return table.rows.empty() ? std::string{} : "<h2>Frame rate</h2>\n<div class=\"panel\">" + table.str() + "</div>\n";
}

std::string facts(const Json& report) {
    std::string html;
    if (const std::string line = text_at(report, {"run", "command_line"}); !line.empty())
        html += fmt::format("<h2>Run it again</h2>\n<pre>{}</pre>\n", html_escape(line));
    html += "<h2>Settings and machine</h2>\n";
    if (const Json* run = find_path(report, {"run"}); run != nullptr && run->is_object()) {
        Json rest = *run;
        rest.erase("command_line");
        if (const Json* parameters = find_path(report, {"run", "parameters"}); parameters != nullptr) {
            rest.erase("parameters");
            html += html_details("Run", html_facts(rest), true) + html_details("All settings", html_facts(*parameters));
        } else {
            html += html_details("Run", html_facts(rest), true);
        }
    }
    // Whatever else a report has is shown, too, except what stands above.
    static constexpr std::array shown{"schema", "run", "frame", "passes", "series", "notes"};
    for (const auto& [key, value] : report.items()) {
        if (std::find(shown.begin(), shown.end(), key) != shown.end() || value.is_null() || value.is_array()) continue;
        html += html_details(key == "gl"    ? "OpenGL"
                             : key == "app" ? "Program"
                                            : key,
                             html_facts(value), key == "system" || key == "gl" || key == "app");
    }
    return html;
}

} // namespace

double number_at(const Json& json, std::initializer_list<const char*> path) {
    const Json* place = find_path(json, path);
    return place != nullptr && place->is_number() ? place->get<double>() : profiler::not_available;
}

std::string html_facts(const Json& object) {
    HtmlTable table{.headings = {}, .rows = {}, .text_columns = true};
    append_facts(object, "", table);
    return table.str();
}

std::string to_html(const Json& report) {
    const std::string size = text_at(report, {"run", "size"});
    const std::string title = fmt::format("{} {} × {}: frame times", text_at(report, {"run", "algorithm"}), size, size);
    return html_page(title, headline(report) + notes(report) + graphs(report) + pass_section(report) +
                                percentiles(report) + frame_rates(report) + facts(report) +
                                "<footer>Spindrift frame-time report</footer>\n");
}

} // namespace spindrift::report
