// Settings in TOML: configuration files, sea files, --dump-config.
#include "app/assets.h"
#include "app/parameters.h"
#include "app/suggestion.h"
#include "engine/error.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <system_error>

#define TOML_EXCEPTIONS 1
#include <toml++/toml.h>

namespace spindrift {
namespace fs = std::filesystem;
namespace {

/// Reads a whole text file; the message starts with `what`, the flag that named the file.
std::string read_text(const fs::path& file, std::string_view what) {
    const auto fail = [&](std::string_view reason) {
        throw Error(ExitCode::usage, fmt::format("{} {}: cannot be read: {}", what, file.string(), reason));
    };
    std::error_code failure;
    if (fs::is_directory(file, failure)) fail("it is a folder");
    constexpr std::uintmax_t limit = 1 << 20;
    const std::uintmax_t size = fs::file_size(file, failure);
    if (!failure && size > limit) fail("it is larger than 1 MiB, which no settings file is");
    errno = 0;
    std::ifstream stream(file, std::ios::binary);
    if (!stream) fail(std::strerror(errno));
    // By pieces and not by size: devices and pipes have none, and some never end.
    std::string text;
    for (char piece[4096]; stream.read(piece, sizeof piece), stream.gcount() > 0;) {
        text.append(piece, static_cast<std::size_t>(stream.gcount()));
        if (text.size() > limit) fail("it is larger than 1 MiB, which no settings file is");
    }
    if (stream.bad()) fail(std::strerror(errno));
    return text;
}

std::string printed(const toml::node& node) {
    if (const auto* text = node.as_string()) return fmt::format("\"{}\"", text->get());
    if (const auto* number = node.as_floating_point()) return fmt::format("{}", number->get());
    if (const auto* number = node.as_integer()) return fmt::format("{}", number->get());
    if (const auto* on = node.as_boolean()) return on->get() ? "true" : "false";
    return node.is_table() ? "{...}" : node.is_array() ? "[...]" : "(a date or time)";
}

/// The node as a value of the parameter's type; `name` starts the message when it is none.
ParameterValue value_of(const Parameter& p, const toml::node& node, const std::string& name) {
    std::optional<ParameterValue> value;
    switch (p.kind) {
    case ParameterKind::real:
        if (node.is_number()) value = node.value<double>();
        break;
    case ParameterKind::integer:
        if (node.is_integer()) value = node.value<std::int64_t>();
        break;
    case ParameterKind::boolean:
        if (node.is_boolean()) value = node.value<bool>();
        break;
    case ParameterKind::choice:
    case ParameterKind::text:
    case ParameterKind::path:
        if (node.is_string()) value = node.value<std::string>();
        break;
    }
    if (!value)
        throw Error(ExitCode::usage, fmt::format("{} {}: must be {}", name, printed(node),
                                                 p.kind == ParameterKind::boolean ? "true or false" : p.limit()));
    p.check(*value, name);
    return *value;
}

std::vector<std::string> keys_of_group(std::string_view group, bool sea_file) {
    std::vector<std::string> keys;
    for (const Parameter& p : parameters())
        if (p.group == group && (!sea_file || belongs_to_sea(p))) keys.push_back(p.key());
    return keys;
}

std::vector<std::string> group_names(bool sea_file) {
    std::vector<std::string> names;
    for (const Parameter& p : parameters())
        if ((!sea_file || belongs_to_sea(p)) && (names.empty() || names.back() != p.group)) names.push_back(p.group);
    return names;
}

/// Reads one file's tables into a copy of the settings.
class TomlReader {
public:
    TomlReader(Settings& settings, std::string name, bool sea_file)
        : settings_(settings), name_(std::move(name)), sea_file_(sea_file) {}

    void read(const toml::table& root) {
        if (!sea_file_) apply_named_sea(root);
        for (const auto& [key, node] : root) {
            const std::string group{key.str()};
            if (const toml::table* table = node.as_table())
                read_group(group, *table, place(node));
            else if (!(sea_file_ && (group == "title" || group == "description")))
                refuse(group, node, group_names(sea_file_));
            else if (!node.is_string())
                throw Error(ExitCode::usage,
                            fmt::format("{}: {} = {}: must be text", place(node), group, printed(node)));
        }
    }

private:
    std::string place(const toml::node& node) const { return fmt::format("{}:{}", name_, node.source().begin.line); }

    [[noreturn]] static void unknown(const std::string& place, const std::string& what, std::string_view word,
                                     const std::vector<std::string>& known) {
        throw Error(ExitCode::usage, fmt::format("{}: {}: not known here; known are {}{}", place, what,
                                                 fmt::join(known, ", "), did_you_mean(word, known)));
    }

    /// For a key that is not where it should be, or should not be at all; `known` are those that could stand there.
    [[noreturn]] void refuse(const std::string& key, const toml::node& node, const std::vector<std::string>& known) {
        const std::string what = fmt::format("{} = {}", key, printed(node));
        const auto fail = [&](const std::string& reason) {
            throw Error(ExitCode::usage, fmt::format("{}: {}: {}", place(node), what, reason));
        };
        const bool could_be_here = std::find(known.begin(), known.end(), key) != known.end();
        if (could_be_here && node.is_array()) fail(fmt::format("must be one table, [{}]", key));
        const Parameter* p = find_parameter(key);
        if (p != nullptr && p->key() == key) { // else it is written with '-'
            if (sea_file_ && p->id == "sea") fail("a sea cannot name another one to start from");
            if (sea_file_ && !belongs_to_sea(*p))
                fail(fmt::format("not part of a sea; it belongs to [{}] of a configuration file", p->group));
            fail(fmt::format("belongs to the table [{}]", p->group));
        }
        if (could_be_here) fail(fmt::format("must be a table, [{}]", key));
        unknown(place(node), what, key, known);
    }

    /// The sea comes first whatever its place in the file, and not at all when the command line names another.
    void apply_named_sea(const toml::table& root) {
        const Parameter& sea = parameter("sea");
        const toml::node* node = root.at_path(sea.group + "." + sea.key()).node();
        if (node == nullptr || settings_.given.contains(sea.id)) return;
        const std::string name = std::get<std::string>(value_of(sea, *node, place(*node) + ": sea ="));
        if (!name.empty()) apply_sea(settings_, name);
        settings_.given.insert(sea.id);
    }

    void read_group(const std::string& group, const toml::table& table, const std::string& where) {
        const std::vector<std::string> known = group_names(sea_file_);
        if (std::find(known.begin(), known.end(), group) == known.end())
            unknown(where, fmt::format("[{}]", group), group, known);
        for (const auto& [key, node] : table) {
            const Parameter* p = find_parameter(key.str());
            if (p == nullptr || p->group != group || p->key() != key.str() || (sea_file_ && !belongs_to_sea(*p)))
                refuse(std::string(key.str()), node, keys_of_group(group, sea_file_));
            if (p->id == "sea") continue;
            p->write(settings_, value_of(*p, node, fmt::format("{}: {} =", place(node), p->key())));
            if (!sea_file_) settings_.given.insert(p->id);
        }
    }

    Settings& settings_;
    std::string name_;
    bool sea_file_;
};

std::string toml_string(const std::string& text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            result += fmt::format("\\{}", c);
        else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
            result += fmt::format("\\u{:04X}", static_cast<unsigned char>(c));
        else
            result += c;
    }
    return result + "\"";
}

std::string toml_value(const Parameter& p, const Settings& settings) {
    const ParameterValue value = p.get(settings);
    if (const bool* on = std::get_if<bool>(&value)) return *on ? "true" : "false";
    if (const std::string* text = std::get_if<std::string>(&value)) return toml_string(*text);
    return p.text(settings);
}

} // namespace

void read_toml(Settings& settings, std::string_view toml, const std::string& name, bool sea_file) {
    Settings copy = settings;
    try {
        TomlReader(copy, name, sea_file).read(toml::parse(toml, name));
    } catch (const toml::parse_error& error) {
        const auto& at = error.source().begin;
        throw Error(ExitCode::usage,
                    fmt::format("{}:{}:{}: not valid TOML: {}", name, at.line, at.column, error.description()));
    }
    settings = std::move(copy);
}

void read_config_file(Settings& settings, const fs::path& file) {
    read_toml(settings, read_text(file, "--config"), file.string(), false);
}

void apply_sea(Settings& settings, const std::string& name) {
    Settings copy = settings;
    for (const Parameter& p : parameters())
        if (belongs_to_sea(p)) p.reset(copy);
    std::error_code failure;
    if (const NamedSea* sea = find_named_sea(name)) {
        read_toml(copy, sea->toml, "sea " + name, true);
    } else if (fs::exists(name, failure)) {
        read_toml(copy, read_text(name, "--sea"), name, true);
    } else {
        std::vector<std::string> names;
        for (const NamedSea& known : named_seas()) names.emplace_back(known.name);
        throw Error(ExitCode::usage, fmt::format("--sea {}: must be one of {}, or a TOML file that exists{}", name,
                                                 fmt::join(names, ", "), did_you_mean(name, names)));
    }
    copy.sea_name = name;
    settings = std::move(copy);
}

Settings settings_of_sea(const std::string& name) {
    Settings base;
    try {
        if (!name.empty()) apply_sea(base, name);
    } catch (const Error&) {
        base = Settings{}; // the file is gone: then every value is written out
    }
    return base;
}

SeaDescription describe_sea(std::string_view toml) {
    try {
        const toml::table root = toml::parse(toml);
        return {root["title"].value_or(std::string{}), root["description"].value_or(std::string{})};
    } catch (const toml::parse_error&) {
        return {};
    }
}

std::string to_toml(const Settings& settings) {
    const Settings base = settings_of_sea(settings.sea_name);
    std::string text = "# Spindrift settings; read them with --config FILE. A line behind # holds the default.\n";
    std::string group;
    for (const Parameter& p : parameters()) {
        if (p.group != group) {
            group = p.group;
            text += fmt::format("\n[{}]\n", group);
        }
        const bool active = p.get(settings) != p.get(base) || settings.given.contains(p.id) ||
                            (p.id == "sea" && !base.sea_name.empty());
        text += fmt::format("# {}: {}\n{}{} = {}\n", p.help, p.limit(), active ? "" : "# ", p.key(),
                            toml_value(p, settings));
    }
    return text;
}

} // namespace spindrift
