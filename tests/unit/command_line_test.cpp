#include "app/command_line.h"
#include "app/commands/command.h"
#include "app/keys.h"
#include "app/parameters.h"
#include "app/suggestion.h"
#include "engine/error.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <set>

namespace spindrift {
namespace {

/// Flags -> settings, as the demo does it.
Settings parse(std::vector<std::string> arguments) {
    CLI::App options;
    SettingsOptions settings;
    settings.add_to(options);
    std::reverse(arguments.begin(), arguments.end());
    options.parse(arguments);
    return settings.settings();
}

/// Splits the way a POSIX shell does, for what command_line_of() prints.
std::vector<std::string> shell_words(const std::string& line) {
    std::vector<std::string> words(1);
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '\'')
            quoted = !quoted;
        else if (!quoted && line[i] == '\\')
            words.back() += line[++i];
        else if (!quoted && line[i] == ' ')
            words.emplace_back();
        else
            words.back() += line[i];
    }
    return words;
}

class SettingsFile {
public:
    explicit SettingsFile(const std::string& text)
        : path_(std::filesystem::temp_directory_path() /
                ("spindrift settings " + std::to_string(std::random_device{}()) + ".toml")) {
        std::ofstream(path_) << text;
    }
    ~SettingsFile() { std::filesystem::remove(path_); }
    SettingsFile(const SettingsFile&) = delete;
    SettingsFile& operator=(const SettingsFile&) = delete;
    std::string path() const { return path_.string(); }

private:
    std::filesystem::path path_;
};

TEST(CommandLine, FlagsReachTheSettings) {
    const Settings settings =
        parse({"--size", "64", "--wind-direction", "-30", "--headless", "--vsync=off", "--seed=7"});
    EXPECT_EQ(settings.size, 64);
    EXPECT_EQ(settings.sea.wind_direction, -30.0);
    EXPECT_TRUE(settings.headless);
    EXPECT_FALSE(settings.vsync);
    EXPECT_EQ(settings.sea.seed, 7U);
    EXPECT_EQ(settings.given,
              (std::set<std::string, std::less<>>{"size", "wind-direction", "headless", "vsync", "seed"}));
    EXPECT_EQ(parse({"--size", "64", "--size", "32"}).size, 32) << "the last one wins";
    EXPECT_FALSE(parse({"--headless", "--headless=off"}).headless);
}

TEST(CommandLine, LaterSourcesWin) {
    const SettingsFile sea("title = \"x\"\n[sea]\nwind_speed = 1\nfetch = 2000\nswell = 0.5\n");
    const SettingsFile config("[sea]\nsea = \"" + sea.path() + "\"\nfetch = 3000\nswell = 0.25\n");
    const Settings settings = parse({"--swell", "0.125", "--config", config.path()});
    EXPECT_EQ(settings.sea_name, sea.path());
    EXPECT_EQ(settings.sea.wind_speed, 1.0) << "sea file over default";
    EXPECT_EQ(settings.sea.fetch, 3000.0) << "configuration over sea file";
    EXPECT_EQ(settings.sea.swell, 0.125) << "flag over configuration";

    const SettingsFile other("title = \"y\"\n[sea]\nwind_speed = 2\nfetch = 4000\n");
    const Settings with_flag = parse({"--config", config.path(), "--sea", other.path()});
    EXPECT_EQ(with_flag.sea_name, other.path()) << "the flag replaces the configuration's sea";
    EXPECT_EQ(with_flag.sea.wind_speed, 2.0);
    EXPECT_EQ(with_flag.sea.fetch, 3000.0);
}

TEST(CommandLine, CopiedCommandLineLeadsBack) {
    std::mt19937 random(1);
    for (int round = 0; round < 50; ++round) {
        Settings settings;
        for (const Parameter& p : parameters()) {
            if (random() % 2 == 0 || p.id == "sea") continue;
            const double part = static_cast<double>(random()) / 4294967296.0;
            const double number = p.minimum + part * (p.maximum - p.minimum);
            switch (p.kind) {
            case ParameterKind::real:
                p.set(settings, number);
                break;
            case ParameterKind::integer:
                p.set(settings, static_cast<std::int64_t>(p.power_of_two ? 16 << (random() % 8) : number));
                break;
            case ParameterKind::boolean:
                p.set(settings, random() % 2 == 0);
                break;
            case ParameterKind::choice:
                p.set(settings, p.choices[random() % p.choices.size()]);
                break;
            case ParameterKind::text:
            case ParameterKind::path:
                p.set(settings, "a b'c$(d)\"e\\" + (p.endings.empty() ? "" : p.endings.back()));
                break;
            }
        }
        std::vector<std::string> words = shell_words(command_line_of(settings));
        ASSERT_EQ(words.front(), "spindrift");
        words.erase(words.begin());
        const Settings copy = parse(words);
        for (const Parameter& p : parameters()) EXPECT_EQ(p.get(copy), p.get(settings)) << p.id;
    }
}

TEST(CommandLine, MistakesSayWhatIsWrong) {
    const auto message = [](const std::vector<std::string>& arguments) -> std::string {
        try {
            run_command_line(arguments);
        } catch (const Error& error) {
            EXPECT_EQ(error.exit_code(), ExitCode::usage);
            return error.what();
        }
        return "(nothing was thrown)";
    };
    EXPECT_EQ(message({"--wind-sped", "3"}), "--wind-sped: unknown flag; did you mean --wind-speed?");
    EXPECT_EQ(message({"--zzzzzzzz"}), "--zzzzzzzz: unknown flag; --help lists all of them");
    EXPECT_NE(message({"docter"}).find("docter: unknown command; commands are demo, "), std::string::npos);
    EXPECT_NE(message({"docter"}).find("did you mean doctor?"), std::string::npos);
    EXPECT_NE(message({"--headless", "doctor"}).find("doctor: unexpected argument"), std::string::npos);
    EXPECT_EQ(message({"--size"}), "--size: needs a value; --help tells which");
    EXPECT_EQ(message({"--log-level", "loud"}),
              "--log-level loud: must be one of trace, debug, info, warning, error, off");
    EXPECT_NE(message({""}).find("unknown command"), std::string::npos);
    EXPECT_EQ(message({"--effort", "hard"}), "--effort hard: must be one of estimate, measure, patient");
    EXPECT_EQ(message({"--intermediate", "fp16", "--algorithm", "stockham-radix4"}),
              "--intermediate fp16: is of --algorithm tuned only, not of stockham-radix4");
    EXPECT_EQ(message({"export", "--out", "kit", "--intermediate", "fp16", "--algorithm", "cooley-tukey"}),
              "--intermediate fp16: is of --algorithm tuned only, not of cooley-tukey");
    EXPECT_EQ(message({"compare", "a", "b", "--threshold", "5%", "--threshold", "x"}),
              "--threshold x: must be a percentage of at least 0, such as 5%")
        << "the last one wins in every command";
    EXPECT_EQ(message({"doctor", "--json", "a", "--json", "b", "--log-level", "loud", "--log-level", "quiet"}),
              "--log-level quiet: must be one of trace, debug, info, warning, error, off");
}

TEST(CommandLine, DemoIsTheFirstCommand) {
    const auto commands = make_commands();
    ASSERT_GE(commands.size(), 2U);
    EXPECT_EQ(commands.front()->name(), "demo");
    for (const auto& command : commands) {
        EXPECT_FALSE(command->summary().empty());
        EXPECT_NE(command->summary().back(), '.');
    }
}

TEST(Suggestion, FindsSlipsAndNothingElse) {
    const std::vector<std::string> names{"--size", "--wind-speed", "--seed"};
    EXPECT_EQ(nearest_name("--sise", names), "--size");
    EXPECT_EQ(nearest_name("--wind-sp", names), "--wind-speed");
    EXPECT_EQ(nearest_name("--esed", names), "--seed");
    EXPECT_EQ(nearest_name("--something-else", names), "");
    EXPECT_EQ(nearest_name("", names), "");
    EXPECT_EQ(nearest_name(std::string(100000, 'a'), names), "");
}

TEST(Keys, EachKeyDoesOneThing) {
    using platform::Key;
    std::set<Key> keys;
    for (const KeyBinding& binding : key_bindings()) EXPECT_TRUE(keys.insert(binding.key).second) << binding.what;
    EXPECT_EQ(action_of_key(Key::tab), KeyAction::toggle_panel);
    EXPECT_EQ(action_of_key(Key::f1), KeyAction::toggle_help);
    EXPECT_EQ(action_of_key(Key::h), KeyAction::toggle_help);
    EXPECT_EQ(action_of_key(Key::w), std::nullopt) << "held keys start nothing";
    EXPECT_EQ(action_of_key(Key::unknown), std::nullopt);
    EXPECT_EQ(action_of_key(Key::z), std::nullopt);
    for (const char* name : {"Tab", "Space", "Home", "F1", "F11", "F12", "Esc", "W A S D"})
        EXPECT_NE(key_table().find(name), std::string::npos) << name;
}

} // namespace
} // namespace spindrift
