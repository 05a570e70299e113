#include "app/wisdom_file.h"

#include "app/assets.h"
#include "engine/error.h"
#include "engine/files.h"
#include "engine/sha256.h"

#include <fmt/format.h>
#include <set>
#include <span>
#include <spdlog/spdlog.h>
#include <system_error>

namespace spindrift {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t largest_file = std::size_t{4} << 20;

} // namespace

void warn_of_refusal(const LoadedWisdom& loaded) {
    static std::set<std::string> told; // by state, which names file and reason
    if (loaded.refused && told.insert(loaded.state).second)
        spdlog::warn("wisdom: {}; the default schedules are used", loaded.state);
}

fs::path wisdom_path(const gl::DeviceInfo& device) {
    const std::optional<fs::path> folder = cache_folder();
    if (!folder) return {};
    const std::string driver = fmt::format("{}\n{}\n{}", device.vendor, device.renderer, device.version);
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(driver.data());
    return *folder / "wisdom" / (to_hex(sha256({bytes, driver.size()})).substr(0, 16) + ".json");
}

LoadedWisdom load_wisdom(const gl::DeviceInfo& device, const gl::ShaderSources& sources, const fs::path& file) {
    const std::string shaders = fft::tuned_shader_hash(sources);
    LoadedWisdom loaded;
    loaded.wisdom = std::make_shared<const fft::Wisdom>(device, shaders);
    loaded.file = file.empty() ? wisdom_path(device) : file;
    std::error_code failure;
    if (loaded.file.empty() || !fs::exists(loaded.file, failure)) {
        loaded.state = "none yet; spindrift tune measures";
        return loaded;
    }
    try {
        if (!fs::is_regular_file(loaded.file, failure)) throw Error("it is no file");
        const std::string text = read_file(loaded.file, largest_file);
        loaded.wisdom = std::make_shared<const fft::Wisdom>(fft::Wisdom::parse(text, device, shaders));
        loaded.state =
            fmt::format("{} measured schedules from {}", loaded.wisdom->entries().size(), loaded.file.string());
    } catch (const Error& error) {
        loaded.refused = true;
        loaded.state = fmt::format("{} is refused: {}", loaded.file.string(), error.what());
    }
    return loaded;
}

LoadedWisdom use_wisdom(const gl::DeviceInfo& device, const gl::ShaderSources& sources, const fs::path& file) {
    LoadedWisdom loaded = load_wisdom(device, sources, file);
    warn_of_refusal(loaded);
    fft::set_active_wisdom(loaded.wisdom);
    return loaded;
}

KeptWisdom keep_wisdom(const fft::WisdomEntry& entry, const gl::DeviceInfo& device, const gl::ShaderSources& sources) {
    const LoadedWisdom loaded = load_wisdom(device, sources);
    warn_of_refusal(loaded); // it is about to be replaced
    auto wisdom = std::make_shared<fft::Wisdom>(*loaded.wisdom);
    // What an earlier search could not write is still known, unless it was of another text of the kernels.
    if (const fft::Wisdom* known = fft::active_wisdom();
        known != nullptr && known->shader_hash() == wisdom->shader_hash())
        for (const fft::WisdomEntry& other : known->entries()) {
            const auto* written =
                other.fused ? wisdom->find_fused(other.desc, other.effort) : wisdom->find(other.desc, other.effort);
            if (written == nullptr) wisdom->add(other);
        }
    wisdom->add(entry);
    fft::set_active_wisdom(wisdom);
    KeptWisdom kept{.file = loaded.file, .why_not_written = {}};
    if (kept.file.empty()) {
        kept.why_not_written = "there is no cache folder";
        return kept;
    }
    try {
        save_wisdom(*wisdom, kept.file);
    } catch (const Error& error) {
        kept.why_not_written = error.what();
    }
    return kept;
}

void save_wisdom(const fft::Wisdom& wisdom, const fs::path& file) {
    std::error_code failure;
    if (file.has_parent_path()) fs::create_directories(file.parent_path(), failure);
    if (failure)
        throw Error(
            fmt::format("wisdom: cannot make the folder {}: {}", file.parent_path().string(), failure.message()));
    write_file_atomically(file, wisdom.to_json());
}

} // namespace spindrift
