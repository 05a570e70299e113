// From argv to a command that runs. Every mistake throws Error(usage) whose message names the flag, the value and the
// limit; unknown flags and commands get a suggestion.
#pragma once

#include "app/settings.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

// NOLINTNEXTLINE(readability-identifier-naming): the library names itself so
namespace CLI {
class App;
class Option;
} // namespace CLI

namespace spindrift {

/// Finds the command (`demo` when the first argument is a flag or missing), parses and runs it. `arguments` are those
/// behind the program's name. Returns the exit code; throws Error.
int run_command_line(const std::vector<std::string>& arguments);

/// Parameters of the table as flags of a command.
class SettingsOptions {
public:
    /// Adds a flag for each id, or for every parameter when there are none, and --config and --dump-config.
    void add_to(CLI::App& options, const std::vector<std::string_view>& ids = {});

    /// After parsing: defaults < sea file < configuration file < flags, each value checked.
    Settings settings() const;
    bool dump_config() const;

private:
    std::vector<std::pair<std::string, CLI::Option*>> flags_; ///< parameter id, option
    CLI::Option* config_ = nullptr;
    CLI::Option* dump_config_ = nullptr;
};

/// "spindrift 0.1.0 (Release, GNU 12.2.0)"
std::string version_line();

/// Writes to standard output and throws Error when that fails (a full disk, a closed pipe).
void print_out(std::string_view text);

} // namespace spindrift
