// GLSL source: real files under shaders/, embedded in the program at build time or read from a folder for live editing.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace spindrift::gl {

/// Ordered name -> value pairs, injected as `#define NAME VALUE` after #version.
using Defines = std::vector<std::pair<std::string, std::string>>;

/// One translation unit after #include expansion.
struct ExpandedSource {
    std::string text;
    /// Index = the source-string number used in #line; Mesa and NVIDIA print it in front of each message.
    std::vector<std::string> files;
};

/// Finds shader files by their path below shaders/ ("fft/stockham_radix2.comp").
class ShaderSources {
public:
    /// The files embedded at build time; works from any directory.
    static ShaderSources embedded();
    /// A folder with the layout of shaders/. Throws Error(usage) when it does not exist or has no shaders in it.
    static ShaderSources directory(const std::filesystem::path& folder);

    /// Expands `#include "path"` (path below shaders/, each file once per translation unit), injects `defines` after
    /// the #version line, and numbers the sources. Throws Error naming file and line when an include cannot be found.
    ExpandedSource expand(std::string_view path, const Defines& defines) const;

    /// Text of one file as it is now; throws Error when there is no such file.
    std::string read(std::string_view path) const;
    bool is_directory() const noexcept { return !folder_.empty(); }
    const std::filesystem::path& folder() const noexcept { return folder_; }
    std::vector<std::string> list() const;

private:
    std::filesystem::path folder_;
};

/// Rewrites "3:17(5): error" and "3(17) : error" so that 3 becomes the file's path.
std::string name_files_in_log(std::string_view log, const std::vector<std::string>& files);

namespace detail {
/// path -> text, defined in a source file that the build generates from shaders/.
const std::map<std::string, std::string_view>& embedded_shaders();
} // namespace detail

} // namespace spindrift::gl
