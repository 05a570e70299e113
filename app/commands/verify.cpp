#include "app/commands/verify.h"

#include "app/command_line.h"
#include "app/commands/command.h"
#include "app/progress_line.h"
#include "app/suggestion.h"
#include "app/wisdom_file.h"
#include "engine/error.h"
#include "engine/files.h"
#include "engine/platform/headless_context.h"
#include "fft/cuda_module.h"
#include "fft/registry.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>

namespace spindrift {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t progress_width = 40;

Json finite_or_null(double value) {
    return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json variant_json(const fft::TransformDesc& desc) {
    return {{"algorithm", to_string(desc.algorithm)},
            {"packing", to_string(desc.packing)},
            {"storage", to_string(desc.storage)},
            {"direction", to_string(desc.direction)},
            {"size", desc.size},
            {"layers", desc.layers}};
}

std::string row_name(const fft::TransformDesc& desc) {
    return fmt::format("{:<20} {:<4} {:<6} {:<7}", to_string(desc.algorithm), to_string(desc.packing),
                       to_string(desc.storage), to_string(desc.direction));
}

std::string cell(const fft::VerificationResult& result) {
    if (result.ok) return fmt::format("{:.2e}", result.norms.relative_l2);
    return std::isfinite(result.norms.relative_l2) ? fmt::format("!{:.1e}", result.norms.relative_l2) : "!broken";
}

/// Why, once for each reason, and how many transforms it concerns.
std::string unavailable_lines(const fft::VerificationReport& report) {
    std::map<std::string, std::size_t> reasons;
    for (const auto& entry : report.unavailable)
        ++reasons[fmt::format("{}: {}", to_string(entry.desc.algorithm), entry.reason)];
    std::string text;
    for (const auto& [reason, count] : reasons) text += fmt::format("not run ({}): {}\n", count, reason);
    return text;
}

fft::VerificationReport verify_here(const VerifySettings& settings, const platform::HeadlessContext& context,
                                    std::string& wisdom_state) {
    gl::ProgramLibrary library(settings.shader_dir.empty() ? gl::ShaderSources::embedded()
                                                           : gl::ShaderSources::directory(settings.shader_dir));
    wisdom_state = use_wisdom(context.device(), library.sources()).state;
    const ProgressLine line;
    return fft::verify(settings.set, library, context.device().limits,
                       [&line](std::size_t done, std::size_t total, const fft::TransformDesc& next) {
                           line.show(fmt::format("{}  {} {}", progress_bar(done, total, progress_width),
                                                 to_string(next.algorithm), next.size));
                       });
}

class VerifyCommand : public Command {
public:
    std::string name() const override { return "verify"; }
    std::string summary() const override { return "checks every transform against a double-precision reference"; }

    void add_options(CLI::App& options) override {
        CLI::Option* sizes = options.add_option("--sizes", sizes_, "Sizes with commas between [default 16 to 512]")
                                 ->type_name("N,N,...")
                                 ->take_last();
        options.add_flag(std::string("--all"), all_, std::string("All sizes up to the device's limit"))
            ->excludes(sizes);
        options.add_option("--algorithm", algorithm_, "Only this one; --list-algorithms names them")
            ->type_name("NAME")
            ->take_last();
        options.add_option("--packing", packing_, "Only vec2 or vec4")->type_name("NAME")->take_last();
        options.add_option("--storage", storage_, "Only image or buffer")->type_name("NAME")->take_last();
        options.add_option("--seed", seed_, "Of the random input [default 1]")->type_name("N")->take_last();
        options.add_option("--json", settings_.json_file, "Writes the results as JSON")
            ->type_name("FILE.json")
            ->take_last();
        options.add_option("--shader-dir", settings_.shader_dir, "Reads shaders from a folder instead of the embedded")
            ->type_name("FOLDER")
            ->take_last();
    }

    int run() override {
        fft::VerificationSet& set = settings_.set;
        if (!sizes_.empty()) set.sizes = parse_sizes(sizes_, "--sizes");
        if (all_) {
            set.sizes.clear();
            for (int size = fft::min_size; size <= fft::largest_size; size *= 2) set.sizes.push_back(size);
        }
        if (!algorithm_.empty()) {
            const auto algorithm = fft::parse_algorithm(algorithm_);
            std::vector<std::string> names;
            for (const auto& info : fft::algorithms()) names.emplace_back(info.name);
            if (!algorithm)
                throw Error(ExitCode::usage, fmt::format("--algorithm {}: must be one of {}{}", algorithm_,
                                                         fft::algorithm_names(), did_you_mean(algorithm_, names)));
            set.algorithms = {*algorithm};
        }
        if (!packing_.empty()) {
            const auto packing = fft::parse_packing(packing_);
            if (!packing)
                throw Error(ExitCode::usage, fmt::format("--packing {}: must be one of vec2, vec4", packing_));
            set.packings = {*packing};
        }
        if (!storage_.empty()) {
            const auto storage = fft::parse_storage(storage_);
            if (!storage)
                throw Error(ExitCode::usage, fmt::format("--storage {}: must be one of image, buffer", storage_));
            set.storages = {*storage};
        }
        set.seed = seed_;
        return run_verify(settings_);
    }

private:
    VerifySettings settings_;
    std::string sizes_, algorithm_, packing_, storage_;
    std::uint64_t seed_ = 1;
    bool all_ = false;
};

const RegisterCommand<VerifyCommand> registration;

} // namespace

void check_intermediate(fft::Algorithm algorithm, fft::Precision intermediate) {
    if (intermediate == fft::Precision::fp32 || algorithm == fft::Algorithm::tuned) return;
    throw Error(ExitCode::usage, fmt::format("--intermediate {}: is of --algorithm tuned only, not of {}",
                                             to_string(intermediate), to_string(algorithm)));
}

int parse_integer(const std::string& flag, const std::string& text, int least, int most) {
    int value = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || stop != text.data() + text.size() || value < least || value > most)
        throw Error(ExitCode::usage,
                    fmt::format("{} {}: must be a whole number from {} to {}", flag, text, least, most));
    return value;
}

std::vector<int> parse_sizes(const std::string& text, const std::string& flag) {
    std::set<int> sizes;
    std::size_t begin = 0;
    while (begin <= text.size()) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        const std::string part = text.substr(begin, end - begin);
        int size = 0;
        const auto [stop, error] = std::from_chars(part.data(), part.data() + part.size(), size);
        if (error != std::errc{} || stop != part.data() + part.size() || size < fft::min_size ||
            size > fft::largest_size || !fft::is_power_of_two(size))
            throw Error(ExitCode::usage, fmt::format("{} {}: \"{}\" must be a power of two from {} to {}", flag, text,
                                                     part, fft::min_size, fft::largest_size));
        sizes.insert(size);
        begin = end + 1;
    }
    return {sizes.begin(), sizes.end()};
}

nlohmann::ordered_json verification_json(const fft::VerificationReport& report, const gl::DeviceInfo& device) {
    Json json{{"schema", "spindrift.verify/1"}};
    json["gpu"] = {{"vendor", device.vendor},
                   {"renderer", device.renderer},
                   {"gl", device.version},
                   {"software_renderer", device.software_renderer}};
    json["ok"] = report.ok();
    json["failures"] = report.failures();
    json["results"] = Json::array();
    for (const fft::VerificationResult& result : report.results) {
        Json entry = variant_json(result.desc);
        entry["rel_l2"] = finite_or_null(result.norms.relative_l2);
        entry["max_over_rms"] = finite_or_null(result.norms.max_over_rms);
        entry["gate"] = result.gate;
        entry["ok"] = result.ok;
        if (!result.failure.empty()) entry["failure"] = result.failure;
        json["results"].push_back(std::move(entry));
    }
    json["unavailable"] = Json::array();
    for (const fft::UnavailableTransform& unavailable : report.unavailable) {
        Json entry = variant_json(unavailable.desc);
        entry["reason"] = unavailable.reason;
        json["unavailable"].push_back(std::move(entry));
    }
    return json;
}

std::string verification_table(const fft::VerificationReport& report) {
    std::set<int> sizes;
    std::vector<std::string> rows; // in the order of their first result
    std::map<std::string, std::map<int, std::string>> cells;
    for (const fft::VerificationResult& result : report.results) {
        const std::string row = row_name(result.desc);
        if (!cells.contains(row)) rows.push_back(row);
        cells[row][result.desc.size] = cell(result);
        sizes.insert(result.desc.size);
    }
    std::sort(rows.begin(), rows.end());
    std::string text = fmt::format("{:<20} {:<4} {:<6} {:<7}", "relative L2 error", "", "", "");
    for (const int size : sizes) text += fmt::format(" {:>8}", size);
    text += "\n";
    for (const std::string& row : rows) {
        text += row;
        for (const int size : sizes) {
            const auto found = cells[row].find(size);
            text += fmt::format(" {:>8}", found == cells[row].end() ? "-" : found->second);
        }
        text += "\n";
    }
    return text;
}

int run_verify(const VerifySettings& settings) {
    if (!settings.json_file.empty()) check_writable(settings.json_file);
    platform::HeadlessContext context;
    fft::cuda::connect(context);
    std::string wisdom_state;
    const fft::VerificationReport report = verify_here(settings, context, wisdom_state);
    if (!settings.json_file.empty())
        write_file_atomically(
            settings.json_file,
            verification_json(report, context.device()).dump(2, ' ', false, Json::error_handler_t::replace) + "\n");

    std::string text = fmt::format("{}, {}\n\n", context.device().renderer, context.device().version);
    const auto& algorithms = settings.set.algorithms;
    if (std::find(algorithms.begin(), algorithms.end(), fft::Algorithm::tuned) != algorithms.end())
        text += fmt::format("wisdom of tuned: {}\n\n", wisdom_state);
    text += verification_table(report) + unavailable_lines(report) + "\n";
    for (const fft::VerificationResult& result : report.results)
        if (!result.ok) text += fmt::format("FAILED {}\n", result.describe());
    text += fmt::format("{} of {} transforms are within the gate {:g}\n", report.results.size() - report.failures(),
                        report.results.size(), fft::fp32_gate);
    print_out(text);
    return static_cast<int>(report.ok() ? ExitCode::success : ExitCode::runtime_failure);
}

} // namespace spindrift
