#include "app/commands/bench_output.h"

#include "app/command_line.h"
#include "app/report/report.h"
#include "engine/error.h"
#include "engine/files.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <fmt/format.h>
#include <utility>
#include <vector>

namespace spindrift {

void check_bench(const BenchFiles& files, bool force) {
    if (report::app_facts().build_type == "Debug" && !force)
        throw Error("bench: this is a Debug build, whose CPU times mean nothing; build Release, or add --force");
    const std::array<std::pair<const char*, const std::string*>, 3> outputs{
        {{"--json", &files.json}, {"--csv", &files.csv}, {"--markdown", &files.markdown}}};
    for (std::size_t second = 0; second < outputs.size(); ++second) {
        if (outputs[second].second->empty()) continue;
        check_writable(*outputs[second].second);
        for (std::size_t first = 0; first < second; ++first)
            if (!outputs[first].second->empty() && same_file(*outputs[first].second, *outputs[second].second))
                throw Error(ExitCode::usage,
                            fmt::format("{} {}: is also the file of {}; each needs its own", outputs[second].first,
                                        *outputs[second].second, outputs[first].first));
    }
}

std::string failures_text(std::span<const BenchFailure> failures) {
    std::vector<std::pair<std::string, std::vector<std::string>>> reasons;
    std::string faults;
    for (const BenchFailure& failure : failures) {
        if (!failure.unavailable) {
            faults += fmt::format("FAILED {}: {}\n", failure.candidate, failure.reason);
            continue;
        }
        auto known = std::find_if(reasons.begin(), reasons.end(),
                                  [&](const auto& reason) { return reason.first == failure.reason; });
        if (known == reasons.end()) known = reasons.insert(reasons.end(), {failure.reason, {}});
        auto& candidates = known->second; // some differ in what their names do not tell
        if (std::find(candidates.begin(), candidates.end(), failure.candidate) == candidates.end())
            candidates.push_back(failure.candidate);
    }
    std::string text;
    for (const auto& [reason, candidates] : reasons)
        text += fmt::format("not run: {}\n  {}\n", reason, fmt::join(candidates, ", "));
    return text + faults;
}

int finish_bench(const BenchFiles& files, const TextTable& table, const nlohmann::ordered_json& json,
                 const std::string& source, std::span<const BenchFailure> failures) {
    if (!files.json.empty())
        write_file_atomically(files.json,
                              json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
    if (!files.csv.empty()) write_file_atomically(files.csv, table.as_csv());
    if (!files.markdown.empty()) write_file_atomically(files.markdown, table.as_markdown() + "\n" + source + "\n");
    print_out(table.as_text() + source + "\n" + failures_text(failures));
    const bool all_right =
        std::all_of(failures.begin(), failures.end(), [](const BenchFailure& failure) { return failure.unavailable; });
    return static_cast<int>(all_right ? ExitCode::success : ExitCode::runtime_failure);
}

} // namespace spindrift
