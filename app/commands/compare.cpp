// `spindrift compare A.json B.json`: two reports, or two folders of repeats, side by side.
#include "app/command_line.h"
#include "app/commands/command.h"
#include "app/report/comparison.h"
#include "app/report/html.h"
#include "app/report/report_html.h"
#include "engine/error.h"
#include "engine/files.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace spindrift {
namespace {

class CompareCommand : public Command {
public:
    std::string name() const override { return "compare"; }
    std::string summary() const override { return "compares two reports and names the passes that got slower"; }

    void add_options(CLI::App& options) override {
        options
            .add_option("REPORT", paths_,
                        "Reports (.json), or folders of repeated runs: the first is compared with each other one")
            ->type_name("PATH");
        options
            .add_option("--threshold", threshold_,
                        "A pass that is slower by more than this, and by more than noise, is a regression: exit code 3")
            ->type_name("PERCENT")
            ->capture_default_str();
        const std::string force_help = "Compare even when settings, mesh or build type differ";
        options.add_flag("--force", force_, force_help);
        const std::string cpu_help = "Show the CPU time of each pass, too; it is not judged";
        options.add_flag("--cpu", show_cpu_, cpu_help);
        options.add_option("--json", json_, "Write the comparison as JSON")->type_name("FILE");
        options.add_option("--html", html_, "Write the comparison as a page, with the curves of both sides")
            ->type_name("FILE.html");
    }

    int run() override {
        if (paths_.size() < 2)
            throw Error(
                ExitCode::usage,
                fmt::format("compare needs two reports, {} given: spindrift compare A.json B.json", paths_.size()));
        const double threshold = report::parse_threshold(threshold_);
        if (!json_.empty()) check_writable(json_);
        if (!html_.empty()) report::check_html_path(html_, "--html");
        refuse_overwriting();
        std::vector<report::Group> groups;
        for (const std::string& path : paths_) groups.push_back(report::load_group(path));
        std::vector<report::Comparison> comparisons;
        for (std::size_t index = 1; index < paths_.size(); ++index) {
            comparisons.push_back(report::compare(groups.front(), groups[index], threshold));
            refuse_different_settings(comparisons.back());
            if (comparisons.back().compared() == 0)
                throw Error(fmt::format("{} and {} have no time in common that could be compared", paths_.front(),
                                        paths_[index]));
        }
        bool regressed = false;
        std::string text;
        for (const report::Comparison& comparison : comparisons) {
            if (!text.empty()) text += "\n";
            text += report::to_text(comparison, show_cpu_);
            regressed = regressed || !comparison.regressions().empty();
        }
        if (!json_.empty())
            write_file_atomically(
                json_, report::to_json(comparisons).dump(2, ' ', false, report::Json::error_handler_t::replace) + "\n");
        if (!html_.empty()) write_file_atomically(html_, report::to_html(comparisons, groups));
        print_out(text);
        return static_cast<int>(regressed ? ExitCode::regression : ExitCode::success);
    }

private:
    /// A comparison must not replace what it compares.
    void refuse_overwriting() const {
        if (same_file(json_, html_))
            throw Error(ExitCode::usage, fmt::format("--html {}: is also the file of --json", html_));
        for (const auto& [flag, file] : {std::pair("--json", &json_), std::pair("--html", &html_)})
            for (const std::string& path : paths_)
                if (same_file(*file, path))
                    throw Error(ExitCode::usage, fmt::format("{} {}: is one of the reports", flag, *file));
    }

    void refuse_different_settings(const report::Comparison& comparison) const {
        if (force_ || comparison.settings.empty()) return;
        std::string text =
            fmt::format("{} and {} ran with different settings:", comparison.baseline, comparison.candidate);
        for (const report::SettingDifference& difference : comparison.settings)
            text += fmt::format("\n  {}: {} | {}", difference.key, difference.baseline, difference.candidate);
        throw Error(ExitCode::usage, text + "\n--force compares them all the same");
    }

    std::vector<std::string> paths_;
    std::string threshold_ = "5%";
    std::string json_, html_;
    bool force_ = false;
    bool show_cpu_ = false;
};

const RegisterCommand<CompareCommand> registration;

} // namespace
} // namespace spindrift
