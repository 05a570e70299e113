#include "app/report/html.h"

#include "engine/error.h"
#include "engine/files.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace spindrift::report {
namespace {

constexpr std::string_view style = R"css(
:root{color-scheme:light dark;--page:#fbfcfd;--panel:#fff;--ink:#1b2430;--soft:#5b6776;--line:#dde3ea;--grid:#e8edf2;
--good:#1c7c4a;--bad:#c0322b;--warn:#8a5a00;--warnbg:#fff4dc;--mark:#eef3f9;
--c0:#2367c8;--c1:#d9730d;--c2:#2a8f5c;--c3:#b83280;--c4:#7450c8;--c5:#0f8a98;--c6:#94721a;--c7:#c93a3a;--c8:#7b8794}
@media (prefers-color-scheme:dark){:root{--page:#10151c;--panel:#171e27;--ink:#e4e9ef;--soft:#9aa7b5;--line:#2b3642;
--grid:#25303b;--good:#57c48a;--bad:#ff7a70;--warn:#f0c060;--warnbg:#2e2614;--mark:#1e2835;
--c0:#6ea8ff;--c1:#ff9f45;--c2:#58c98f;--c3:#f07fc0;--c4:#a98bf5;--c5:#4cc6d4;--c6:#d3b04c;--c7:#ff8078;--c8:#8f9baa}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:15px/1.5 system-ui,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
main{max-width:1120px;margin:0 auto;padding:28px 24px 60px}main.wide{max-width:1700px}
h1{font-size:25px;line-height:1.25;margin:0 0 4px;overflow-wrap:anywhere}
h2{font-size:18px;margin:34px 0 10px}h3{font-size:15px;margin:16px 0 4px;overflow-wrap:anywhere}
p{margin:6px 0}.soft{color:var(--soft)}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(150px,1fr));gap:10px;margin:18px 0}
.card{background:var(--panel);border:1px solid var(--line);border-radius:8px;padding:10px 14px}
.card b{display:block;font-size:22px;font-weight:600;font-variant-numeric:tabular-nums}
.card span{color:var(--soft);font-size:13px}
.panel{background:var(--panel);border:1px solid var(--line);border-radius:8px;padding:12px 14px}
.pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(420px,1fr));gap:12px}
@media (max-width:520px){.pair{grid-template-columns:1fr}main{padding:18px 12px}}
.note{background:var(--warnbg);border-left:4px solid var(--warn);padding:8px 12px;margin:8px 0;border-radius:4px;
overflow-wrap:anywhere}
.verdict{border-left:4px solid var(--soft);padding:8px 12px;margin:12px 0;background:var(--mark);border-radius:4px;
overflow-wrap:anywhere}
.verdict.bad{border-color:var(--bad)}.verdict.good{border-color:var(--good)}
.bad{color:var(--bad)}.good{color:var(--good)}.verdict.bad,.verdict.good{color:var(--ink)}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:14px}
th,td{padding:5px 10px;border-bottom:1px solid var(--line);text-align:right;white-space:nowrap;
font-variant-numeric:tabular-nums}
th{color:var(--soft);font-weight:600}th:first-child,td:first-child{text-align:left}
table.words td,table.words th{text-align:left;white-space:normal;overflow-wrap:anywhere;vertical-align:top}
table.words td:first-child{color:var(--soft);width:38%}
tr:last-child td{border-bottom:0}
pre{background:var(--mark);border:1px solid var(--line);border-radius:8px;padding:10px 12px;white-space:pre-wrap;
overflow-wrap:anywhere;font:13px/1.5 ui-monospace,"DejaVu Sans Mono",monospace;user-select:all;margin:8px 0}
details{margin:8px 0}summary{cursor:pointer;font-weight:600;padding:4px 0}
.legend{display:flex;flex-wrap:wrap;gap:4px 16px;font-size:13px;color:var(--soft);margin:0 0 6px;padding:0;list-style:none}
.legend i{display:inline-block;width:11px;height:11px;border-radius:3px;margin-right:6px;vertical-align:-1px}
.swatch{display:inline-block;width:11px;height:11px;border-radius:3px;margin-right:8px;vertical-align:-1px}
.panel>h3{margin-top:0}svg+.scroll{margin-top:14px}
svg{display:block;width:100%;height:auto;overflow:visible}
svg text{fill:var(--soft);font:11px system-ui,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
svg .grid{stroke:var(--grid);stroke-width:1}svg .axis{stroke:var(--line);stroke-width:1}
svg.bar{width:150px;height:16px;display:inline-block;vertical-align:-3px}
a{color:var(--c0)}
footer{margin-top:40px;color:var(--soft);font-size:13px}
@media print{:root{--page:#fff}details{display:block}}
)css";

/// Length of the well-formed UTF-8 sequence at the front (RFC 3629), or 0.
std::size_t utf8_length(std::string_view text) {
    const auto byte = [&](std::size_t index) { return static_cast<unsigned char>(text[index]); };
    const unsigned first = byte(0);
    if (first < 0x80) return 1;
    const std::size_t length = first >= 0xF5 || first < 0xC2 ? 0 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (length == 0 || text.size() < length) return 0;
    for (std::size_t index = 1; index < length; ++index)
        if ((byte(index) & 0xC0U) != 0x80) return 0;
    const unsigned second = byte(1);
    const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
    const bool beyond = (first == 0xED && second > 0x9F) || (first == 0xF4 && second > 0x8F);
    return overlong || beyond ? 0 : length;
}

} // namespace

std::string html_escape(std::string_view text) {
    std::string escaped;
    while (!text.empty()) {
        const std::size_t length = utf8_length(text);
        const char first = text.front();
        if (length == 0) {
            escaped += "\xEF\xBF\xBD";
        } else if (first == '&') {
            escaped += "&amp;";
        } else if (first == '<') {
            escaped += "&lt;";
        } else if (first == '>') {
            escaped += "&gt;";
        } else if (first == '"') {
            escaped += "&quot;";
        } else if (first == '\'') {
            escaped += "&#39;";
        } else if (length > 1 || static_cast<unsigned char>(first) >= 0x20 || first == '\n' || first == '\t') {
            if (first != '\x7F') escaped += text.substr(0, length);
        }
        text.remove_prefix(std::max<std::size_t>(1, length));
    }
    return escaped;
}

std::string html_page(std::string_view title, std::string_view body, bool wide) {
    return fmt::format("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                       "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
                       "<meta name=\"color-scheme\" content=\"light dark\">\n<title>{}</title>\n<style>{}</style>\n"
                       "</head>\n<body>\n<main{}>\n{}</main>\n</body>\n</html>\n",
                       html_escape(title), style, wide ? " class=\"wide\"" : "", body);
}

std::string HtmlTable::str() const {
    std::string html = text_columns ? "<div class=\"scroll\"><table class=\"words\">" : "<div class=\"scroll\"><table>";
    if (!headings.empty()) {
        html += "<thead><tr>";
        for (const std::string& heading : headings) html += fmt::format("<th scope=\"col\">{}</th>", heading);
        html += "</tr></thead>";
    }
    html += "<tbody>\n";
    for (const auto& row : rows) {
        html += "<tr>";
        for (const std::string& cell : row) html += fmt::format("<td>{}</td>", cell);
        html += "</tr>\n";
    }
    return html + "</tbody></table></div>\n";
}

std::string html_details(std::string_view summary, std::string_view body, bool open) {
    return fmt::format("<details{}><summary>{}</summary>\n{}</details>\n", open ? " open" : "", html_escape(summary),
                       body);
}

std::string html_number(double value, int decimals) {
    return std::isfinite(value) ? fmt::format("{:.{}f}", value, decimals) : std::string("–");
}

std::string html_ms(double milliseconds) {
    return html_number(milliseconds, std::abs(milliseconds) < 1.0 ? 4 : 3);
}

void check_html_path(const std::filesystem::path& path, std::string_view flag) {
    if (path.extension() != ".html")
        throw Error(ExitCode::usage, fmt::format("{} {}: must be the name of a .html file", flag, path.string()));
    check_writable(path);
}

} // namespace spindrift::report
