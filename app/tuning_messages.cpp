#include "app/tuning_messages.h"

#include "app/time_json.h"
#include "engine/error.h"

#include <fmt/format.h>
#include <limits>

namespace spindrift {
namespace {

using Json = nlohmann::ordered_json;

/// The fastest of the kernels that do the same as the last one.
double fastest_of_search(std::span<const fft::KernelTrial> trials) {
    double best = 0;
    if (trials.empty()) return best;
    const fft::KernelParameters& last = trials.back().kernel;
    for (const fft::KernelTrial& trial : trials) {
        const fft::KernelParameters& kernel = trial.kernel;
        const bool same = kernel.axis == last.axis && kernel.placement == last.placement &&
                          kernel.source == last.source && kernel.target == last.target;
        if (same && trial.time.samples > 0 && (best == 0 || trial.time.median < best)) best = trial.time.median;
    }
    return best;
}

Json to_json(const TuningProgress& progress) {
    return {{"message", "progress"},         {"doing", progress.doing},
            {"searches", progress.searches}, {"searches_finished", progress.searches_finished},
            {"kernels", progress.kernels},   {"best_us", progress.best_microseconds}};
}

Json to_json(const TuningResult& result) {
    Json json{{"message", "result"},
              {"wisdom", result.wisdom.empty() ? Json(nullptr) : Json::parse(result.wisdom)},
              {"kernels", result.kernels},
              {"schedules", Json::array()}};
    for (const NamedTrial& trial : result.schedules) {
        Json entry{{"rows", trial.rows}, {"columns", trial.columns}};
        add_outcome(entry, trial);
        json["schedules"].push_back(std::move(entry));
    }
    return json;
}

std::string line_of(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

TuningProgress parse_progress(const Json& json) {
    return {.doing = json.at("doing").get<std::string>(),
            .searches = json.at("searches").get<std::size_t>(),
            .searches_finished = json.at("searches_finished").get<std::size_t>(),
            .kernels = json.at("kernels").get<std::size_t>(),
            .best_microseconds = json.at("best_us").get<double>()};
}

NamedTrial parse_trial(const Json& json) {
    const Json& error = json.at("rel_l2");
    return {.rows = json.at("rows").get<std::string>(),
            .columns = json.at("columns").get<std::string>(),
            .ok = json.at("ok").get<bool>(),
            .failure = json.value("failure", std::string()),
            .relative_l2 = error.is_null() ? std::numeric_limits<double>::quiet_NaN() : error.get<double>(),
            .time = parse_time_json(json.at("us"))};
}

TuningResult parse_result(const Json& json) {
    const Json& wisdom = json.at("wisdom");
    TuningResult result{.wisdom = wisdom.is_null() ? std::string() : wisdom.dump(),
                        .kernels = json.at("kernels").get<std::size_t>(),
                        .schedules = {}};
    for (const Json& trial : json.at("schedules")) result.schedules.push_back(parse_trial(trial));
    return result;
}

} // namespace

TuningProgress progress_of(const fft::KernelSearch& search) {
    return {.doing = search.doing(),
            .searches = search.searches(),
            .searches_finished = search.searches_finished(),
            .kernels = search.kernels().size(),
            .best_microseconds = fastest_of_search(search.kernels())};
}

TuningResult result_of(const fft::KernelSearch& search, const std::optional<fft::WisdomEntry>& entry,
                       const gl::DeviceInfo& device, const std::string& shader_hash) {
    TuningResult result;
    result.kernels = search.kernels().size();
    if (entry) {
        fft::Wisdom wisdom(device, shader_hash);
        wisdom.add(*entry);
        result.wisdom = wisdom.to_json();
    }
    for (const fft::ScheduleTrial& trial : search.schedules())
        result.schedules.push_back({.rows = trial.schedule.rows.to_string(),
                                    .columns = trial.schedule.columns.to_string(),
                                    .ok = trial.ok,
                                    .failure = trial.failure,
                                    .relative_l2 = trial.relative_l2,
                                    .time = trial.time});
    return result;
}

std::string to_json_line(const TuningMessage& message) {
    return line_of(std::visit([](const auto& what) { return to_json(what); }, message));
}

std::string skipped_line(const std::string& what, const std::string& why) {
    return line_of({{"message", "skipped"}, {"what", what}, {"why", why}});
}

std::string interrupted_line() {
    return line_of({{"message", "interrupted"}});
}

std::optional<TuningMessage> parse_tuning_message(std::string_view line) {
    const Json json = Json::parse(line, nullptr, false);
    if (!json.is_object()) throw Error(fmt::format("a tuning message is no JSON object: {}", line.substr(0, 80)));
    try {
        const std::string message = json.at("message").get<std::string>();
        if (message == "progress") return parse_progress(json);
        if (message == "result") return parse_result(json);
        return std::nullopt;
    } catch (const Json::exception& error) {
        throw Error(fmt::format("a tuning message is damaged: {}", error.what()));
    }
}

} // namespace spindrift
