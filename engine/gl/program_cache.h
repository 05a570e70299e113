// Linked programs kept on disk, so that a second start compiles nothing.
//
// An entry is one file, KEY.program, where KEY is the SHA-256 of everything that decides what the driver makes: the
// expanded sources (defines included), the stages, vendor, renderer and version of the driver, and this format's
// version. Another driver or another shader text therefore asks for another file and never meets the wrong one. The
// file ends with a SHA-256 of its own content; what is damaged, cut off or foreign is ignored with one debug line, and
// the program is compiled as if it were not there.
#pragma once

#include "engine/gl/device.h"
#include "engine/gl/shader_source.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace spindrift::gl {

struct ProgramRecipe;

/// What a driver gives for a linked program and takes back; only the same driver understands it.
struct ProgramBinary {
    std::uint32_t format = 0; ///< one of DeviceInfo::program_binary_formats
    std::vector<std::uint8_t> bytes;
};

/// Several processes may share a folder: files appear whole or not at all. Nothing here throws for what the disk does.
class ProgramCache {
public:
    static constexpr std::uintmax_t default_size_limit = std::uintmax_t{64} << 20; ///< bytes

    /// The folder is made with the first entry. Beyond `size_limit` bytes the entries unused for the longest time go.
    ProgramCache(std::filesystem::path folder, const DeviceInfo& device,
                 std::uintmax_t size_limit = default_size_limit);

    /// False when the driver has no format for binaries: then nothing is looked for and nothing stored.
    bool usable() const noexcept { return !formats_.empty(); }
    const std::filesystem::path& folder() const noexcept { return folder_; }

    /// 64 hexadecimal digits. `sources` are the expanded stages of `recipe`, in its order.
    std::string key_of(const ProgramRecipe& recipe, std::span<const ExpandedSource> sources) const;
    /// The entry, or nullopt when there is none that can be trusted.
    std::optional<ProgramBinary> find(const std::string& key) const;
    /// Replaces the entry. A disk that refuses is told once, as a warning; then nothing more is written.
    void store(const std::string& key, const ProgramBinary& binary);

    std::filesystem::path path_of(const std::string& key) const;

private:
    void make_room(const std::string& newest_key) const;

    std::filesystem::path folder_;
    std::string driver_; ///< vendor, renderer and version
    std::vector<std::uint32_t> formats_;
    std::uintmax_t size_limit_;
    bool writable_ = true;
};

} // namespace spindrift::gl
