#include "engine/gl/program_cache.h"

#include "engine/error.h"
#include "engine/files.h"
#include "engine/gl/program.h"
#include "engine/sha256.h"

#include <algorithm>
#include <cassert>
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <string_view>
#include <system_error>

namespace spindrift::gl {
namespace {

namespace fs = std::filesystem;

/// A file is: these bytes, the format of the driver's binary (4 bytes, little-endian), the key's 64 digits, the
/// binary, and the SHA-256 of all before it. The last byte of the mark is the version.
constexpr std::string_view mark = "spindrift program 1";
constexpr std::size_t key_digits = 64;
constexpr std::size_t head_size = mark.size() + 4 + key_digits;
constexpr std::size_t digest_size = Sha256Digest{}.size();
constexpr std::string_view ending = ".program";

std::span<const std::uint8_t> bytes_of(std::string_view text) {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

std::vector<std::uint8_t> encode(std::string_view key, const ProgramBinary& binary) {
    std::vector<std::uint8_t> file;
    file.reserve(head_size + binary.bytes.size() + digest_size);
    file.insert(file.end(), mark.begin(), mark.end());
    for (unsigned shift = 0; shift < 32; shift += 8) file.push_back(static_cast<std::uint8_t>(binary.format >> shift));
    file.insert(file.end(), key.begin(), key.end());
    file.insert(file.end(), binary.bytes.begin(), binary.bytes.end());
    const Sha256Digest digest = sha256(file);
    file.insert(file.end(), digest.begin(), digest.end());
    return file;
}

/// Throws Error with the reason why the file is no entry for this key.
ProgramBinary decode(std::string_view file, std::string_view key) {
    if (!file.starts_with(mark)) throw Error("it is no program of this version");
    if (file.size() < head_size + digest_size) throw Error("it is cut off");
    const std::string_view content = file.substr(0, file.size() - digest_size);
    const Sha256Digest digest = sha256(bytes_of(content));
    const auto stored = bytes_of(file.substr(content.size()));
    if (!std::equal(digest.begin(), digest.end(), stored.begin())) throw Error("it is damaged or cut off");
    if (content.substr(mark.size() + 4, key_digits) != key) throw Error("it belongs to another program");
    ProgramBinary binary;
    for (std::size_t index = 0; index < 4; ++index)
        binary.format |= std::uint32_t{bytes_of(content)[mark.size() + index]} << (8 * index);
    const auto bytes = bytes_of(content.substr(head_size));
    binary.bytes.assign(bytes.begin(), bytes.end());
    return binary;
}

/// Files of other names in the folder are somebody else's.
bool is_entry_name(std::string_view name) {
    return name.size() == key_digits + ending.size() && name.ends_with(ending) &&
           name.find_first_not_of("0123456789abcdef") == key_digits;
}

} // namespace

ProgramCache::ProgramCache(fs::path folder, const DeviceInfo& device, std::uintmax_t size_limit)
    : folder_(std::move(folder)), driver_(fmt::format("{}\n{}\n{}", device.vendor, device.renderer, device.version)),
      formats_(device.program_binary_formats), size_limit_(size_limit) {}

fs::path ProgramCache::path_of(const std::string& key) const {
    return folder_ / (key + std::string(ending));
}

std::string ProgramCache::key_of(const ProgramRecipe& recipe, std::span<const ExpandedSource> sources) const {
    assert(recipe.stages.size() == sources.size());
    Sha256 hash;
    // Each part with its length in front: no two lists of parts run together into the same bytes.
    const auto add = [&hash](std::string_view part) {
        hash.update(fmt::format("{}:", part.size()));
        hash.update(part);
    };
    add(mark);
    add(driver_);
    for (std::size_t index = 0; index < sources.size(); ++index) {
        add(fmt::format("{:x}", static_cast<std::uint32_t>(recipe.stages[index].kind)));
        add(sources[index].text);
    }
    return to_hex(hash.digest());
}

std::optional<ProgramBinary> ProgramCache::find(const std::string& key) const {
    const fs::path path = path_of(key);
    std::error_code failure;
    if (!usable() || !fs::exists(path, failure)) return std::nullopt;
    try {
        if (!fs::is_regular_file(path, failure)) throw Error("it is no file"); // reading a pipe would wait for ever
        ProgramBinary binary = decode(read_file(path, size_limit_), key);
        if (std::find(formats_.begin(), formats_.end(), binary.format) == formats_.end())
            throw Error(fmt::format("the driver does not take its format {:#x}", binary.format));
        fs::last_write_time(path, fs::file_time_type::clock::now(), failure); // used: among the last to go
        return binary;
    } catch (const Error& error) {
        spdlog::debug("shader cache: {} is ignored: {}", path.string(), error.what());
        return std::nullopt;
    }
}

void ProgramCache::store(const std::string& key, const ProgramBinary& binary) {
    if (!usable() || !writable_ || binary.bytes.empty()) return;
    const std::vector<std::uint8_t> file = encode(key, binary);
    if (file.size() > size_limit_) {
        spdlog::debug("shader cache: a program of {} bytes is not kept; the limit is {} bytes", file.size(),
                      size_limit_);
        return;
    }
    try {
        std::error_code failure;
        fs::create_directories(folder_, failure);
        if (failure) throw Error(fmt::format("cannot make the folder {}: {}", folder_.string(), failure.message()));
        write_file_atomically(path_of(key), file);
        make_room(key);
    } catch (const Error& error) {
        writable_ = false;
        spdlog::warn("shader cache: {}; compiled shaders are not kept", error.what());
    }
}

void ProgramCache::make_room(const std::string& newest_key) const {
    struct Entry {
        fs::path path;
        fs::file_time_type used;
        std::uintmax_t size;
    };
    std::vector<Entry> entries;
    std::uintmax_t total = 0;
    // Another process may remove a file between any two of these calls: then it is simply not counted.
    std::error_code failure;
    for (fs::directory_iterator place(folder_, failure), end; !failure && place != end; place.increment(failure)) {
        if (!is_entry_name(place->path().filename().string())) continue;
        std::error_code gone;
        const Entry entry{place->path(), fs::last_write_time(place->path(), gone), fs::file_size(place->path(), gone)};
        if (gone) continue;
        total += entry.size;
        if (entry.path != path_of(newest_key)) entries.push_back(entry);
    }
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.used < b.used; });
    for (const Entry& entry : entries) {
        if (total <= size_limit_) return;
        std::error_code gone;
        if (fs::remove(entry.path, gone)) total -= entry.size;
    }
}

} // namespace spindrift::gl
