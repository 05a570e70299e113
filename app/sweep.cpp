#include "app/sweep.h"

#include "app/assets.h"
#include "app/report/html.h"
#include "app/report/report_html.h"
#include "app/report/welch.h"
#include "app/suggestion.h"
#include "engine/error.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace spindrift {
namespace {

using report::Json;

[[noreturn]] void refuse(const std::string& text, const std::string& reason) {
    throw Error(ExitCode::usage, fmt::format("--sweep {}: {}", text, reason));
}

/// What a headless run depends on.
bool can_sweep(const Parameter& p) {
    static constexpr std::array<std::string_view, 3> of_windows{"fullscreen", "ui-scale", "vsync"};
    return p.look && std::find(of_windows.begin(), of_windows.end(), p.id) == of_windows.end();
}

const Parameter& sweepable_parameter(const std::string& text, const std::string& name) {
    const Parameter* found = find_parameter(name);
    if (found != nullptr && can_sweep(*found)) return *found;
    if (found != nullptr && found->id == "effort")
        refuse(text, "effort decides how long a run measures beforehand; its result is kept and would be every run's");
    if (found != nullptr) refuse(text, fmt::format("{} changes nothing in a headless run's times", found->id));
    std::vector<std::string> names;
    for (const Parameter& p : parameters())
        if (can_sweep(p)) names.push_back(p.id);
    const std::string suggestion = did_you_mean(name, names);
    refuse(text, fmt::format("\"{}\" is no setting{}", name, suggestion.empty() ? "; --help lists them" : suggestion));
}

std::vector<std::string> all_values(const std::string& text, const Parameter& p) {
    if (p.kind == ParameterKind::choice) return p.choices;
    if (p.kind == ParameterKind::boolean) return {"off", "on"};
    std::vector<std::string> names;
    if (p.id == "sea")
        for (const NamedSea& sea : named_seas()) names.emplace_back(sea.name);
    if (names.empty()) refuse(text, fmt::format("{} has no list of all values: name them", p.id));
    return names;
}

/// Puts one value into `settings`. A sea lies below what was set by flags.
void apply(Settings& settings, const Settings& base, const Parameter& p, const std::string& value) {
    settings.given.insert(p.id);
    if (p.id != "sea") {
        p.write(settings, p.parse(value, fmt::format("--sweep {}", p.id)));
        return;
    }
    apply_sea(settings, value);
    for (const Parameter& other : parameters())
        if (belongs_to_sea(other) && base.was_given(other.id)) other.write(settings, other.get(base));
}

/// Nothing that a file system or a shell would read in its own way.
std::string file_name_of(const std::string& text) {
    std::string name;
    for (const char c : text) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                           std::string_view("._+-=,").find(c) != std::string_view::npos;
        if (plain)
            name += c;
        else
            name += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return name;
}

/// Medians of one number over the runs of a cell.
struct CellNumber {
    double median = profiler::not_available;
    double spread_percent = profiler::not_available; ///< from the smallest to the largest run
};

CellNumber number_of(const SweepResult& result, std::initializer_list<const char*> path) {
    std::vector<double> medians;
    for (const Json& run : result.runs.reports)
        if (const double value = report::number_at(run, path); std::isfinite(value)) medians.push_back(value);
    if (medians.empty()) return {};
    CellNumber number{.median = report::mean(medians)};
    const auto [least, most] = std::minmax_element(medians.begin(), medians.end());
    if (medians.size() > 1 && number.median > 0.0) number.spread_percent = 100.0 * (*most - *least) / number.median;
    return number;
}

/// Names of the passes of all cells that have no passes below them, in the order of the frame.
std::vector<std::string> leaf_passes(const std::vector<SweepResult>& results) {
    std::vector<std::string> names, parents;
    for (const SweepResult& result : results) {
        if (result.runs.reports.empty()) continue;
        for (const auto& [name, pass] : result.runs.reports.front()["passes"].items()) {
            if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
            if (pass.contains("parent") && pass["parent"].is_string()) parents.push_back(pass["parent"]);
        }
    }
    std::erase_if(names, [&](const std::string& name) {
        return std::find(parents.begin(), parents.end(), name) != parents.end();
    });
    return names;
}

std::string links(const SweepResult& result) {
    std::string html;
    // In a link a % of the name would begin an escape itself.
    std::string folder;
    for (const char c : result.cell->folder) folder += c == '%' ? std::string("%25") : std::string(1, c);
    for (const int number : result.numbers)
        html += fmt::format("{}<a href=\"{}/{}.html\">{}</a>", html.empty() ? "" : " ", report::html_escape(folder),
                            number, number);
    return html.empty() ? "–" : html;
}

} // namespace

SweepAxis parse_sweep_axis(const std::string& text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) refuse(text, "must be NAME=VALUE,VALUE,... or NAME=all");
    const Parameter& p = sweepable_parameter(text, text.substr(0, equals));
    SweepAxis axis{&p, {}};
    const std::string list = text.substr(equals + 1);
    if (list == "all") {
        axis.values = all_values(text, p);
        return axis;
    }
    std::size_t begin = 0;
    while (begin <= list.size()) {
        const std::size_t end = std::min(list.find(',', begin), list.size());
        const std::string value = list.substr(begin, end - begin);
        begin = end + 1;
        if (value.empty()) refuse(text, "a value is missing");
        // The text of the value itself, so that 0.50 and 0.5 are one.
        Settings settings;
        apply(settings, {}, p, value);
        const std::string canonical = p.id == "sea" ? value : p.text(settings);
        if (std::find(axis.values.begin(), axis.values.end(), canonical) != axis.values.end())
            refuse(text, fmt::format("{} stands there twice", value));
        axis.values.push_back(canonical);
    }
    return axis;
}

std::vector<SweepCell> sweep_cells(const Settings& base, const std::vector<SweepAxis>& axes) {
    for (std::size_t second = 0; second < axes.size(); ++second)
        for (std::size_t first = 0; first < second; ++first)
            if (axes[first].parameter == axes[second].parameter)
                throw Error(ExitCode::usage, fmt::format("--sweep {}: given twice", axes[first].parameter->id));
    // A sea is what other values change, so it is put in first wherever its axis stands.
    std::vector<std::size_t> order;
    for (std::size_t axis = 0; axis < axes.size(); ++axis)
        order.insert(axes[axis].parameter->id == "sea" ? order.begin() : order.end(), axis);

    std::size_t count = 1;
    constexpr std::size_t most = 10'000;
    for (const SweepAxis& axis : axes) {
        count *= axis.values.size();
        if (count > most) throw Error(ExitCode::usage, fmt::format("--sweep: more than {} combinations", most));
    }
    std::vector<SweepCell> cells;
    for (std::size_t index = 0; index < count; ++index) {
        SweepCell cell;
        cell.settings = base;
        cell.values.resize(axes.size());
        std::size_t rest = index;
        for (std::size_t axis = axes.size(); axis-- > 0;) {
            cell.values[axis] = axes[axis].values[rest % axes[axis].values.size()];
            rest /= axes[axis].values.size();
        }
        for (const std::size_t axis : order) apply(cell.settings, base, *axes[axis].parameter, cell.values[axis]);
        for (std::size_t axis = 0; axis < axes.size(); ++axis) {
            const std::string part = fmt::format("{}={}", axes[axis].parameter->id, cell.values[axis]);
            cell.title.append(axis == 0 ? "" : ", ").append(part);
            cell.folder.append(axis == 0 ? "" : ",").append(file_name_of(part));
        }
        if (axes.empty()) cell.title = cell.folder = "run";
        cells.push_back(std::move(cell));
    }
    return cells;
}

Json sweep_description(const Settings& base, const std::vector<SweepAxis>& axes, int repeats,
                       const std::string& renderer) {
    const report::AppFacts app = report::app_facts();
    Json json{{"schema", "spindrift.sweep/1"}};
    json["app"] = {{"version", app.version}, {"git", app.git}, {"build_type", app.build_type}};
    json["renderer"] = renderer;
    json["command_line"] = command_line_of(base);
    json["axes"] = Json::array();
    for (const SweepAxis& axis : axes)
        json["axes"].push_back({{"parameter", axis.parameter->id}, {"values", axis.values}});
    json["repeats"] = repeats;
    return json;
}

std::string why_another_sweep(const Json& found, const Json& wanted) {
    const auto text = [](const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); };
    if (!found.is_object()) return "its sweep.json is none of this program's";
    for (const auto& [key, value] : wanted.items()) {
        if (key == "repeats") continue;
        const Json there = found.contains(key) ? found.at(key) : Json(nullptr);
        if (text(there) != text(value)) return fmt::format("its {} is {}, not {}", key, text(there), text(value));
    }
    return {};
}

std::string sweep_index(const std::vector<SweepAxis>& axes, const std::vector<SweepResult>& results, int repeats,
                        const std::string& command_line, bool complete) {
    using report::html_escape;
    std::size_t runs = 0;
    double slowest = 0.0;
    for (const SweepResult& result : results) {
        runs += result.runs.reports.size();
        const double median = number_of(result, {"frame", "gpu_ms", "median"}).median;
        if (std::isfinite(median)) slowest = std::max(slowest, median);
    }
    std::string body = fmt::format("<h1>Sweep: {} cells, {} repeats</h1>\n", results.size(), repeats);
    for (const SweepResult& result : results)
        if (!result.runs.reports.empty()) {
            const Json& gl = result.runs.reports.front()["gl"];
            if (gl.contains("renderer") && gl["renderer"].is_string())
                body += fmt::format("<p class=\"soft\">{}</p>\n", html_escape(gl["renderer"].get<std::string>()));
            break;
        }
    if (!complete)
        body += fmt::format("<div class=\"note\">{} runs so far: the sweep is not complete. The same command goes on "
                            "with what is missing.</div>\n",
                            runs);
    const std::vector<std::string> passes = leaf_passes(results);
    report::HtmlTable table;
    for (const SweepAxis& axis : axes) table.headings.push_back(html_escape(axis.parameter->id));
    if (axes.empty()) table.headings.emplace_back("");
    for (const char* heading : {"runs", "GPU frame", "", "spread", "frame time"}) table.headings.emplace_back(heading);
    for (const std::string& pass : passes) table.headings.push_back(html_escape(pass));
    for (const SweepResult& result : results) {
        std::vector<std::string> row;
        for (const std::string& value : result.cell->values) row.push_back(html_escape(value));
        if (axes.empty()) row.emplace_back("run");
        row.push_back(result.unavailable.empty() ? links(result)
                                                 : fmt::format("<span class=\"soft\">not available: {}</span>",
                                                               html_escape(result.unavailable)));
        const CellNumber gpu = number_of(result, {"frame", "gpu_ms", "median"});
        const CellNumber interval = number_of(result, {"frame", "interval_ms", "median"});
        row.push_back(report::html_ms(gpu.median));
        row.push_back(std::isfinite(gpu.median) && slowest > 0.0
                          ? fmt::format("<svg class=\"bar\" viewBox=\"0 0 150 16\" aria-hidden=\"true\"><rect y=\"3\" "
                                        "width=\"{:.1f}\" height=\"10\" rx=\"2\" fill=\"var(--c0)\"/></svg>",
                                        150.0 * gpu.median / slowest)
                          : std::string{});
        row.push_back(std::isfinite(gpu.spread_percent) ? report::html_number(gpu.spread_percent, 1) + " %" : "–");
        row.push_back(report::html_ms(interval.median));
        for (const std::string& pass : passes)
            row.push_back(report::html_ms(number_of(result, {"passes", pass.c_str(), "gpu_ms", "median"}).median));
        table.rows.push_back(std::move(row));
    }
    body += "<div class=\"panel\">" + table.str() + "</div>\n";
    body += "<p class=\"soft\">Milliseconds: medians of each run's frames, averaged over the runs; passes on the GPU. "
            "Spread: from the fastest to the slowest run. Repeats took turns with the other cells.</p>\n";
    body += fmt::format("<h2>Run it again</h2>\n<pre>{}</pre>\n", html_escape(command_line));
    if (results.size() > 1)
        body +=
            fmt::format("<p class=\"soft\">Two cells against each other, in this folder:</p>\n<pre>spindrift compare "
                        "--force {} {}</pre>\n",
                        html_escape(results.front().cell->folder), html_escape(results.back().cell->folder));
    return report::html_page("Sweep", body + "<footer>Spindrift sweep</footer>\n", true);
}

} // namespace spindrift
