#include "engine/gl/shader_source.h"

#include "engine/error.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>

namespace spindrift::gl {
namespace {

namespace fs = std::filesystem;

bool is_shader_file(const fs::path& path) {
    static const std::vector<std::string> extensions{".comp", ".vert", ".frag", ".glsl"};
    return std::find(extensions.begin(), extensions.end(), path.extension().string()) != extensions.end();
}

/// The quoted path of an `#include "path"` line; empty for any other line.
std::optional<std::string> include_path(std::string_view line) {
    const std::size_t start = line.find_first_not_of(" \t");
    constexpr std::string_view directive = "#include";
    if (start == std::string_view::npos || line.substr(start, directive.size()) != directive) return std::nullopt;
    const std::size_t open = line.find('"', start + directive.size());
    const std::size_t close = open == std::string_view::npos ? open : line.find('"', open + 1);
    if (close == std::string_view::npos) return std::nullopt;
    return std::string(line.substr(open + 1, close - open - 1));
}

class Expander {
public:
    Expander(const ShaderSources& sources, const Defines& defines) : sources_(sources), defines_(defines) {}

    void append(const std::string& path, std::string_view text) {
        const std::size_t number = result_.files.size();
        result_.files.push_back(path);
        if (number != 0) result_.text += fmt::format("#line 1 {}\n", number);

        std::size_t line_number = 0;
        std::size_t begin = 0;
        while (begin < text.size()) {
            const std::size_t end = std::min(text.find('\n', begin), text.size());
            append_line(path, number, ++line_number, text.substr(begin, end - begin));
            begin = end + 1;
        }
    }

    ExpandedSource take() { return std::move(result_); }

private:
    void append_line(const std::string& path, std::size_t number, std::size_t line_number, std::string_view line) {
        if (const std::optional<std::string> included = include_path(line)) {
            if (std::find(result_.files.begin(), result_.files.end(), *included) != result_.files.end()) {
                result_.text += '\n'; // already there: keep the line count
                return;
            }
            try {
                append(*included, sources_.read(*included));
            } catch (const Error& error) {
                throw Error(fmt::format("{}:{}: {}", path, line_number, error.what()));
            }
            result_.text += fmt::format("#line {} {}\n", line_number + 1, number);
            return;
        }
        result_.text += line;
        result_.text += '\n';
        if (number == 0 && line.starts_with("#version")) {
            for (const auto& [name, value] : defines_) result_.text += fmt::format("#define {} {}\n", name, value);
            result_.text += fmt::format("#line {} 0\n", line_number + 1);
        }
    }

    const ShaderSources& sources_;
    const Defines& defines_;
    ExpandedSource result_;
};

} // namespace

ShaderSources ShaderSources::embedded() {
    return {};
}

ShaderSources ShaderSources::directory(const fs::path& folder) {
    std::error_code ignored;
    if (!fs::is_directory(folder, ignored))
        throw Error(ExitCode::usage, fmt::format("shader folder \"{}\": {}", folder.string(),
                                                 fs::exists(folder, ignored) ? "it is no folder" : "no such folder"));
    ShaderSources sources;
    sources.folder_ = folder;
    if (sources.list().empty())
        throw Error(ExitCode::usage,
                    fmt::format("shader folder \"{}\": no .comp, .vert, .frag or .glsl file in it", folder.string()));
    return sources;
}

std::vector<std::string> ShaderSources::list() const {
    std::vector<std::string> paths;
    if (!is_directory()) {
        for (const auto& [path, text] : detail::embedded_shaders()) paths.push_back(path);
        return paths;
    }
    std::error_code ignored;
    for (const auto& entry : fs::recursive_directory_iterator(folder_, ignored))
        if (is_shader_file(entry.path()) && entry.is_regular_file(ignored)) // the name first: links may lead nowhere
            paths.push_back(fs::relative(entry.path(), folder_).generic_string());
    std::sort(paths.begin(), paths.end());
    return paths;
}

std::string ShaderSources::read(std::string_view path) const {
    if (!is_directory()) {
        const auto& files = detail::embedded_shaders();
        const auto found = files.find(std::string(path));
        if (found == files.end()) throw Error(fmt::format("shader \"{}\" is not among the embedded files", path));
        return std::string(found->second);
    }
    std::ifstream file(folder_ / path, std::ios::binary);
    if (!file) throw Error(fmt::format("shader \"{}\" cannot be read", (folder_ / path).string()));
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

ExpandedSource ShaderSources::expand(std::string_view path, const Defines& defines) const {
    Expander expander(*this, defines);
    expander.append(std::string(path), read(path));
    return expander.take();
}

std::string name_files_in_log(std::string_view log, const std::vector<std::string>& files) {
    std::istringstream lines{std::string(log)};
    std::string result;
    for (std::string line; std::getline(lines, line);) {
        std::size_t digits = line.find_first_of("0123456789");
        // Intel puts "ERROR: " in front; anything else before the number is not a location.
        const std::string_view before = std::string_view(line).substr(0, std::min(digits, line.size()));
        std::size_t end = digits;
        while (end < line.size() && std::isdigit(static_cast<unsigned char>(line[end])) != 0) ++end;
        const bool is_location = digits != std::string::npos && (before.empty() || before == "ERROR: ") &&
                                 end < line.size() && (line[end] == ':' || line[end] == '(') && end - digits < 6;
        const std::size_t number = is_location ? std::stoul(line.substr(digits, end - digits)) : files.size();
        if (number < files.size()) line = std::string(before) + files[number] + line.substr(end);
        result += line + '\n';
    }
    return result;
}

} // namespace spindrift::gl
