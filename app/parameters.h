// The parameter table: each parameter of the program is declared once (name, unit, range, default, help) and from there
// serves the command line, configuration and sea files (TOML), the panel and the report.
//
// Later sources win: defaults < sea file < configuration file < command line (< the panel, while the demo runs).
#pragma once

#include "app/settings.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace spindrift {

enum class ParameterKind {
    real,
    integer,
    choice,  ///< one of `choices`
    boolean, ///< on or off
    text,
    path, ///< a file or folder name; empty = none
};

/// real: double; integer: int64; boolean: bool; choice, text and path: string.
using ParameterValue = std::variant<double, std::int64_t, bool, std::string>;

/// One entry of the table. Every member has an initialiser, so that declarations name only what they need.
struct Parameter {
    std::string id = {};    ///< "wind-speed": the flag without its dashes; the key in TOML is "wind_speed"
    std::string label = {}; ///< "Wind speed": what the panel shows
    std::string unit = {};  ///< "m/s"; empty for a pure number
    ParameterKind kind = ParameterKind::real;
    double minimum = 0; ///< inclusive, for real and integer
    double maximum = 0;
    bool power_of_two = false;             ///< integer: only powers of two
    bool logarithmic = false;              ///< the panel's slider: spans several powers of ten
    bool bare_flag = false;                ///< boolean: `--fullscreen` means on; else `--vsync on|off` takes a value
    std::vector<std::string> choices = {}; ///< for choice
    std::vector<std::string> endings = {}; ///< for path: ".json"; empty = any file or folder
    ParameterValue default_value = {};     ///< value in Settings{}
    std::string help = {};                 ///< one sentence without a full stop
    std::string group = {}; ///< heading in --help and the panel; lower case, it is the table's name in TOML
    bool look = true;       ///< part of how the sea looks and runs; false: names an output or tells how to start

    std::function<ParameterValue(const Settings&)> read = {};
    std::function<void(Settings&, const ParameterValue&)> write = {}; ///< stores without checking

    /// The value in `settings`.
    ParameterValue get(const Settings& settings) const { return read(settings); }
    /// Range-checks and stores; throws Error(usage) "wind-speed 900: must be ..." and leaves `settings` as it was.
    void set(Settings& settings, const ParameterValue& value) const;
    /// Puts Settings{}'s value back.
    void reset(Settings& settings) const { write(settings, default_value); }
    bool is_default(const Settings& settings) const { return get(settings) == default_value; }

    /// Shortest text that reads back to the same value, with a decimal point whatever the locale; "on", "off".
    std::string text(const Settings& settings) const;
    /// Parses and range-checks; `name` is what the message calls the parameter ("--size", "wind_speed").
    ParameterValue parse(std::string_view text, std::string_view name) const;
    /// Throws Error(usage) "NAME VALUE: must be LIMIT" when `value` has the wrong type or is out of range.
    void check(const ParameterValue& value, std::string_view name) const;

    /// "a power of two from 16 to 2048", "from 0.5 to 60 m/s", "one of: a, b".
    std::string limit() const;
    /// limit() in a few characters for --help: "0.5 to 60", "vec2, vec4"; empty for text and path.
    std::string range() const;
    std::string flag() const; ///< "--wind-speed"
    std::string key() const;  ///< the name in TOML
    /// "M/S", "N", "on|off": the value's place holder in --help; empty for a bare flag.
    std::string placeholder() const;
};

/// All parameters, group by group, in the order in which --help and the panel show them.
std::span<const Parameter> parameters();
/// The entry, or nullptr when there is none. Accepts "wind-speed" and "wind_speed".
const Parameter* find_parameter(std::string_view id);
/// The entry; the id must exist.
const Parameter& parameter(std::string_view id);

/// True when every parameter of the table has the same value.
bool same_values(const Settings& a, const Settings& b);

/// Names that a sea file may set: the groups that describe the sea, not the machine.
bool belongs_to_sea(const Parameter& parameter);

/// Reads TOML into `settings`: tables named as the groups, keys as Parameter::key(). Each key that is set is marked in
/// settings.given. `name` stands for the file in messages. With `sea_file`, only parameters that belong_to_sea() and
/// the texts `title` and `description` are accepted. Throws Error(usage) naming file, line, key, value and limit;
/// `settings` is unchanged then.
void read_toml(Settings& settings, std::string_view toml, const std::string& name, bool sea_file);
/// The same from a file; throws Error(usage) when it cannot be read.
void read_config_file(Settings& settings, const std::filesystem::path& file);
/// Puts every parameter that belongs_to_sea() to its default, then reads the sea; sets settings.sea_name as well.
/// `name` is one of named_seas() (assets.h) or the path of a TOML file. `settings` is unchanged on an error:
/// throws Error(usage) with the names that exist when it is neither.
void apply_sea(Settings& settings, const std::string& name);
/// Settings{} with that sea; plain Settings{} when `name` is empty or can no longer be read.
Settings settings_of_sea(const std::string& name);

/// `title` and `description` of a sea file; empty where it has none.
struct SeaDescription {
    std::string title;
    std::string description;
};
SeaDescription describe_sea(std::string_view toml);

/// TOML with every parameter, its range and help, defaults behind #; read_toml() reads it back to the same settings.
std::string to_toml(const Settings& settings);

enum class CommandLineScope {
    everything,
    look, ///< without what names outputs and how to run: for "copy command line" in the panel
};
/// The shortest command line, quoted for a POSIX shell, that leads to `settings` from the defaults and its sea.
std::string command_line_of(const Settings& settings, CommandLineScope scope = CommandLineScope::everything);
/// Quoted for a POSIX shell, where it needs quotes.
std::string shell_quoted(const std::string& text);

} // namespace spindrift
