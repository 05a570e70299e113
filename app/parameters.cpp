#include "app/parameters.h"

#include "app/suggestion.h"
#include "engine/error.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace spindrift {
namespace {

[[noreturn]] void refuse(std::string_view name, std::string_view value, const Parameter& parameter) {
    std::string suggestion;
    if (parameter.kind == ParameterKind::choice) suggestion = did_you_mean(value, parameter.choices);
    throw Error(ExitCode::usage, fmt::format("{} {}: must be {}{}", name, value.empty() ? "\"\"" : value,
                                             parameter.limit(), suggestion));
}

std::string text_of(const ParameterValue& value) {
    if (const bool* on = std::get_if<bool>(&value)) return *on ? "on" : "off";
    return std::visit([](const auto& v) { return fmt::format("{}", v); }, value);
}

template <class Number>
std::optional<Number> parse_number(std::string_view text) {
    if (text.starts_with('+')) text.remove_prefix(1);
    Number number{};
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return number;
}

std::optional<bool> parse_boolean(std::string_view text) {
    for (const std::string_view on : {"on", "true", "yes", "1"})
        if (text == on) return true;
    for (const std::string_view off : {"off", "false", "no", "0"})
        if (text == off) return false;
    return std::nullopt;
}

bool holds_type_of(ParameterKind kind, const ParameterValue& value) {
    switch (kind) {
    case ParameterKind::real:
        return std::holds_alternative<double>(value);
    case ParameterKind::integer:
        return std::holds_alternative<std::int64_t>(value);
    case ParameterKind::boolean:
        return std::holds_alternative<bool>(value);
    case ParameterKind::choice:
    case ParameterKind::text:
    case ParameterKind::path:
        return std::holds_alternative<std::string>(value);
    }
    return false;
}

bool in_range(const Parameter& parameter, const ParameterValue& value) {
    switch (parameter.kind) {
    case ParameterKind::real: {
        const double number = std::get<double>(value); // NaN fails both comparisons
        return number >= parameter.minimum && number <= parameter.maximum;
    }
    case ParameterKind::integer: {
        const auto number = std::get<std::int64_t>(value);
        const bool inside = number >= static_cast<std::int64_t>(parameter.minimum) &&
                            number <= static_cast<std::int64_t>(parameter.maximum);
        return inside && (!parameter.power_of_two || std::has_single_bit(static_cast<std::uint64_t>(number)));
    }
    case ParameterKind::choice:
        return std::find(parameter.choices.begin(), parameter.choices.end(), std::get<std::string>(value)) !=
               parameter.choices.end();
    case ParameterKind::text:
    case ParameterKind::path: {
        const auto& text = std::get<std::string>(value);
        // A NUL or a line break in a file name is a mistake, and would tear messages apart.
        if (text.find_first_of(std::string_view("\0\n\r", 3)) != std::string::npos) return false;
        return text.empty() || parameter.endings.empty() ||
               std::any_of(parameter.endings.begin(), parameter.endings.end(), [&text](const std::string& ending) {
                   return text.size() > ending.size() && text.ends_with(ending);
               });
    }
    case ParameterKind::boolean:
        break;
    }
    return true;
}

} // namespace

std::string Parameter::key() const {
    std::string name = id;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

std::string Parameter::limit() const {
    const std::string space_unit = unit.empty() ? unit : fmt::format(" {}", unit);
    switch (kind) {
    case ParameterKind::real:
        return fmt::format("a number from {} to {}{}", minimum, maximum, space_unit);
    case ParameterKind::integer:
        if (power_of_two) return fmt::format("a power of two from {:.0f} to {:.0f}", minimum, maximum);
        if (minimum == maximum) return fmt::format("{:.0f}, other values come with a later version", minimum);
        return fmt::format("a whole number from {:.0f} to {:.0f}{}", minimum, maximum, space_unit);
    case ParameterKind::choice:
        if (choices.size() == 1) return fmt::format("{}, others come with a later version", choices.front());
        return fmt::format("one of {}", fmt::join(choices, ", "));
    case ParameterKind::boolean:
        return "on or off";
    case ParameterKind::text:
        return "one line of text";
    case ParameterKind::path:
        if (!endings.empty()) return fmt::format("the name of a {} file", fmt::join(endings, " or "));
        return "the name of a file or folder";
    }
    return {};
}

std::string Parameter::range() const {
    switch (kind) {
    case ParameterKind::real:
        return fmt::format("{} to {}", minimum, maximum);
    case ParameterKind::integer:
        if (minimum == maximum) return fmt::format("{:.0f}", minimum);
        return fmt::format("{:.0f} to {:.0f}{}", minimum, maximum, power_of_two ? ", a power of two" : "");
    case ParameterKind::choice:
        return fmt::format("{}", fmt::join(choices, ", "));
    case ParameterKind::boolean:
        return bare_flag ? "" : "on, off";
    case ParameterKind::text:
    case ParameterKind::path:
        break;
    }
    return {};
}

std::string Parameter::flag() const {
    return fmt::format("--{}", id);
}

std::string Parameter::placeholder() const {
    switch (kind) {
    case ParameterKind::boolean:
        return bare_flag ? "" : "on|off";
    case ParameterKind::choice:
        return "NAME";
    case ParameterKind::text:
        return "NAME|FILE";
    case ParameterKind::path: {
        std::vector<std::string> names;
        for (const std::string& ending : endings) names.push_back(fmt::format("FILE{}", ending));
        return names.empty() ? "FOLDER" : fmt::format("{}", fmt::join(names, "|"));
    }
    case ParameterKind::real:
    case ParameterKind::integer:
        break;
    }
    return unit.empty() ? "N" : unit;
}

void Parameter::check(const ParameterValue& value, std::string_view name) const {
    if (!holds_type_of(kind, value) || !in_range(*this, value)) refuse(name, text_of(value), *this);
}

ParameterValue Parameter::parse(std::string_view text, std::string_view name) const {
    std::optional<ParameterValue> value;
    switch (kind) {
    case ParameterKind::real:
        value = parse_number<double>(text);
        break;
    case ParameterKind::integer:
        value = parse_number<std::int64_t>(text);
        break;
    case ParameterKind::boolean:
        value = parse_boolean(text);
        break;
    case ParameterKind::choice:
    case ParameterKind::text:
    case ParameterKind::path:
        value = std::string(text);
        break;
    }
    if (!value) refuse(name, text, *this);
    check(*value, name);
    return *value;
}

void Parameter::set(Settings& settings, const ParameterValue& value) const {
    check(value, id);
    write(settings, value);
}

std::string Parameter::text(const Settings& settings) const {
    return text_of(get(settings));
}

const Parameter* find_parameter(std::string_view id) {
    std::string name{id};
    std::replace(name.begin(), name.end(), '_', '-');
    const auto all = parameters();
    const auto found = std::find_if(all.begin(), all.end(), [&name](const Parameter& p) { return p.id == name; });
    return found == all.end() ? nullptr : &*found;
}

const Parameter& parameter(std::string_view id) {
    const Parameter* found = find_parameter(id);
    assert(found != nullptr && "no such parameter");
    return *found;
}

bool same_values(const Settings& a, const Settings& b) {
    const auto all = parameters();
    return std::all_of(all.begin(), all.end(), [&](const Parameter& p) { return p.get(a) == p.get(b); });
}

std::string command_line_of(const Settings& settings, CommandLineScope scope) {
    const Settings base = settings_of_sea(settings.sea_name);
    std::string line = "spindrift";
    for (const Parameter& p : parameters()) {
        if (scope == CommandLineScope::look && !p.look) continue;
        // Of these the presence matters, not only the value: see warm_up_of() and adapt_to_software_renderer().
        const bool is_told =
            settings.was_given(p.id) && (p.id == "dt" || p.id == "warmup" || p.id == "size" || p.id == "vertices");
        const bool is_sea = p.id == "sea"; // printed when it could be read, since then it is the base of the others
        if (is_sea ? base.sea_name.empty() : p.get(settings) == p.get(base) && !is_told) continue;
        if (!p.bare_flag)
            line += fmt::format(" {} {}", p.flag(), shell_quoted(p.text(settings)));
        else if (std::get<bool>(p.get(settings)))
            line += fmt::format(" {}", p.flag());
        else
            line += fmt::format(" {}=off", p.flag());
    }
    return line;
}

std::string shell_quoted(const std::string& text) {
    const auto plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view("_./:@%+,-").find(c) != std::string_view::npos;
    };
    if (!text.empty() && std::all_of(text.begin(), text.end(), plain)) return text;
    std::string result = "'";
    for (const char c : text) {
        if (c == '\'')
            result += "'\\''";
        else
            result += c;
    }
    return result + "'";
}

} // namespace spindrift
