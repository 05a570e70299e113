// PNG files: 8 bits for each of red, green and blue, top row first.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace spindrift::render {

/// Pixels left to right, rows top to bottom, no padding: 3 * width * height bytes.
struct RgbImage {
    int width = 0;
    int height = 0;
    std::vector<std::uint8_t> pixels;
};

/// Larger images are refused: the decoder's memory is bounded by this, whatever a file's header claims.
inline constexpr int max_png_dimension = 16384;

/// The file's bytes. The same pixels give the same bytes.
std::vector<std::uint8_t> encode_png(int width, int height, std::span<const std::uint8_t> rgb);
/// `name` stands in messages. Grey becomes three equal channels, palettes are expanded, alpha is dropped.
/// Throws Error for what is no PNG, is damaged or cut off, has 16 bits per channel or more than max_png_dimension.
RgbImage decode_png(std::span<const std::uint8_t> bytes, const std::string& name);

/// Atomically, see engine/files.h. `rgb` must have 3 * width * height bytes.
void write_png(const std::filesystem::path& path, int width, int height, std::span<const std::uint8_t> rgb);
RgbImage read_png(const std::filesystem::path& path);

} // namespace spindrift::render
