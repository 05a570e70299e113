// Pages: well-formed, self-contained, and with the numbers of the report in them.
#include "app/report/chart.h"
#include "app/report/html.h"
#include "app/report/report_html.h"
#include "app/report/series.h"
#include "engine/error.h"
#include "tests/unit/report_sample.h"

#include <cmath>
#include <gtest/gtest.h>
#include <numeric>
#include <regex>
#include <set>

namespace spindrift::report {
namespace {

constexpr double nan = profiler::not_available;

/// Empty when every element that opens closes again in order and no text has a stray <; else what is wrong.
std::string fault_of(const std::string& html) {
    static const std::set<std::string> without_end{"meta", "br", "!DOCTYPE"};
    std::vector<std::string> open;
    for (std::size_t place = html.find('<'); place != std::string::npos; place = html.find('<', place + 1)) {
        const std::size_t end = html.find('>', place);
        if (end == std::string::npos) return "a tag that does not end";
        const std::string tag = html.substr(place + 1, end - place - 1);
        const std::string name = tag.substr(0, tag.find_first_of(" /", 1));
        if (tag.find('<') != std::string::npos) return "a < inside of <" + tag;
        if (tag.ends_with('/') || without_end.contains(name)) continue;
        if (tag.starts_with('/')) {
            if (open.empty() || "/" + open.back() != tag) return "</" + tag.substr(1) + "> closes nothing";
            open.pop_back();
        } else {
            open.push_back(name);
        }
    }
    return open.empty() ? "" : "<" + open.back() + "> stays open";
}

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (std::size_t place = text.find(part); place != std::string::npos; place = text.find(part, place + 1)) ++found;
    return found;
}

Report sample(std::size_t frames) {
    Report report = begin_report({}, "test");
    report.run.algorithm = "stockham-radix4";
    report.run.size = 512;
    report.run.vsync = "off";
    report.run.command_line = "spindrift --report 'a <b> & \"c\" é.html'";
    report.recording = test::sample_recording(std::vector<std::pair<double, double>>(frames, {1.25, 2.5}));
    return report;
}

TEST(Html, EscapesWhatHtmlWouldRead) {
    EXPECT_EQ(html_escape("a<b>&\"c\"'d'"), "a&lt;b&gt;&amp;&quot;c&quot;&#39;d&#39;");
    EXPECT_EQ(html_escape("é 漢 🌊"), "é 漢 🌊");
    EXPECT_EQ(html_escape(std::string_view("a\0b\x1b\n\t\x7f", 7)), "ab\n\t");
    for (const char* bad : {"\xff", "\xc3", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x28\xa1"}) {
        EXPECT_NE(html_escape(bad).find("\xEF\xBF\xBD"), std::string::npos);
        EXPECT_NE(html_escape(bad), bad);
    }
    EXPECT_EQ(html_escape("\xc3"), "\xEF\xBF\xBD");
}

TEST(Html, NumbersThatAreNotThereAreDashes) {
    EXPECT_EQ(html_ms(nan), "–");
    EXPECT_EQ(html_ms(0.01234567), "0.0123");
    EXPECT_EQ(html_ms(12.3456), "12.346");
    EXPECT_EQ(html_number(INFINITY, 1), "–");
}

TEST(Html, ThePageNeedsNothingElseAndIsWellFormed) {
    const std::string page = to_html(to_json(sample(40)));
    EXPECT_EQ(fault_of(page), "");
    for (const char* part : {"http", "<script", "src=", "@import", "url("})
        EXPECT_EQ(page.find(part), std::string::npos) << part;
    EXPECT_NE(page.find("prefers-color-scheme:dark"), std::string::npos);
    for (const char* part :
         {"Frame times", "Distribution", "Passes", "Percentiles", "Run it again", "fft.horizontal", "stockham-radix4",
          "spindrift --report &#39;a &lt;b&gt; &amp; &quot;c&quot; é.html&#39;", "1.250", "2.500", "between passes"})
        EXPECT_NE(page.find(part), std::string::npos) << part;
    EXPECT_EQ(page.find("nan"), std::string::npos);
    EXPECT_EQ(page.find("inf,"), std::string::npos);
}

TEST(Html, NoFrameOneFrameAndHolesInAReport) {
    EXPECT_NE(to_html(to_json(sample(0))).find("Nothing was recorded"), std::string::npos);
    EXPECT_EQ(fault_of(to_html(to_json(sample(0)))), "");
    EXPECT_EQ(fault_of(to_html(to_json(sample(1)))), "");
    Json report = to_json(sample(30));
    for (const char* key : {"system", "series", "frame", "passes", "gl", "run"}) {
        report.erase(key);
        EXPECT_EQ(fault_of(to_html(report)), "") << key;
    }
    EXPECT_EQ(fault_of(to_html(Json::object())), "");
    Json odd = to_json(sample(30));
    odd["passes"] = {{"<evil>", {{"gpu_ms", {{"median", "text"}}}}}};
    odd["notes"] = {"clocks moved: <1980> & 345 MHz"};
    odd["clocks"] = {{"reasons", {"power", "thermal"}}};
    const std::string page = to_html(odd);
    EXPECT_EQ(fault_of(page), "");
    EXPECT_NE(page.find("&lt;evil&gt;"), std::string::npos);
    EXPECT_NE(page.find("clocks moved: &lt;1980&gt; &amp; 345 MHz"), std::string::npos);
    EXPECT_NE(page.find("thermal"), std::string::npos) << "what a later version adds is shown";
}

TEST(Html, OnlyNamesThatEndInHtml) {
    EXPECT_THROW(check_html_path("a.htm", "--html"), Error);
    EXPECT_THROW(check_html_path("/nonexistent/a.html", "--html"), Error);
}

TEST(Charts, TicksAreRoundNumbers) {
    EXPECT_EQ(detail::ticks(10.0, 5), (std::vector<double>{0, 2, 4, 6, 8, 10}));
    EXPECT_EQ(detail::ticks(0.9, 4).at(1), 0.5);
    EXPECT_EQ(detail::ticks(0.0, 5), std::vector<double>{0.0});
    EXPECT_EQ(detail::ticks(nan, 5), std::vector<double>{0.0});
    for (const double top : {0.003, 1.0, 7.3, 16.6, 999.0, 36000.0}) {
        const auto ticks = detail::ticks(top, 5);
        EXPECT_GE(ticks.back(), top * 0.999);
        EXPECT_LE(ticks.size(), 8u);
        EXPECT_GE(ticks.size(), 3u);
    }
}

TEST(Charts, AFewSlowFramesAreMarkedAndDoNotFlattenTheOthers) {
    std::vector<double> values(1000, 8.0);
    values[500] = 200.0;
    const std::string svg = line_chart(std::vector{ChartLine{"frame", values, 0}}, "test");
    EXPECT_NE(svg.find("1 time above"), std::string::npos) << svg.substr(svg.size() - 200);
    EXPECT_NE(svg.find("200.000 ms"), std::string::npos);
    values[500] = 12.0;
    EXPECT_EQ(line_chart(std::vector{ChartLine{"frame", values, 0}}, "test").find("above"), std::string::npos);
}

TEST(Charts, GapsSplitTheLine) {
    const std::vector<double> values{1, 2, nan, 3, 4, nan, 5};
    const std::string svg = line_chart(std::vector{ChartLine{"x", values, 0}}, "test");
    EXPECT_EQ(count(svg, "<polyline"), 2u);
    EXPECT_EQ(count(svg, "<circle"), 1u);
    EXPECT_EQ(svg.find("nan"), std::string::npos);
    EXPECT_NE(line_chart(std::vector{ChartLine{"x", {nan, nan}, 0}}, "test").find("No times"), std::string::npos);
    EXPECT_NE(stacked_chart({}, "test").find("No times"), std::string::npos);
}

TEST(Charts, SharesOfAHistogramAddUp) {
    std::vector<double> values;
    for (int index = 0; index < 500; ++index) values.push_back(5.0 + 0.001 * ((index * 37) % 500));
    const std::string svg = histogram_chart(std::vector{ChartLine{"frame", values, 0}}, "test");
    double sum = 0.0;
    for (std::size_t place = svg.find(" ms, "); place != std::string::npos; place = svg.find(" ms, ", place + 1))
        sum += std::stod(svg.substr(place + 5));
    EXPECT_NEAR(sum, 100.0, 0.05 * static_cast<double>(count(svg, "<rect")));
    EXPECT_EQ(count(histogram_chart(std::vector{ChartLine{"x", std::vector<double>(9, 2.0), 0}}, "test"), "<rect"), 1u)
        << "equal times are one bar";
}

/// Place and text of the numbers below an axis.
std::vector<std::pair<double, std::string>> numbers_below(const std::string& svg) {
    std::vector<std::pair<double, std::string>> numbers;
    const std::regex text("<text x=\"([0-9.]+)\" y=\"[0-9.]+\" text-anchor=\"middle\">([^<]*)</text>");
    for (std::sregex_iterator match(svg.begin(), svg.end(), text), end; match != end; ++match)
        numbers.emplace_back(std::stod((*match)[1]), (*match)[2]);
    return numbers;
}

TEST(Charts, NumbersBelowAHistogramDifferAndStandApart) {
    constexpr double widest_digit = 7.5; // of an 11-pixel font
    for (const double middle : {0.0125, 0.1004, 16.6667, 21.1861, 1234.5})
        for (const double range : {1e-5, 1e-4, 1e-3, 0.01, 0.1, 1.0}) {
            std::vector<double> values;
            for (int index = 0; index <= 200; ++index) values.push_back(middle * (1.0 + range * index / 200.0));
            const auto numbers = numbers_below(histogram_chart(std::vector{ChartLine{"frame", values, 0}}, "test"));
            ASSERT_GE(numbers.size(), 3U) << middle << " " << range;
            for (std::size_t index = 1; index < numbers.size(); ++index) {
                const auto& [left, left_text] = numbers[index - 1];
                const auto& [right, right_text] = numbers[index];
                EXPECT_LT(std::stod(left_text), std::stod(right_text)) << left_text << " " << right_text;
                const auto length = static_cast<double>(left_text.size() + right_text.size());
                EXPECT_GT(right - left, 0.5 * widest_digit * length) << left_text << " " << right_text;
            }
        }
}

TEST(Charts, AHistogramOfTimesThatDifferByTheirLastBitEnds) {
    const std::vector<double> values{1e9, std::nextafter(1e9, 2e9)};
    EXPECT_NE(histogram_chart(std::vector{ChartLine{"frame", values, 0}}, "test").find("</svg>"), std::string::npos);
}

TEST(Series, KeepNanosecondsAndComeBack) {
    Report report = sample(3);
    report.recording.frames[1].gpu_valid = false;
    report.recording.frames[2].gpu_duration = 1'234'567;
    const Json json = to_json(report);
    EXPECT_EQ(json["series"]["frame"]["gpu_ms"].dump(), "[7.0,null,1.234567]");
    EXPECT_EQ(json["series"]["passes"]["evolve"]["gpu_ms"].dump(), "[1.25,1.25,1.25]");
    const std::string text = report_text(json);
    EXPECT_EQ(Json::parse(text), json);
    EXPECT_NE(text.find("\"gpu_ms\": [7.0,null,1.234567]"), std::string::npos) << "a series stands on one line";
    const auto back = read_series(Json::parse(text), "frame", "gpu");
    ASSERT_EQ(back.size(), 3u);
    EXPECT_DOUBLE_EQ(back[2], 1.234567);
    EXPECT_TRUE(std::isnan(back[1]));
    EXPECT_TRUE(read_series(json, "nothing", "gpu").empty());
    EXPECT_TRUE(read_series(Json{{"series", 5}}, "frame", "gpu").empty());
}

TEST(Html, AComparisonShowsBothSides) {
    Report slow = sample(40);
    for (auto& scope : slow.recording.scopes)
        if (scope.node == 2) scope.gpu_duration *= 2;
    std::vector<Group> groups(2);
    groups[0].name = "before <1>.json";
    groups[1].name = "after.json";
    groups[0].reports = {to_json(sample(40))};
    groups[1].reports = {to_json(slow)};
    const std::vector<Comparison> comparisons{compare(groups[0], groups[1], 5.0)};
    const std::string page = to_html(comparisons, groups);
    EXPECT_EQ(fault_of(page), "");
    EXPECT_NE(page.find("<b>fft.horizontal gpu</b> is slower: 2.500 → 5.000 ms, +100.0 %"), std::string::npos);
    EXPECT_NE(page.find("before &lt;1&gt;.json"), std::string::npos);
    EXPECT_GE(count(page, "<polyline"), 10u);
    groups[1].reports[0].erase("series");
    groups[0].reports[0].erase("series");
    EXPECT_NE(to_html(comparisons, groups).find("no times of single frames"), std::string::npos);
}

} // namespace
} // namespace spindrift::report
