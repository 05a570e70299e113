#include "engine/render/png_file.h"

#include "engine/error.h"
#include "engine/files.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <climits>
#include <fmt/format.h>
#include <memory>

#define STBI_ONLY_PNG
#define STBI_NO_STDIO
#define STBI_MAX_DIMENSIONS 16384
#define STBI_WRITE_NO_STDIO
#ifndef __clang_analyzer__ // stb's own code is not ours to judge
#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#endif
#include <stb_image.h>
#include <stb_image_write.h>

namespace spindrift::render {
namespace {

static_assert(STBI_MAX_DIMENSIONS == max_png_dimension);

constexpr std::array<std::uint8_t, 8> signature{0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
/// Compressed; an image of the largest dimensions without any compression would be 0.8 GB.
constexpr std::size_t largest_file = std::size_t{1} << 30;

[[noreturn]] void refuse(const std::string& name, const std::string& reason) {
    throw Error(fmt::format("cannot read {}: {}", name, reason));
}

/// Big-endian, as everywhere in PNG.
std::uint32_t read_u32(std::span<const std::uint8_t> bytes, std::size_t offset) {
    return std::uint32_t{bytes[offset]} << 24 | std::uint32_t{bytes[offset + 1]} << 16 |
           std::uint32_t{bytes[offset + 2]} << 8 | std::uint32_t{bytes[offset + 3]};
}

/// stb reads a file that ends inside its last chunks without complaint; the chunk list says whether it is whole.
bool reaches_end_chunk(std::span<const std::uint8_t> bytes) {
    std::size_t offset = signature.size();
    while (offset + 12 <= bytes.size()) { // length, type and checksum
        const std::size_t next = offset + 12 + std::size_t{read_u32(bytes, offset)};
        const bool is_end = std::equal(bytes.begin() + static_cast<std::ptrdiff_t>(offset) + 4,
                                       bytes.begin() + static_cast<std::ptrdiff_t>(offset) + 8, "IEND");
        if (next > bytes.size()) return false;
        if (is_end) return true;
        offset = next;
    }
    return false;
}

} // namespace

std::vector<std::uint8_t> encode_png(int width, int height, std::span<const std::uint8_t> rgb) {
    assert(width > 0 && height > 0 && width <= max_png_dimension && height <= max_png_dimension);
    assert(rgb.size() == std::size_t{3} * static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
    std::vector<std::uint8_t> file;
    const auto append = [](void* context, void* data, int size) {
        const auto* bytes = static_cast<const std::uint8_t*>(data);
        auto& target = *static_cast<std::vector<std::uint8_t>*>(context);
        target.insert(target.end(), bytes, bytes + size);
    };
    if (stbi_write_png_to_func(append, &file, width, height, 3, rgb.data(), width * 3) == 0 || file.empty())
        throw Error(
            fmt::format("a picture of {} x {} pixels could not be encoded as PNG: out of memory", width, height));
    return file;
}

RgbImage decode_png(std::span<const std::uint8_t> bytes, const std::string& name) {
    if (bytes.empty()) refuse(name, "the file is empty");
    if (bytes.size() < signature.size() || !std::equal(signature.begin(), signature.end(), bytes.begin()))
        refuse(name, "it is not a PNG file");
    constexpr std::size_t header_size = 8 + 8 + 13; // signature, chunk head, IHDR
    if (bytes.size() < header_size || bytes.size() > largest_file) refuse(name, "its PNG header is cut off");
    const std::uint32_t width = read_u32(bytes, 16), height = read_u32(bytes, 20);
    if (width == 0 || height == 0 || width > max_png_dimension || height > max_png_dimension)
        refuse(name,
               fmt::format("it has {} x {} pixels; each side may have 1 to {}", width, height, max_png_dimension));
    if (const int depth = bytes[24]; depth > 8)
        refuse(name, fmt::format("it has {} bits per channel; 8 are supported", depth));
    if (!reaches_end_chunk(bytes)) refuse(name, "the file is cut off or damaged (no IEND chunk where one should be)");
    int decoded_width = 0, decoded_height = 0, channels = 0;
    const std::unique_ptr<stbi_uc, decltype(&stbi_image_free)> pixels(
        stbi_load_from_memory(bytes.data(), static_cast<int>(bytes.size()), &decoded_width, &decoded_height, &channels,
                              3),
        stbi_image_free);
    if (pixels == nullptr) refuse(name, fmt::format("the PNG file is damaged ({})", stbi_failure_reason()));
    const std::size_t size =
        std::size_t{3} * static_cast<std::size_t>(decoded_width) * static_cast<std::size_t>(decoded_height);
    return {decoded_width, decoded_height, std::vector<std::uint8_t>(pixels.get(), pixels.get() + size)};
}

void write_png(const std::filesystem::path& path, int width, int height, std::span<const std::uint8_t> rgb) {
    write_file_atomically(path, encode_png(width, height, rgb));
}

RgbImage read_png(const std::filesystem::path& path) {
    const std::string content = read_file(path, largest_file);
    return decode_png(std::span(reinterpret_cast<const std::uint8_t*>(content.data()), content.size()), path.string());
}

} // namespace spindrift::render
