#include "app/shaders.h"

#include "app/assets.h"
#include "app/wisdom_file.h"
#include "engine/error.h"

#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <spdlog/spdlog.h>
#include <system_error>

namespace spindrift {
namespace {

namespace fs = std::filesystem;

/// Empty when compiled shaders are not to be kept.
fs::path shader_cache_folder(const Settings& settings) {
    std::error_code failure;
    if (settings.shader_cache == "off") return {};
    if (!settings.shader_cache.empty()) {
        fs::path folder = settings.shader_cache;
        fs::create_directories(folder, failure);
        if (!failure && !fs::is_directory(folder, failure)) failure = std::make_error_code(std::errc::not_a_directory);
        if (failure)
            throw Error(
                fmt::format("--shader-cache {}: cannot be made a folder: {}", folder.string(), failure.message()));
        return folder;
    }
    // A headless run leaves nothing behind but what it was asked for.
    const std::optional<fs::path> folder = settings.headless ? std::nullopt : cache_folder();
    // A home that does not exist is somebody's decision, not ours to mend.
    if (!folder || !fs::is_directory(folder->parent_path().parent_path(), failure)) return {};
    return *folder / "shaders";
}

} // namespace

gl::ProgramLibrary make_program_library(const Settings& settings, const gl::DeviceInfo& device) {
    gl::ShaderSources sources =
        settings.shader_dir.empty() ? gl::ShaderSources::embedded() : gl::ShaderSources::directory(settings.shader_dir);
    std::shared_ptr<gl::ProgramCache> cache;
    if (const fs::path folder = shader_cache_folder(settings); !folder.empty())
        cache = std::make_shared<gl::ProgramCache>(folder, device);
    use_wisdom(device, sources);
    return gl::ProgramLibrary(std::move(sources), std::move(cache));
}

void tell_program_counts(const gl::ProgramLibrary& programs) {
    spdlog::debug("shader programs: {} compiled, {} from the cache", programs.compile_count(), programs.cache_hits());
}

} // namespace spindrift
