#include "app/report/series.h"

#include <cmath>
#include <fmt/format.h>

namespace spindrift::report {
namespace {

using Json = nlohmann::ordered_json;

/// Times are whole nanoseconds: six decimals say all there is.
Json rounded(double milliseconds) {
    return std::isfinite(milliseconds) ? Json(std::round(milliseconds * 1e6) / 1e6) : Json(nullptr);
}

Json numbers(const std::vector<double>& values) {
    Json json = Json::array();
    for (const double value : values) json.push_back(rounded(value));
    return json;
}

std::string compact(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Objects with a line for each member, everything else on one line.
void append(std::string& text, const Json& json, const std::string& indent) {
    if (!json.is_object() || json.empty()) {
        text += compact(json);
        return;
    }
    const char* separator = "{\n";
    for (const auto& [key, value] : json.items()) {
        text += fmt::format("{}{}  {}: ", separator, indent, compact(Json(key)));
        append(text, value, indent + "  ");
        separator = ",\n";
    }
    text += fmt::format("\n{}}}", indent);
}

} // namespace

Json series_json(const profiler::Recording& recording, const std::vector<std::string>& names) {
    std::vector<double> interval, cpu, gpu;
    for (const profiler::RecordedFrame& frame : recording.frames) {
        interval.push_back(frame.interval_ms());
        cpu.push_back(frame.cpu_ms());
        gpu.push_back(frame.gpu_ms());
    }
    Json json;
    json["frame"] = {{"interval_ms", numbers(interval)}, {"cpu_ms", numbers(cpu)}, {"gpu_ms", numbers(gpu)}};
    json["passes"] = Json::object();
    for (const profiler::ScopeSeries& series : recording.series())
        json["passes"][names[static_cast<std::size_t>(series.node)]] = {{"gpu_ms", numbers(series.gpu_ms)}};
    return json;
}

std::string report_text(const Json& report) {
    std::string text;
    const char* separator = "{\n";
    for (const auto& [key, value] : report.items()) {
        text += fmt::format("{}  {}: ", separator, compact(Json(key)));
        separator = ",\n";
        if (key == "series") {
            append(text, value, "  ");
            continue;
        }
        for (const char character : value.dump(2, ' ', false, Json::error_handler_t::replace)) {
            text += character;
            if (character == '\n') text += "  "; // a line break inside a string is escaped: this one is of the layout
        }
    }
    return text + "\n}\n";
}

std::vector<double> read_series(const Json& report, const std::string& pass, const std::string& clock) {
    const Json* owner = report.contains("series") ? &report.at("series") : nullptr;
    const auto descend = [&owner](const std::string& key) {
        if (owner != nullptr) owner = owner->is_object() && owner->contains(key) ? &owner->at(key) : nullptr;
    };
    if (pass != "frame") descend("passes");
    descend(pass);
    descend(clock + "_ms");
    std::vector<double> values;
    if (owner == nullptr || !owner->is_array()) return values;
    for (const Json& value : *owner)
        values.push_back(value.is_number() ? value.get<double>() : profiler::not_available);
    return values;
}

} // namespace spindrift::report
