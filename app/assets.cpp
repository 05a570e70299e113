#include "app/assets.h"

#include "engine/files.h"

#include <algorithm>
#include <cstdlib>
#include <system_error>

namespace spindrift {
namespace fs = std::filesystem;
namespace {

/// Our folder in the one that the variable names, else in the user's home.
std::optional<fs::path> user_folder(const char* variable, const char* below_home) {
    // The XDG specification says that a relative path is to be ignored.
    const char* base = std::getenv(variable);
    if (base != nullptr && fs::path{base}.is_absolute()) return fs::path{base} / "spindrift";
    const char* home = std::getenv("HOME");
    if (home != nullptr && fs::path{home}.is_absolute()) return fs::path{home} / below_home / "spindrift";
    return std::nullopt;
}

} // namespace

const NamedSea* find_named_sea(std::string_view name) {
    const auto seas = named_seas();
    const auto found = std::find_if(seas.begin(), seas.end(), [name](const NamedSea& sea) { return sea.name == name; });
    return found == seas.end() ? nullptr : &*found;
}

std::optional<fs::path> assets_folder() {
    std::error_code failure;
    if (const fs::path executable = executable_path(); !executable.empty()) {
        const fs::path installed = executable.parent_path().parent_path() / "share" / "spindrift" / "assets";
        if (fs::is_directory(installed, failure)) return installed;
    }
    const fs::path source_tree = fs::path{SPINDRIFT_SOURCE_DIR} / "assets";
    if (fs::is_directory(source_tree, failure)) return source_tree;
    return std::nullopt;
}

std::optional<fs::path> config_folder() {
    return user_folder("XDG_CONFIG_HOME", ".config");
}

std::optional<fs::path> cache_folder() {
    return user_folder("XDG_CACHE_HOME", ".cache");
}

} // namespace spindrift
