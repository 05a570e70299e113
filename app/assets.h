// Where the program finds what it does not compile in, and the named seas, which it does.
//
// Named seas (assets/seas/NAME.toml) and shaders are embedded at build time: a copied binary works from any working
// directory. Other assets (images) are looked for, in this order:
//   1. ../share/spindrift/assets beside the executable's folder: the tree of `cmake --install`, wherever it was moved;
//   2. the source tree that the program was built from, while it still exists.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string_view>

namespace spindrift {

struct NamedSea {
    std::string_view name; ///< "storm": the file's name without .toml
    std::string_view toml; ///< the file's text; parameters.h says what it may hold
};

/// All named seas in the order of their names.
std::span<const NamedSea> named_seas();
const NamedSea* find_named_sea(std::string_view name);

/// The folder with assets/, or nullopt when neither place exists.
std::optional<std::filesystem::path> assets_folder();
/// $XDG_CONFIG_HOME/spindrift, else ~/.config/spindrift; nullopt without a home. Not created here: headless runs write
/// no settings at all.
std::optional<std::filesystem::path> config_folder();

/// $XDG_CACHE_HOME/spindrift, else ~/.cache/spindrift; the same rules.
std::optional<std::filesystem::path> cache_folder();

} // namespace spindrift
