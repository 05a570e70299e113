#include "engine/render/png_file.h"

#include "engine/error.h"
#include "engine/files.h"
#include "engine/render/image_file.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <fmt/format.h>

#define STBI_WRITE_NO_STDIO
#ifndef __clang_analyzer__ // stb's own code is not ours to judge
#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#endif
#include <stb_image_write.h>

namespace spindrift::render {
namespace {

static_assert(max_image_dimension == max_png_dimension);

constexpr std::array<std::uint8_t, 8> signature{0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
constexpr std::size_t depth_offset = 24; ///< of the bits per channel in the header
/// Compressed; an image of the largest dimensions without any compression would be 0.8 GB.
constexpr std::size_t largest_file = std::size_t{1} << 30;

[[noreturn]] void refuse(const std::string& name, const std::string& reason) {
    throw Error(fmt::format("cannot read {}: {}", name, reason));
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
    // Of a file that is too short for this the decoder says so.
    if (bytes.size() > depth_offset && bytes[depth_offset] > 8)
        refuse(name, fmt::format("it has {} bits per channel; 8 are supported", bytes[depth_offset]));
    const Image image = decode_image(bytes, name);
    RgbImage rgb{image.width, image.height, {}};
    rgb.pixels.reserve(std::size_t{3} * static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height));
    const auto channels = static_cast<std::size_t>(image.channels);
    const std::size_t green = channels < 3 ? 0 : 1, blue = channels < 3 ? 0 : 2;
    for (std::size_t offset = 0; offset < image.samples.size(); offset += channels)
        for (const std::size_t channel : {std::size_t{0}, green, blue})
            rgb.pixels.push_back(static_cast<std::uint8_t>(image.samples[offset + channel] / 257));
    return rgb;
}

void write_png(const std::filesystem::path& path, int width, int height, std::span<const std::uint8_t> rgb) {
    write_file_atomically(path, encode_png(width, height, rgb));
}

RgbImage read_png(const std::filesystem::path& path) {
    const std::string content = read_file(path, largest_file);
    return decode_png(std::span(reinterpret_cast<const std::uint8_t*>(content.data()), content.size()), path.string());
}

} // namespace spindrift::render
