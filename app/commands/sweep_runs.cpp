#include "app/commands/sweep_runs.h"

#include "app/command_line.h"
#include "app/commands/demo.h"
#include "app/progress_line.h"
#include "app/report/report_html.h"
#include "app/report/series.h"
#include "app/scene.h"
#include "app/shaders.h"
#include "app/sweep.h"
#include "app/termination_request.h"
#include "engine/error.h"
#include "engine/files.h"
#include "engine/platform/headless_context.h"
#include "fft/cuda_module.h"

#include <algorithm>
#include <fmt/format.h>
#include <spdlog/spdlog.h>

namespace spindrift {
namespace {

namespace fs = std::filesystem;
using report::Json;

void refuse_outputs(const Settings& settings) {
    for (const auto& [flag, value] : {std::pair("--screenshot", &settings.screenshot),
                                      {"--report", &settings.report},
                                      {"--html", &settings.html},
                                      {"--trace", &settings.trace}})
        if (!value->empty())
            throw Error(ExitCode::usage, fmt::format("{} {}: a sweep names its files itself, in --out", flag, *value));
}

void make_folder(const fs::path& folder) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) throw Error(fmt::format("cannot make the folder {}: {}", folder.string(), error.message()));
}

/// Before anything is written: that the folder is new, empty, or this sweep's.
void check_folder(const fs::path& folder, const Json& description) {
    std::error_code error;
    if (!fs::exists(folder, error)) return;
    const fs::path file = folder / "sweep.json";
    if (!fs::is_directory(folder, error))
        throw Error(ExitCode::usage, fmt::format("--out {}: is no folder", folder.string()));
    if (!fs::exists(file, error)) {
        if (fs::is_empty(folder, error) && !error) return;
        throw Error(ExitCode::usage,
                    fmt::format("--out {}: the folder has files in it, but no sweep.json", folder.string()));
    }
    const std::string why = why_another_sweep(Json::parse(read_file(file), nullptr, false), description);
    if (!why.empty())
        throw Error(ExitCode::usage, fmt::format("--out {}: holds another sweep: {}", folder.string(), why));
}

constexpr std::size_t progress_width = 40;

class Sweep {
public:
    Sweep(const Settings& base, const SweepSettings& sweep) : sweep_(sweep) {
        for (const std::string& text : sweep.axes) axes_.push_back(parse_sweep_axis(text));
        base_ = base;
        base_.headless = true;
        for (const SweepAxis& axis : axes_) base_.given.insert(axis.parameter->id);
        cells_ = sweep_cells(base_, axes_); // so that a wrong value is refused before a device is opened
    }

    int run() {
        platform::HeadlessContext context({.debug = base_.gl_debug, .size = {base_.width, base_.height}});
        fft::cuda::connect(context);
        fill_headless_defaults(base_, context.device());
        cells_ = sweep_cells(base_, axes_);
        const Json description = sweep_description(base_, axes_, sweep_.repeats, context.device().renderer);
        check_folder(sweep_.folder, description);
        make_folder(sweep_.folder);
        write_file_atomically(sweep_.folder / "sweep.json",
                              description.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
        gl::ProgramLibrary programs = make_program_library(base_, context.device());
        read_what_is_there(context.device());
        const std::size_t kept = done_;
        const TerminationRequest termination;
        const bool complete = run_what_is_missing(context, programs, termination);
        write_index(complete);
        if (!complete)
            throw Error(
                fmt::format("interrupted after {} of {} runs; the same command goes on with the rest", done_, total_));
        print_out(
            fmt::format("{} runs, {} of them from before: {}\n", done_, kept, (sweep_.folder / "index.html").string()));
        return static_cast<int>(total_ > 0 ? ExitCode::success : ExitCode::runtime_failure); // nothing can run here
    }

private:
    fs::path run_file(const SweepCell& cell, int number, const char* ending) const {
        return sweep_.folder / cell.folder / fmt::format("{}{}", number, ending);
    }

    void read_what_is_there(const gl::DeviceInfo& device) {
        std::vector<std::string> damaged;
        for (const SweepCell& cell : cells_) {
            SweepResult& result = results_.emplace_back();
            result.cell = &cell;
            Settings settings = cell.settings;
            choose_layout_of_cufft(settings);
            const auto reason = fft::why_unavailable(ocean::transform_desc(simulation_desc(settings)), device.limits);
            if (reason) {
                result.unavailable = *reason;
                spdlog::warn("{}: not available: {}", cell.title, *reason);
                continue;
            }
            total_ += static_cast<std::size_t>(sweep_.repeats);
            for (int number = 1; number <= sweep_.repeats; ++number) {
                std::error_code error;
                const fs::path file = run_file(cell, number, ".json");
                if (!fs::exists(file, error)) continue;
                try {
                    keep(result, number, report::load_group(file).reports.front());
                } catch (const Error& failure) {
                    damaged.emplace_back(failure.what());
                }
            }
        }
        if (!damaged.empty())
            throw Error(fmt::format("{}; delete {}, and the {} done again", fmt::join(damaged, "; "),
                                    damaged.size() == 1 ? "it" : "them", damaged.size() == 1 ? "run is" : "runs are"));
    }

    void keep(SweepResult& result, int number, Json report) {
        report.erase("series"); // of a long sweep they would fill the memory, and the index needs none
        result.runs.reports.push_back(std::move(report));
        result.numbers.push_back(number);
        ++done_;
    }

    /// False when it was interrupted.
    bool run_what_is_missing(const platform::Context& context, gl::ProgramLibrary& programs,
                             const TerminationRequest& termination) {
        const ProgressLine progress;
        for (int number = 1; number <= sweep_.repeats; ++number)
            for (SweepResult& result : results_) {
                if (!result.unavailable.empty()) continue;
                if (std::find(result.numbers.begin(), result.numbers.end(), number) != result.numbers.end()) continue;
                const std::string what = fmt::format("{}, repeat {} of {}", result.cell->title, number, sweep_.repeats);
                progress.show(fmt::format("{}  {}", progress_bar(done_, total_, progress_width), what));
                if (!progress.visible()) spdlog::info("run {} of {}: {}", done_ + 1, total_, what);
                Settings settings = result.cell->settings;
                choose_layout_of_cufft(settings);
                const fs::path file = run_file(*result.cell, number, ".json");
                settings.report = file.string();
                const auto measured =
                    measure_headless(settings, context, programs, [&] { return termination.received(); });
                if (!measured) return false;
                Json json = report::to_json(*measured);
                make_folder(file.parent_path());
                // The report last: where it is, the run is complete.
                write_file_atomically(run_file(*result.cell, number, ".html"), report::to_html(json));
                write_file_atomically(file, report::report_text(json));
                keep(result, number, std::move(json));
            }
        return true;
    }

    void write_index(bool complete) const {
        std::string command = command_line_of(base_);
        for (const std::string& axis : sweep_.axes) command += fmt::format(" --sweep {}", shell_quoted(axis));
        command += fmt::format(" --repeat {} --out {}", sweep_.repeats, shell_quoted(sweep_.folder.string()));
        write_file_atomically(sweep_.folder / "index.html",
                              sweep_index(axes_, results_, sweep_.repeats, command, complete));
    }

    SweepSettings sweep_;
    Settings base_;
    std::vector<SweepAxis> axes_;
    std::vector<SweepCell> cells_;
    std::vector<SweepResult> results_;
    std::size_t done_ = 0, total_ = 0;
};

} // namespace

int run_sweep(const Settings& base, const SweepSettings& sweep) {
    refuse_outputs(base);
    return Sweep(base, sweep).run();
}

} // namespace spindrift
