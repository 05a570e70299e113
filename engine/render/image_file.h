// Pictures that a user brings: PNG, JPEG and BMP files, checked before anything is decoded.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace spindrift::render {

/// Pixels left to right, rows top to bottom, channels interleaved: width * height * channels samples from 0 to 65535.
/// Samples are as they stand in the file, sRGB-encoded for all that it matters: gamma chunks, colour profiles and the
/// orientation that a camera noted are not read.
struct Image {
    int width = 0;
    int height = 0;
    int channels = 0; ///< 1 grey, 2 grey and alpha, 3 RGB, 4 RGB and alpha; palettes are expanded
    int bits = 8;     ///< per sample in the file, 8 or 16; an 8-bit value v is stored as 257 v, which is exact
    std::vector<std::uint16_t> samples;
};

/// Larger images are refused: the decoder's memory is bounded by these, whatever a file's header claims.
inline constexpr int max_image_dimension = 16384;
inline constexpr std::int64_t max_image_pixels = std::int64_t{1} << 26; // 67 million, 8192 x 8192

/// `name` stands in messages. Throws Error for what is none of the three formats, is damaged or cut off, has no pixels
/// or more than the limits above; `max_pixels` may be lower, for a caller with less memory or time.
Image decode_image(std::span<const std::uint8_t> bytes, const std::string& name,
                   std::int64_t max_pixels = max_image_pixels);
Image read_image(const std::filesystem::path& path);

} // namespace spindrift::render
