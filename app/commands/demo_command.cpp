// `spindrift [demo]`: from flags to settings to the demo.
#include "app/command_line.h"
#include "app/commands/command.h"
#include "app/commands/demo.h"
#include "app/commands/sweep_runs.h"
#include "app/commands/verify.h"
#include "app/parameters.h"
#include "engine/error.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <string_view>

namespace spindrift {
namespace {

class DemoCommand : public Command {
public:
    std::string name() const override { return "demo"; }
    std::string summary() const override { return "shows the sea in a window, or with --headless without one"; }
    void add_options(CLI::App& options) override {
        options_.add_to(options);
        const char* const group = "sweep";
        options
            .add_option("--sweep", axes_,
                        "Runs headless with each of these values, and with each combination where it stands several "
                        "times; all: every value of a list")
            ->type_name("NAME=VALUE,...")
            ->expected(1)
            ->take_all()
            ->group(group);
        options.add_option("--repeat", repeats_, "Runs of each combination, 1 to 1000, in turns [default 1]")
            ->type_name("N")
            ->take_last()
            ->group(group);
        options.add_option("--out", out_, "Where the runs and their index.html go; runs that are there are kept")
            ->type_name("FOLDER")
            ->take_last()
            ->group(group);
    }

    int run() override {
        const Settings settings = options_.settings();
        if (!sweeps("algorithm") && !sweeps("intermediate"))
            check_intermediate(settings.algorithm, settings.intermediate);
        if (options_.dump_config()) {
            print_out(to_toml(settings));
            return static_cast<int>(ExitCode::success);
        }
        if (axes_.empty() && repeats_.empty() && out_.empty()) return run_demo(settings);
        if (out_.empty()) throw Error(ExitCode::usage, "--sweep and --repeat: need --out FOLDER for their runs");
        return run_sweep(settings, {axes_, parse_repeats(), out_});
    }

private:
    bool sweeps(std::string_view parameter) const {
        return std::any_of(axes_.begin(), axes_.end(),
                           [&](const std::string& axis) { return axis.substr(0, axis.find('=')) == parameter; });
    }

    int parse_repeats() const {
        if (repeats_.empty()) return 1;
        int value = 0;
        const auto [stop, error] = std::from_chars(repeats_.data(), repeats_.data() + repeats_.size(), value);
        if (error != std::errc{} || stop != repeats_.data() + repeats_.size() || value < 1 || value > 1000)
            throw Error(ExitCode::usage, fmt::format("--repeat {}: must be a whole number from 1 to 1000", repeats_));
        return value;
    }

    std::vector<std::string> axes_;
    std::string repeats_, out_;
    SettingsOptions options_;
};

const RegisterCommand<DemoCommand> registration;

} // namespace
} // namespace spindrift
