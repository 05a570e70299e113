// `spindrift bench WHAT`: measurements of this machine.
#include "app/commands/bench_fft.h"
#include "app/commands/command.h"
#include "app/commands/verify.h"
#include "engine/error.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <fmt/format.h>
#include <set>

namespace spindrift {
namespace {

/// "1,2,4" -> fields, each 1, 2 or 4.
std::vector<int> parse_fields(const std::string& text) {
    std::set<int> fields;
    std::size_t begin = 0;
    while (begin <= text.size()) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        const std::string part = text.substr(begin, end - begin);
        if (part != "1" && part != "2" && part != "4")
            throw Error(ExitCode::usage, fmt::format("--fields {}: \"{}\" must be one of 1, 2, 4", text, part));
        fields.insert(part.front() - '0');
        begin = end + 1;
    }
    return {fields.begin(), fields.end()};
}

/// One value of a list of names, or Error(usage).
template <class Choice, class Parse, class Choices>
Choice parse_choice(const std::string& flag, const std::string& text, Parse parse, const Choices& choices) {
    if (const auto choice = parse(text)) return *choice;
    std::vector<std::string_view> names;
    names.reserve(choices.size());
    for (const Choice choice : choices) names.push_back(to_string(choice));
    throw Error(ExitCode::usage, fmt::format("{} {}: must be one of {}", flag, text, fmt::join(names, ", ")));
}

class BenchCommand : public Command {
public:
    std::string name() const override { return "bench"; }
    std::string summary() const override { return "times transforms on this GPU: bench fft"; }

    void add_options(CLI::App& options) override {
        options.add_option("WHAT", what_, "What to time: fft")->required();
        add(options, "--table", table_, "N", "1, 2 or 3: a table of the dissertation, measured here");
        add(options, "--sizes", sizes_, "N,N,...", "Sizes [default 128 to 1024]");
        add(options, "--fields", fields_, "N,N,...", "Complex fields at once: 1, 2, 4 [default all]");
        add(options, "--algorithm", algorithm_, "NAME", "Only this one");
        add(options, "--storage", storage_, "NAME", "Only image or buffer");
        add(options, "--direction", direction_, "NAME", "forward or inverse [default inverse]");
        add(options, "--repetitions", repetitions_, "N", "Samples of each, 1 to 10000 [default 200]");
        add(options, "--back-to-back", back_to_back_, "N", "Transforms in a sample, 1 to 100 [default 1]");
        add(options, "--butterflies", butterflies_, "N",
            "Butterflies of an invocation in each stage, a power of two [default the planner's choice]");
        add(options, "--json", settings_.json_file, "FILE.json", "Writes all numbers as JSON");
        add(options, "--csv", settings_.csv_file, "FILE.csv", "Writes the table as CSV");
        add(options, "--markdown", settings_.markdown_file, "FILE.md", "Writes the table as Markdown");
        add(options, "--shader-dir", settings_.shader_dir, "FOLDER", "Reads shaders from a folder");
        options.add_flag(std::string("--force"), settings_.force, std::string("Measure a Debug build all the same"));
    }

    int run() override {
        if (what_ != "fft") throw Error(ExitCode::usage, fmt::format("bench {}: must be fft", what_));
        if (!table_.empty()) {
            settings_.table = parse_integer("--table", table_, 1, 3);
            for (const auto& [flag, value] : {std::pair("--fields", fields_), std::pair("--algorithm", algorithm_),
                                              std::pair("--storage", storage_), std::pair("--direction", direction_)})
                if (!value.empty())
                    throw Error(ExitCode::usage,
                                fmt::format("{} {}: --table {} says already what is measured", flag, value, table_));
        }
        if (!sizes_.empty()) settings_.sizes = parse_sizes(sizes_, "--sizes");
        if (!fields_.empty()) settings_.fields = parse_fields(fields_);
        if (!algorithm_.empty())
            settings_.algorithms = {
                parse_choice<fft::Algorithm>("--algorithm", algorithm_, fft::parse_algorithm, fft::all_algorithms)};
        if (!storage_.empty())
            settings_.storages = {
                parse_choice<fft::Storage>("--storage", storage_, fft::parse_storage, fft::all_storages)};
        if (!direction_.empty())
            settings_.direction =
                parse_choice<fft::Direction>("--direction", direction_, fft::parse_direction, fft::all_directions);
        if (!repetitions_.empty()) settings_.repetitions = parse_integer("--repetitions", repetitions_, 1, 10000);
        if (!back_to_back_.empty())
            settings_.transforms_per_sample = parse_integer("--back-to-back", back_to_back_, 1, 100);
        if (!butterflies_.empty())
            settings_.butterflies_per_invocation = parse_integer("--butterflies", butterflies_, 1, fft::max_size / 2);
        return run_bench_fft(settings_);
    }

private:
    static CLI::Option* add(CLI::App& options, const std::string& flag, std::string& value, const std::string& place,
                            const std::string& help) {
        return options.add_option(flag, value, help)->type_name(place)->take_last();
    }

    static int parse_integer(const std::string& flag, const std::string& text, int least, int most) {
        int value = 0;
        const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc{} || stop != text.data() + text.size() || value < least || value > most)
            throw Error(ExitCode::usage,
                        fmt::format("{} {}: must be a whole number from {} to {}", flag, text, least, most));
        return value;
    }

    BenchFftSettings settings_;
    std::string what_, table_, sizes_, fields_, algorithm_, storage_, direction_, repetitions_, back_to_back_,
        butterflies_;
};

const RegisterCommand<BenchCommand> registration;

} // namespace
} // namespace spindrift
