#include "app/time_json.h"

namespace spindrift {

using Json = nlohmann::ordered_json;

Json time_json(const fft::BenchmarkTime& time) {
    if (time.samples == 0) return nullptr;
    return {{"median", time.median}, {"p5", time.p5},   {"p95", time.p95},
            {"min", time.min},       {"max", time.max}, {"samples", time.samples}};
}

fft::BenchmarkTime parse_time_json(const Json& json) {
    if (json.is_null()) return {};
    const auto number = [&json](const char* name) { return json.at(name).get<double>(); };
    return {.median = number("median"),
            .p5 = number("p5"),
            .p95 = number("p95"),
            .min = number("min"),
            .max = number("max"),
            .samples = json.at("samples").get<std::size_t>()};
}

} // namespace spindrift
