// `spindrift bench WHAT`: measurements of this machine.
#include "app/commands/bench_fft.h"
#include "app/commands/bench_ocean.h"
#include "app/commands/bench_recorder.h"
#include "app/commands/bench_step.h"
#include "app/commands/command.h"
#include "app/commands/verify.h"
#include "engine/error.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <set>

namespace spindrift {
namespace {

std::vector<std::string> split(const std::string& text) {
    std::vector<std::string> parts;
    std::size_t begin = 0;
    while (begin <= text.size()) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        parts.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

/// "1,2,4" -> fields, each 1, 2 or 4.
std::vector<int> parse_fields(const std::string& text) {
    std::set<int> fields;
    for (const std::string& part : split(text)) {
        if (part != "1" && part != "2" && part != "4")
            throw Error(ExitCode::usage, fmt::format("--fields {}: \"{}\" must be one of 1, 2, 4", text, part));
        fields.insert(part.front() - '0');
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

/// In the order of the list, each once.
std::vector<fft::Algorithm> parse_algorithms(const std::string& text) {
    std::vector<fft::Algorithm> algorithms;
    for (const std::string& name : split(text)) {
        const auto algorithm =
            parse_choice<fft::Algorithm>("--algorithm", name, fft::parse_algorithm, fft::all_algorithms);
        if (std::find(algorithms.begin(), algorithms.end(), algorithm) == algorithms.end())
            algorithms.push_back(algorithm);
    }
    return algorithms;
}

class BenchCommand : public Command {
public:
    std::string name() const override { return "bench"; }
    std::string summary() const override {
        return "times transforms on this GPU: bench fft, in steps of the sea: bench step, in its frames: bench ocean; "
               "or measuring: bench recorder";
    }

    void add_options(CLI::App& options) override {
        options.add_option("WHAT", what_, "What to time: fft, step, ocean or recorder")->required();
        add(options, "--sizes", sizes_, "N,N,...",
            "Sizes [default 128 to 1024; step: 256,512,1024; ocean: 512,1024; recorder: one]");
        add(options, "--algorithm", algorithm_, "NAME,NAME,...", "Only these [default all]");
        add(options, "--storage", storage_, "NAME", "Only image or buffer [default both; ocean: image; not of step]");
        add(options, "--json", json_file_, "FILE.json", "Writes all numbers as JSON");
        add(options, "--csv", csv_file_, "FILE.csv", "Writes the table as CSV");
        add(options, "--markdown", markdown_file_, "FILE.md", "Writes the table as Markdown");
        add(options, "--shader-dir", shader_dir_, "FOLDER", "Reads shaders from a folder");
        options.add_flag(std::string("--force"), force_, std::string("Measure a Debug build all the same"));

        const char* const fft = "fft only";
        add(options, "--table", table_, "N", "1, 2 or 3: a table of the dissertation, measured here")->group(fft);
        add(options, "--fields", fields_, "N,N,...", "Complex fields at once: 1, 2, 4 [default all]")->group(fft);
        add(options, "--direction", direction_, "NAME", "forward or inverse [default inverse]")->group(fft);
        add(options, "--repetitions", repetitions_, "N", "Samples of each, 1 to 10000 [default 200; recorder: 60]")
            ->group("fft and recorder");
        add(options, "--back-to-back", back_to_back_, "N", "Transforms in a sample, 1 to 100 [default 1]")->group(fft);
        add(options, "--butterflies", butterflies_, "N",
            "Butterflies of an invocation in each stage, a power of two [default the planner's choice]")
            ->group(fft);

        options
            .add_flag(std::string("--mips"), mips_,
                      std::string("With the maps' mip levels in each step, as a frame pays them; without, they are "
                                  "measured by themselves only"))
            ->group("step only");

        const char* const ocean = "ocean only";
        add(options, "--vertices", vertices_, "N", "The mesh has at least as many [default 2000000]");
        add(options, "--frames", frames_, "N", "Measured frames of each, 1 to 10000 [default 200]")->group(ocean);
        add(options, "--width", width_, "PIXELS", "Of the picture, 16 to 16384 [default 1280]");
        add(options, "--height", height_, "PIXELS", "Of the picture, 16 to 16384 [default 720]");
    }

    int run() override {
        if (mips_ && what_ != "step")
            throw Error(ExitCode::usage, fmt::format("--mips: is of bench step, not {}", what_));
        if (what_ == "fft") return bench_fft();
        if (what_ == "step") return bench_step();
        if (what_ == "ocean") return bench_ocean();
        if (what_ == "recorder") return bench_recorder();
        throw Error(ExitCode::usage, fmt::format("bench {}: must be fft, step, ocean or recorder", what_));
    }

private:
    using Given = std::vector<std::pair<const char*, const std::string*>>;

    static CLI::Option* add(CLI::App& options, const std::string& flag, std::string& value, const std::string& place,
                            const std::string& help) {
        return options.add_option(flag, value, help)->type_name(place)->take_last();
    }

    static void refuse(const Given& flags, const std::string& reason) {
        for (const auto& [flag, value] : flags)
            if (!value->empty()) throw Error(ExitCode::usage, fmt::format("{} {}: {}", flag, *value, reason));
    }

    /// What all benchmarks read.
    template <class BenchSettings>
    void fill_common(BenchSettings& settings) const {
        if (!sizes_.empty()) settings.sizes = parse_sizes(sizes_, "--sizes");
        if (!algorithm_.empty()) settings.algorithms = parse_algorithms(algorithm_);
        settings.json_file = json_file_;
        settings.csv_file = csv_file_;
        settings.markdown_file = markdown_file_;
        settings.shader_dir = shader_dir_;
        settings.force = force_;
    }

    int bench_fft() const {
        refuse({{"--vertices", &vertices_}, {"--frames", &frames_}, {"--width", &width_}, {"--height", &height_}},
               "is of bench ocean; bench fft draws nothing");
        BenchFftSettings settings;
        if (!table_.empty()) {
            settings.table = parse_integer("--table", table_, 1, 3);
            refuse({{"--fields", &fields_},
                    {"--algorithm", &algorithm_},
                    {"--storage", &storage_},
                    {"--direction", &direction_}},
                   fmt::format("--table {} says already what is measured", table_));
        }
        fill_common(settings);
        if (!fields_.empty()) settings.fields = parse_fields(fields_);
        if (!storage_.empty())
            settings.storages = {
                parse_choice<fft::Storage>("--storage", storage_, fft::parse_storage, fft::all_storages)};
        if (!direction_.empty())
            settings.direction =
                parse_choice<fft::Direction>("--direction", direction_, fft::parse_direction, fft::all_directions);
        if (!repetitions_.empty()) settings.repetitions = parse_integer("--repetitions", repetitions_, 1, 10000);
        if (!back_to_back_.empty())
            settings.transforms_per_sample = parse_integer("--back-to-back", back_to_back_, 1, 100);
        if (!butterflies_.empty())
            settings.butterflies_per_invocation = parse_integer("--butterflies", butterflies_, 1, fft::max_size / 2);
        return run_bench_fft(settings);
    }

    int bench_step() const {
        const char* const reason = "bench step takes sizes and algorithms only";
        refuse({{"--storage", &storage_},
                {"--table", &table_},
                {"--fields", &fields_},
                {"--direction", &direction_},
                {"--repetitions", &repetitions_},
                {"--back-to-back", &back_to_back_},
                {"--butterflies", &butterflies_}},
               reason);
        refuse({{"--vertices", &vertices_}, {"--frames", &frames_}, {"--width", &width_}, {"--height", &height_}},
               reason);
        BenchStepSettings settings;
        fill_common(settings);
        settings.mips = mips_;
        return run_bench_step(settings);
    }

    int bench_ocean() const {
        refuse({{"--table", &table_},
                {"--fields", &fields_},
                {"--direction", &direction_},
                {"--repetitions", &repetitions_},
                {"--back-to-back", &back_to_back_},
                {"--butterflies", &butterflies_}},
               "is of bench fft; bench ocean measures the sea's own transforms");
        BenchOceanSettings settings;
        fill_common(settings);
        if (!storage_.empty())
            settings.storage = parse_choice<fft::Storage>("--storage", storage_, fft::parse_storage, fft::all_storages);
        if (!vertices_.empty()) settings.vertices = parse_integer("--vertices", vertices_, 1000, 100'000'000);
        if (!frames_.empty()) settings.frames = parse_integer("--frames", frames_, 1, 10000);
        if (!width_.empty()) settings.width = parse_integer("--width", width_, 16, 16384);
        if (!height_.empty()) settings.height = parse_integer("--height", height_, 16, 16384);
        return run_bench_ocean(settings);
    }

    int bench_recorder() const {
        refuse({{"--table", &table_},
                {"--fields", &fields_},
                {"--algorithm", &algorithm_},
                {"--storage", &storage_},
                {"--direction", &direction_},
                {"--back-to-back", &back_to_back_},
                {"--butterflies", &butterflies_},
                {"--frames", &frames_},
                {"--csv", &csv_file_},
                {"--markdown", &markdown_file_}},
               "has no meaning for bench recorder");
        BenchRecorderSettings settings;
        if (!sizes_.empty()) {
            const std::vector<int> sizes = parse_sizes(sizes_, "--sizes");
            if (sizes.size() != 1)
                throw Error(ExitCode::usage, fmt::format("--sizes {}: must be one size for bench recorder", sizes_));
            settings.scene.size = sizes.front();
            settings.scene.given.insert("size");
        }
        if (!vertices_.empty()) {
            settings.scene.vertices = parse_integer("--vertices", vertices_, 1000, 100'000'000);
            settings.scene.given.insert("vertices");
        }
        if (!width_.empty()) settings.scene.width = parse_integer("--width", width_, 16, 16384);
        if (!height_.empty()) settings.scene.height = parse_integer("--height", height_, 16, 16384);
        if (!repetitions_.empty()) settings.rounds = parse_integer("--repetitions", repetitions_, 1, 10000);
        settings.json_file = json_file_;
        settings.shader_dir = shader_dir_;
        return run_bench_recorder(settings);
    }

    std::string what_, sizes_, algorithm_, storage_, json_file_, csv_file_, markdown_file_, shader_dir_;
    std::string table_, fields_, direction_, repetitions_, back_to_back_, butterflies_;
    std::string vertices_, frames_, width_, height_;
    bool force_ = false, mips_ = false;
};

const RegisterCommand<BenchCommand> registration;

} // namespace
} // namespace spindrift
