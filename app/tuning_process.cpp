#include "app/tuning_process.h"

#include "engine/error.h"

#include <algorithm>
#include <fmt/format.h>

namespace spindrift {
namespace {

/// The last line that says something, for a message of one line.
std::string last_line(const std::string& text) {
    const std::size_t end = text.find_last_not_of("\r\n\t ");
    if (end == std::string::npos) return {};
    const std::size_t before = text.find_last_of("\r\n", end);
    const std::size_t begin = before == std::string::npos ? 0 : before + 1;
    return text.substr(begin, end + 1 - begin);
}

} // namespace

std::vector<std::string> tuning_command(const TuningProcessDesc& asked) {
    const fft::TransformDesc& desc = asked.desc;
    const auto name = [](auto value) { return std::string(to_string(value)); };
    std::vector<std::string> command{
        asked.program,    "tune",
        "--progress",     "json",
        "--window",       "--again",
        "--sizes",        fmt::format("{}", desc.size),
        "--packing",      name(desc.packing),
        "--fields",       fmt::format("{}", desc.layers * fft::complex_per_texel(desc.packing)),
        "--direction",    name(desc.direction),
        "--intermediate", name(desc.intermediate),
        "--effort",       name(asked.effort)};
    if (asked.fused)
        command.emplace_back("--fused");
    else
        command.insert(command.end(), {"--storage", name(desc.storage)});
    if (asked.shader_folder) command.insert(command.end(), {"--shader-dir", asked.shader_folder->string()});
    return command;
}

TuningProcess::TuningProcess(const TuningProcessDesc& desc) : process_(tuning_command(desc)) {}

bool TuningProcess::step() {
    for (const std::string& line : process_.read_lines()) {
        const auto message = parse_tuning_message(line);
        if (!message) continue;
        if (const auto* progress = std::get_if<TuningProgress>(&*message))
            progress_ = *progress;
        else
            result_ = std::get<TuningResult>(*message);
    }
    const auto end = process_.end();
    if (!end) return true;
    if (end->succeeded() && result_) return false;
    if (end->succeeded()) throw Error("the process that searched has ended without a result");
    if (result_ && result_->wisdom.empty()) return false; // no kernel is right: that is a result
    const std::string said = last_line(process_.error_output());
    throw Error(fmt::format("the process that searched has ended with {}{}{}", end->to_string(),
                            said.empty() ? "" : ": ", said));
}

bool TuningProcess::may_end() {
    process_.read_lines(); // nobody wants them, but the end comes after them
    return process_.end().has_value();
}

} // namespace spindrift
