#include "app/command_line.h"

#include "app/assets.h"
#include "app/commands/command.h"
#include "app/keys.h"
#include "app/parameters.h"
#include "app/suggestion.h"
#include "engine/error.h"
#include "fft/registry.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <spdlog/spdlog.h>

namespace spindrift {
namespace {

std::vector<MakeCommand>& registered_commands() {
    static std::vector<MakeCommand> commands;
    return commands;
}

constexpr const char* footer =
    "Of a flag that stands twice, the last one counts. --flag=value is the same as --flag value.\n"
    "Exit codes: 0 success, 1 failure while running, 2 wrong command line or settings "
    "file, 3 a comparison\nfound a regression, 4 no usable GPU or OpenGL 4.5.";

const std::array<std::pair<std::string, spdlog::level::level_enum>, 6> log_levels{{
    {"trace", spdlog::level::trace},
    {"debug", spdlog::level::debug},
    {"info", spdlog::level::info},
    {"warning", spdlog::level::warn},
    {"error", spdlog::level::err},
    {"off", spdlog::level::off},
}};

void set_log_level(const std::string& name) {
    std::vector<std::string> names;
    for (const auto& [known, level] : log_levels) {
        if (known == name) return spdlog::set_level(level);
        names.push_back(known);
    }
    throw Error(ExitCode::usage, fmt::format("--log-level {}: must be one of {}{}", name, fmt::join(names, ", "),
                                             did_you_mean(name, names)));
}

std::string log_level_help() {
    std::vector<std::string> names;
    names.reserve(log_levels.size());
    for (const auto& [known, level] : log_levels) names.push_back(known);
    return fmt::format("How much to tell on standard error [{}; default info]", fmt::join(names, ", "));
}

std::string list_of_seas() {
    std::string text;
    for (const NamedSea& sea : named_seas()) {
        const SeaDescription about = describe_sea(sea.toml);
        text += fmt::format("{:<16} {}\n", sea.name, about.description.empty() ? about.title : about.description);
    }
    return text;
}

std::string list_of_algorithms() {
    std::string text;
    for (const fft::AlgorithmInfo& info : fft::algorithms())
        text += fmt::format("{:<20} {}\n", info.name, info.description);
    return text;
}

/// A flag without a value. The types decide between CLI11's overloads, which a literal as the text would confuse.
CLI::Option* add_switch(CLI::App& options, const std::string& name, const std::string& help) {
    return options.add_flag(name, help);
}

/// Flags that every command has, and that print and end.
struct CommonOptions {
    CLI::Option* version;
    CLI::Option* keys;
    CLI::Option* seas;
    CLI::Option* algorithms;
    std::string log_level = "info";

    explicit CommonOptions(CLI::App& options)
        : version(add_switch(options, "--version", "Print the version and end")),
          keys(add_switch(options, "--keys", "Print the keys of the demo and end")),
          seas(add_switch(options, "--list-seas", "Print the named seas and end")),
          algorithms(add_switch(options, "--list-algorithms", "Print the names of the FFT algorithms and end")) {
        options.set_help_flag("-h,--help", "Print this help and end");
        options.add_option("--log-level", log_level, log_level_help())->type_name("LEVEL")->take_last();
        for (CLI::Option* option : options.get_options()) option->group("general");
    }

    /// What the flags ask to print; empty when the command is to run.
    std::string text() const {
        if (version->count() > 0) return version_line() + "\n";
        if (keys->count() > 0) return key_table();
        if (seas->count() > 0) return list_of_seas();
        if (algorithms->count() > 0) return list_of_algorithms();
        return {};
    }
};

/// As a message shows it: nothing at all could not be seen.
std::string shown(const std::string& word) {
    return word.empty() ? "\"\"" : word;
}

/// Throws for the first argument that no option took.
void refuse_leftovers(const CLI::App& options) {
    const std::vector<std::string> left = options.remaining();
    if (left.empty()) return;
    const std::string word = left.front().substr(0, left.front().find('='));
    if (!word.starts_with('-'))
        throw Error(ExitCode::usage, fmt::format("{}: unexpected argument; a command stands before all flags, and a "
                                                 "flag takes one value",
                                                 shown(word)));
    std::vector<std::string> known;
    for (const CLI::Option* option : options.get_options())
        for (const std::string& name : option->get_lnames()) known.push_back(fmt::format("--{}", name));
    throw Error(ExitCode::usage,
                fmt::format("{}: unknown flag{}", word,
                            known.empty() || nearest_name(word, known).empty() ? "; --help lists all of them"
                                                                               : did_you_mean(word, known)));
}

/// An empty value is a shell variable that was not set: a default in its place would be the surprise.
void refuse_empty_values(const CLI::App& options) {
    for (const CLI::Option* option : options.get_options()) {
        const std::vector<std::string>& values = option->results();
        const bool only_last_counts = option->get_multi_option_policy() == CLI::MultiOptionPolicy::TakeLast;
        const std::size_t first = only_last_counts && !values.empty() ? values.size() - 1 : 0;
        for (std::size_t index = first; index < values.size(); ++index) {
            if (!values[index].empty()) continue;
            if (option->nonpositional())
                throw Error(ExitCode::usage,
                            fmt::format("{} \"\": needs a value, or leave the flag out", option->get_name()));
            const std::string number = values.size() > 1 ? fmt::format(" {}", index + 1) : "";
            throw Error(ExitCode::usage,
                        fmt::format("{}{} \"\": is empty; it needs a value", option->get_name(), number));
        }
    }
}

std::string describe_commands(const std::vector<std::unique_ptr<Command>>& commands) {
    std::string text = "An ocean made of FFTs, and an instrument to compare them.\n\nCommands:\n";
    for (const auto& command : commands)
        text += fmt::format("  {:<10} {}{}\n", command->name(), command->summary(),
                            command == commands.front() ? " (the default)" : "");
    return text + "spindrift COMMAND --help tells the flags of a command.\n";
}

/// "compares ..." -> "Compares ....": a summary on a line of its own.
std::string sentence(std::string text) {
    text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
    return text + ".";
}

/// So that every command treats flags alike, a flag that stands twice counts the last time.
void let_last_win(CLI::App& options) {
    for (CLI::Option* option : options.get_options())
        if (!option->get_positional() && option->get_expected_max() == 1 &&
            option->get_multi_option_policy() == CLI::MultiOptionPolicy::Throw)
            option->take_last();
}

/// Takes the command's name from the front of `arguments`.
Command& select_command(const std::vector<std::unique_ptr<Command>>& commands, std::vector<std::string>& arguments) {
    if (arguments.empty() || arguments.front().starts_with('-')) return *commands.front();
    const std::string name = arguments.front();
    std::vector<std::string> names;
    for (const auto& command : commands) {
        if (command->name() == name) {
            arguments.erase(arguments.begin());
            return *command;
        }
        names.push_back(command->name());
    }
    throw Error(ExitCode::usage, fmt::format("{}: unknown command; commands are {}{}", shown(name),
                                             fmt::join(names, ", "), did_you_mean(name, names)));
}

} // namespace

void register_command(MakeCommand make) {
    registered_commands().push_back(make);
}

std::vector<std::unique_ptr<Command>> make_commands() {
    std::vector<std::unique_ptr<Command>> commands;
    for (const MakeCommand make : registered_commands()) commands.push_back(make());
    // Static initialisation runs in the linker's order, which is nobody's.
    std::sort(commands.begin(), commands.end(), [](const auto& a, const auto& b) {
        return std::pair(a->name() != "demo", a->name()) < std::pair(b->name() != "demo", b->name());
    });
    return commands;
}

void SettingsOptions::add_to(CLI::App& options, const std::vector<std::string_view>& ids) {
    const Settings defaults;
    for (const Parameter& p : parameters()) {
        if (!ids.empty() && std::find(ids.begin(), ids.end(), p.id) == ids.end()) continue;
        CLI::Option* option = nullptr;
        if (p.bare_flag) {
            option = add_switch(options, p.flag(), p.help);
        } else {
            const std::string initial = p.text(defaults);
            const std::string about =
                p.range().empty() ? p.help : fmt::format("{} [{}; default {}]", p.help, p.range(), initial);
            option = options.add_option(p.flag(), about)->type_name(p.placeholder())->type_size(1)->expected(1);
        }
        flags_.emplace_back(p.id, option->take_last()->group(p.group));
    }
    config_ = options.add_option("--config", "Reads settings from a TOML file; flags win over it")
                  ->type_name("FILE.toml")
                  ->type_size(1)
                  ->expected(1)
                  ->take_last()
                  ->group("configuration");
    dump_config_ = add_switch(options, "--dump-config", "Print the settings as TOML for --config, and end")
                       ->group("configuration");
}

Settings SettingsOptions::settings() const {
    std::vector<std::pair<const Parameter*, ParameterValue>> values;
    Settings settings;
    for (const auto& [id, option] : flags_) {
        if (option->count() == 0) continue;
        const Parameter& p = parameter(id);
        values.emplace_back(&p, p.parse(option->results().back(), p.flag()));
        if (id != "sea") continue;
        // The sea lies below everything else, wherever its flag stands.
        if (const auto& name = std::get<std::string>(values.back().second); !name.empty()) apply_sea(settings, name);
        settings.given.insert(id);
    }
    if (config_->count() > 0) read_config_file(settings, config_->results().back());
    for (const auto& [p, value] : values) {
        p->write(settings, value);
        settings.given.insert(p->id);
    }
    return settings;
}

bool SettingsOptions::dump_config() const {
    return dump_config_->count() > 0;
}

std::string version_line() {
    return fmt::format("spindrift {} ({}, {})", SPINDRIFT_VERSION, SPINDRIFT_BUILD_TYPE, SPINDRIFT_COMPILER);
}

void print_out(std::string_view text) {
    errno = 0;
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
        throw Error(fmt::format("standard output: cannot be written: {}", std::strerror(errno)));
}

int run_command_line(const std::vector<std::string>& arguments) {
    std::vector<std::string> rest = arguments;
    const auto commands = make_commands();
    Command& command = select_command(commands, rest);
    const bool is_default = rest.size() == arguments.size();

    CLI::App options(is_default ? describe_commands(commands) : sentence(command.summary()),
                     is_default ? "spindrift" : fmt::format("spindrift {}", command.name()));
    options.get_formatter()->column_width(38);
    options.footer(footer);
    options.allow_extras();
    const CommonOptions common(options);
    command.add_options(options);
    let_last_win(options);
    try {
        std::reverse(rest.begin(), rest.end()); // CLI11 takes them from the back
        options.parse(rest);
    } catch (const CLI::CallForHelp&) {
        print_out(options.help());
        return static_cast<int>(ExitCode::success);
    } catch (const CLI::ArgumentMismatch& error) {
        const std::string what = error.what();
        throw Error(ExitCode::usage, what.substr(0, what.find(':')) + ": needs a value; --help tells which");
    } catch (const CLI::ParseError& error) {
        throw Error(ExitCode::usage, error.what());
    }
    refuse_leftovers(options);
    refuse_empty_values(options);
    set_log_level(common.log_level);
    if (const std::string text = common.text(); !text.empty()) {
        print_out(text);
        return static_cast<int>(ExitCode::success);
    }
    return command.run();
}

} // namespace spindrift
