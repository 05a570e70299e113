// `spindrift tune`: measures the kernels of `tuned` on this GPU and keeps the fastest as wisdom.
#include "app/command_line.h"
#include "app/commands/bench_fft.h"
#include "app/commands/command.h"
#include "app/commands/verify.h"
#include "app/ocean/fused_case.h"
#include "app/progress_line.h"
#include "app/report/report.h"
#include "app/termination_request.h"
#include "app/time_json.h"
#include "app/transform_tuning.h"
#include "app/tuning_messages.h"
#include "app/wisdom_file.h"
#include "engine/error.h"
#include "engine/files.h"
#include "engine/platform/headless_context.h"
#include "engine/platform/window.h"
#include "fft/fused_tuner.h"
#include "fft/tuner.h"

#include <CLI/CLI.hpp>
#include <chrono>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

namespace spindrift {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// A transform by itself, or the fused step of a sea.
struct Target {
    fft::TransformDesc desc;
    bool fused = false;
};

Json target_json(const Target& target) {
    const fft::TransformDesc& desc = target.desc;
    return {{"size", desc.size},
            {"direction", to_string(desc.direction)},
            {"packing", to_string(desc.packing)},
            {"layers", desc.layers},
            {"fields", desc.layers * fft::complex_per_texel(desc.packing)},
            {"storage", target.fused ? Json(nullptr) : Json(to_string(desc.storage))},
            {"fused", target.fused},
            {"intermediate", to_string(desc.intermediate)}};
}

ocean::SimulationDesc sea_of(const Target& target) {
    return {.algorithm = fft::Algorithm::tuned,
            .size = target.desc.size,
            .packing = target.desc.packing,
            .storage = target.desc.storage,
            .fused = true,
            .intermediate = target.desc.intermediate};
}

/// A search with what it needs.
struct Search {
    std::unique_ptr<ocean::FusedStepCase> fused_case;
    std::unique_ptr<fft::KernelSearch> tuner;
    fft::BenchmarkTime copy; ///< one pass over the same data, once it has ended; fused, without samples

    Search(const Target& target, fft::Effort effort, gl::ProgramLibrary& library, const gl::DeviceInfo& device) {
        if (target.fused) {
            fused_case = std::make_unique<ocean::FusedStepCase>(sea_of(target), nullptr, library, device);
            tuner = std::make_unique<fft::FusedTuner>(target.desc, effort, *fused_case, library, device);
        } else {
            auto plain = std::make_unique<fft::Tuner>(target.desc, effort, library, device);
            plain_ = plain.get();
            tuner = std::move(plain);
        }
    }
    void end() {
        if (plain_ != nullptr) copy = plain_->copy();
    }

private:
    const fft::Tuner* plain_ = nullptr;
};

Json tuner_json(const Target& target, const Search& search, double seconds) {
    const fft::KernelSearch& tuner = *search.tuner;
    Json json = target_json(target);
    json["seconds"] = seconds;
    json["copy_us"] = time_json(search.copy);
    if (const auto result = tuner.result()) {
        json["schedule"] = result->schedule.to_string();
        json["us"] = result->microseconds;
        json["rel_l2"] = result->relative_l2;
    }
    json["transforms"] = Json::array();
    for (const fft::ScheduleTrial& trial : tuner.schedules()) {
        Json entry{{"rows", trial.schedule.rows.to_string()},
                   {"columns", trial.schedule.columns.to_string()},
                   {"intermediate", to_string(trial.schedule.intermediate())}};
        add_outcome(entry, trial);
        json["transforms"].push_back(std::move(entry));
    }
    json["kernels"] = Json::array();
    for (const fft::KernelTrial& trial : tuner.kernels()) {
        Json entry{{"axis", to_string(trial.kernel.axis)}, {"kernel", trial.kernel.to_string()}};
        add_outcome(entry, trial);
        json["kernels"].push_back(std::move(entry));
    }
    return json;
}

class TuneCommand : public Command {
public:
    std::string name() const override { return "tune"; }
    std::string summary() const override { return "measures the kernels of `tuned` on this GPU and keeps the fastest"; }

    void add_options(CLI::App& options) override {
        const auto add = [&options](const char* flag, std::string& value, const char* place, const char* help) {
            options.add_option(flag, value, help)->type_name(place)->take_last();
        };
        add("--sizes", sizes_, "N,N,...", "Sizes [default 128 to 1024, on a software renderer 64]");
        add("--packing", packing_, "NAME", "vec2 or vec4 [default vec4]");
        add("--fields", fields_, "N", "Complex fields at once, 1 to 64, a multiple of the packing's [default 4]");
        add("--storage", storage_, "NAME", "Of the data: image or buffer [default both]");
        add("--direction", direction_, "NAME", "forward or inverse [default inverse]");
        add("--intermediate", intermediate_, "NAME", "fp32 or fp16: numbers between rows and columns [default fp32]");
        add("--effort", effort_, "NAME", "measure or patient [default measure]");
        add("--seconds", seconds_, "S", "Ends the search for candidates after that time, 1 to 86400");
        add("--wisdom", wisdom_file_, "FILE.json", "Keeps the result there [default: the cache folder]");
        add("--json", json_file_, "FILE.json", "Writes every candidate with its time and error");
        add("--progress", progress_, "NAME",
            "text or json: a line of JSON on standard output for each step, and for each "
            "result, which is kept where --wisdom says only [default text]");
        add("--shader-dir", shader_dir_, "FOLDER", "Reads shaders from a folder");
        options.add_flag(std::string("--fused"), only_fused_,
                         std::string("Fused steps of the sea alone [default: they, too, where fields are 4, inverse, "
                                     "and --storage is not given]"));
        options.add_flag(std::string("--again"), again_, std::string("Measures what the wisdom knows already, too"));
        options.add_flag(std::string("--window"), in_window_,
                         std::string("Runs in an invisible window on the display, as the demo does in a visible one: "
                                     "on its GPU, and with its cache of the driver's"));
    }

    int run() override {
        read_options();
        if (!json_file_.empty()) check_writable(json_file_);
        if (!wisdom_file_.empty()) check_writable(wisdom_file_);
        if (same_file(json_file_, wisdom_file_))
            throw Error(ExitCode::usage,
                        fmt::format("--wisdom {}: is also the file of --json; each needs its own", wisdom_file_));
        const std::unique_ptr<platform::Context> context = make_context();
        gl::ProgramLibrary library(shader_dir_.empty() ? gl::ShaderSources::embedded()
                                                       : gl::ShaderSources::directory(shader_dir_));
        if (set_.empty()) fill_set(context->device().software_renderer);
        return tune(library, context->device());
    }

private:
    std::unique_ptr<platform::Context> make_context() const {
        if (!in_window_) return std::make_unique<platform::HeadlessContext>();
        return std::make_unique<platform::Window>(
            platform::WindowDesc{.title = "Spindrift tune",
                                 .size = {64, 64},
                                 .debug = false,
                                 .vsync = platform::Vsync::off,
                                 .fullscreen = false,
                                 .visible = false,
                                 .without_display = "Without --window, tune needs none"});
    }

    void read_options() {
        if (!packing_.empty())
            desc_.packing = choice<fft::Packing>("--packing", packing_, fft::parse_packing, "vec2, vec4");
        const int lanes = fft::complex_per_texel(desc_.packing);
        const int fields = fields_.empty() ? 4 : parse_integer("--fields", fields_, 1, 64);
        if (fields % lanes != 0)
            throw Error(ExitCode::usage, fmt::format("--fields {}: packing {} holds {} in a layer", fields,
                                                     to_string(desc_.packing), lanes));
        desc_.layers = fields / lanes;
        if (!direction_.empty())
            desc_.direction =
                choice<fft::Direction>("--direction", direction_, fft::parse_direction, "forward, inverse");
        if (!intermediate_.empty())
            desc_.intermediate =
                choice<fft::Precision>("--intermediate", intermediate_, fft::parse_precision, "fp32, fp16");
        if (!storage_.empty() && only_fused_)
            throw Error(
                ExitCode::usage,
                fmt::format("--fused: a fused step keeps its values where it likes; leave --storage {} out", storage_));
        const bool has_fused_step =
            desc_.layers * lanes == ocean::field_count / 2 && desc_.direction == fft::Direction::inverse;
        if (only_fused_ && !has_fused_step)
            throw Error(ExitCode::usage,
                        fmt::format("--fused: a step of the sea has {} fields and is inverse; --fields "
                                    "is {}, --direction {}",
                                    ocean::field_count / 2, fields, to_string(desc_.direction)));
        fused_ = only_fused_ || (storage_.empty() && has_fused_step);
        if (only_fused_) storages_.clear();
        if (!storage_.empty())
            storages_ = {choice<fft::Storage>("--storage", storage_, fft::parse_storage, "image, buffer")};
        if (!effort_.empty()) {
            desc_effort_ = choice<fft::Effort>("--effort", effort_, fft::parse_effort, "measure, patient");
            if (desc_effort_ == fft::Effort::estimate)
                throw Error(ExitCode::usage, "--effort estimate: tune is for measuring: measure or patient");
        }
        if (!progress_.empty() && progress_ != "text" && progress_ != "json")
            throw Error(ExitCode::usage, fmt::format("--progress {}: must be one of text, json", progress_));
        for_programs_ = progress_ == "json";
        if (!seconds_.empty()) most_seconds_ = parse_integer("--seconds", seconds_, 1, 86400);
        if (!sizes_.empty()) {
            chosen_sizes_ = parse_sizes(sizes_, "--sizes");
            fill_set(false);
        }
    }

    void fill_set(bool software) {
        if (chosen_sizes_.empty())
            chosen_sizes_ = software ? std::vector<int>{64} : std::vector<int>{128, 256, 512, 1024};
        for (const int size : chosen_sizes_) {
            fft::TransformDesc desc = desc_;
            desc.algorithm = fft::Algorithm::tuned;
            desc.size = size;
            for (const fft::Storage storage : storages_) {
                desc.storage = storage;
                set_.push_back({desc});
            }
            desc.storage = fft::Storage::buffer;
            if (fused_) set_.push_back({desc, true});
        }
    }

    /// A target for which no search is made, for people and for programs.
    struct Skipped {
        std::string text, why;
    };

    std::optional<Skipped> find_skipped(const Target& target, const fft::Wisdom& wisdom,
                                        const gl::DeviceInfo& device) const {
        if (const auto reason = target.fused ? ocean::FusedStepCase::why_unavailable(sea_of(target), device.limits)
                                             : fft::why_unavailable(target.desc, device.limits))
            return Skipped{fmt::format("not run: {}", *reason), *reason};
        const auto* known =
            target.fused ? wisdom.find_fused(target.desc, desc_effort_) : wisdom.find(target.desc, desc_effort_);
        if (known == nullptr || again_) return std::nullopt;
        return Skipped{fmt::format("known: {:.2f} us, {}", known->microseconds, known->schedule.to_string()), "known"};
    }

    int tune(gl::ProgramLibrary& library, const gl::DeviceInfo& device) {
        // A signal ends the search between two steps; wisdom of the sizes that are finished is kept.
        const TerminationRequest termination;
        LoadedWisdom loaded = load_wisdom(device, library.sources(), wisdom_file_);
        // Old wisdom in the cache folder gives way to new; a file that the user named may be anything.
        if (loaded.refused && !wisdom_file_.empty())
            throw Error(fmt::format("--wisdom {}; delete it or name another file", loaded.state));
        warn_of_refusal(loaded);
        fft::Wisdom wisdom = *loaded.wisdom;
        Json report = report_head(device);
        std::string text;
        bool all_right = true;
        std::size_t kept = 0;
        start_ = Clock::now();
        for (std::size_t index = 0; index < set_.size() && !termination.received(); ++index) {
            const Target& target = set_[index];
            const fft::TransformDesc& desc = target.desc;
            const std::string what = describe_tuned(desc, target.fused);
            if (const auto skipped = find_skipped(target, wisdom, device)) {
                text += fmt::format("{}: {}\n", what, skipped->text);
                if (for_programs_) print_out(skipped_line(what, skipped->why));
                continue;
            }
            const auto begun = Clock::now();
            Search search(target, desc_effort_, library, device);
            // What is in use competes with what is found.
            if (const auto* in_use = target.fused ? wisdom.find_fused(desc) : wisdom.find(desc))
                search.tuner->also_try(in_use->schedule);
            const bool hurried = run_search(*search.tuner, index, termination);
            if (termination.received()) break;
            search.end();
            auto result = search.tuner->result();
            if (result && hurried) result->effort = fft::Effort::estimate; // so that a later search begins anew
            if (for_programs_) print_out(to_json_line(result_of(*search.tuner, result, device, wisdom.shader_hash())));
            report["results"].push_back(tuner_json(target, search, seconds_since(begun)));
            text += outcome(what, search, hurried);
            if (result) {
                wisdom.add(*result);
                ++kept;
                keep(wisdom, loaded);
            } else {
                all_right = false;
            }
        }
        // What was measured is in the wisdom; an old file is worth more than a part of a new one.
        if (!json_file_.empty() && !termination.received())
            write_file_atomically(json_file_, report.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
        if (termination.received() && for_programs_) print_out(interrupted_line());
        if (termination.received()) text += kept > 0 ? "interrupted: what was finished is kept\n" : "interrupted\n";
        if (termination.received() && !json_file_.empty())
            text += fmt::format("--json {}: not written, the search is incomplete\n", json_file_);
        if (loaded.file.empty())
            text += "no cache folder: nothing is kept\n";
        else
            text += kept > 0 ? fmt::format("wisdom: {}\n", loaded.file.string()) : "wisdom: nothing new\n";
        if (!for_programs_)
            print_out(fmt::format("{}, {}; effort {}\n", device.renderer, device.version, to_string(desc_effort_)) +
                      text);
        return static_cast<int>(all_right && !termination.received() ? ExitCode::success : ExitCode::runtime_failure);
    }

    /// Each transform gets an equal share of the time that is left, and of that each of its searches. True when time
    /// ended one of these.
    bool run_search(fft::KernelSearch& tuner, std::size_t index, const TerminationRequest& termination) const {
        bool hurried = false;
        const ProgressLine line;
        constexpr double searching = 0.85; // the rest is for whole transforms
        const double share =
            searching * (most_seconds_ - seconds_since(start_)) / static_cast<double>(set_.size() - index);
        const auto begun = Clock::now();
        auto search_begun = begun;
        std::size_t finished = 0;
        while (!termination.received() && tuner.step()) {
            if (for_programs_)
                print_out(to_json_line(progress_of(tuner)));
            else
                line.show(fmt::format("[{}/{}] {}", index + 1, set_.size(), tuner.doing()));
            if (tuner.searches_finished() != finished) {
                finished = tuner.searches_finished();
                search_begun = Clock::now();
            }
            if (most_seconds_ <= 0 || finished == tuner.searches()) continue;
            const double left = share - (seconds_since(begun) - seconds_since(search_begun));
            if (seconds_since(search_begun) < left / static_cast<double>(tuner.searches() - finished)) continue;
            tuner.end_search();
            hurried = true;
        }
        return hurried;
    }

    static std::string outcome(const std::string& what, const Search& search, bool hurried) {
        const fft::KernelSearch& tuner = *search.tuner;
        const std::string copy =
            search.copy.samples > 0 ? fmt::format(" (copy pass {:.2f} us)", search.copy.median) : std::string();
        std::size_t wrong = 0;
        for (const fft::KernelTrial& trial : tuner.kernels()) wrong += trial.ok ? 0 : 1;
        std::string text = fmt::format("{}: ", what);
        if (const auto result = tuner.result())
            text += fmt::format("{:.2f} us, rel L2 {:.1e}{}: {}; {} kernels tried", result->microseconds,
                                result->relative_l2, copy, result->schedule.to_string(), tuner.kernels().size());
        else
            text += fmt::format("FAILED: none of {} kernels is right", tuner.kernels().size());
        if (hurried) text += ", ended by --seconds";
        return text + (wrong == 0 ? "\n" : fmt::format(", {} of them refused\n", wrong));
    }

    /// A program that reads the results keeps them itself.
    void keep(const fft::Wisdom& wisdom, const LoadedWisdom& loaded) const {
        if (!loaded.file.empty() && !(for_programs_ && wisdom_file_.empty())) save_wisdom(wisdom, loaded.file);
    }

    Json report_head(const gl::DeviceInfo& device) const {
        const report::AppFacts app = report::app_facts();
        Json json{{"schema", "spindrift.tune/1"}};
        json["app"] = {{"version", app.version}, {"git", app.git}, {"build_type", app.build_type}};
        json["gpu"] = {{"vendor", device.vendor},
                       {"renderer", device.renderer},
                       {"gl", device.version},
                       {"software_renderer", device.software_renderer}};
        json["effort"] = to_string(desc_effort_);
        json["results"] = Json::array();
        return json;
    }

    template <class Choice, class Parse>
    static Choice choice(const char* flag, const std::string& text, Parse parse, const char* names) {
        if (const auto value = parse(text)) return *value;
        throw Error(ExitCode::usage, fmt::format("{} {}: must be one of {}", flag, text, names));
    }

    std::string sizes_, packing_, fields_, storage_, direction_, intermediate_, effort_, seconds_, wisdom_file_,
        json_file_, shader_dir_, progress_;
    bool again_ = false, only_fused_ = false, in_window_ = false;
    bool fused_ = false;        ///< fused steps, too
    bool for_programs_ = false; ///< --progress json
    fft::TransformDesc desc_;
    fft::Effort desc_effort_ = fft::Effort::measure;
    std::vector<fft::Storage> storages_{fft::all_storages.begin(), fft::all_storages.end()};
    std::vector<int> chosen_sizes_;
    std::vector<Target> set_;
    double most_seconds_ = 0; ///< 0 = no limit
    Clock::time_point start_;
};

const RegisterCommand<TuneCommand> registration;

} // namespace
} // namespace spindrift
