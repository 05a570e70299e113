// Command lines: the input's arguments end at each NUL or line break. Every command is kept from running by arguments
// of ours in front of the others: what is under test is how they are read.
#include "tests/fuzz/target.h"

#include "app/command_line.h"
#include "app/commands/command.h"
#include "app/commands/verify.h"
#include "app/report/comparison.h"
#include "engine/error.h"

#include <algorithm>
#include <cstdio>
#include <spdlog/spdlog.h>
#include <string>
#include <vector>

namespace {

std::vector<std::string> split(std::string_view text) {
    std::vector<std::string> arguments(1);
    for (const char c : text) {
        if (c == '\0' || c == '\n')
            arguments.emplace_back();
        else
            arguments.back() += c;
    }
    return arguments;
}

/// Arguments with which `command` ends before it does anything.
std::string restraint(const std::string& command) {
    if (command == "demo") return "--dump-config";
    // An empty picture and an empty report are refused before anything is written.
    if (command == "image" || command == "compare") return "/dev/null";
    return "--version";
}

void restrain(std::vector<std::string>& arguments) {
    for (const auto& command : spindrift::make_commands())
        if (arguments.front() == command->name()) {
            arguments.insert(arguments.begin() + 1, restraint(command->name()));
            return;
        }
    // Without a command it is the demo. Any other word is refused as an unknown command.
    if (arguments.front().starts_with('-')) arguments.insert(arguments.begin(), restraint("demo"));
    if (arguments == std::vector<std::string>{""}) arguments = {restraint("demo")};
}

template <class Parse>
void expect_usage(Parse parse) {
    try {
        parse();
    } catch (const spindrift::Error& error) {
        if (error.exit_code() != spindrift::ExitCode::usage)
            spindrift::fuzz::fail("a bad value must be an error of usage");
    }
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace spindrift;
    // What is asked for goes to standard output, where nobody wants it.
    static const bool is_quiet = std::freopen("/dev/null", "w", stdout) != nullptr;
    if (!is_quiet) fuzz::fail("standard output cannot be closed");
    std::vector<std::string> arguments = split(fuzz::as_text(data, size));
    for (const std::string& argument : arguments) {
        expect_usage([&] { parse_sizes(argument, "--sizes"); });
        expect_usage([&] { report::parse_threshold(argument); });
    }
    restrain(arguments);
    try {
        const int code = run_command_line(arguments);
        if (code != static_cast<int>(ExitCode::success)) fuzz::fail("a failure that is not told by an error");
    } catch (const Error&) { // refused
    }
    spdlog::set_level(spdlog::level::info);
    return 0;
}
