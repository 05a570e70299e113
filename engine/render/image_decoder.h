// stb_image behind three functions, in a file of its own: its code is built with flags that ours is not. Trusts nothing
// to the caller but that the bytes begin as a PNG, JPEG or BMP file; image_file.h is what others call.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

namespace spindrift::render {

struct DecoderInfo {
    int width = 0, height = 0, channels = 0; ///< as in Image
    int bits = 8;
};
/// What the header says; the memory that decoding takes follows from it. Nullopt where it makes no sense.
std::optional<DecoderInfo> decoder_info(std::span<const std::uint8_t> bytes);

/// width * height * channels samples as in Image, `info` as they were decoded; null when the file is damaged.
using DecodedSamples = std::unique_ptr<std::uint16_t, void (*)(void*)>;
DecodedSamples decode_samples(std::span<const std::uint8_t> bytes, DecoderInfo& info);

/// Why the last call failed in this thread; never null.
const char* decoder_failure();

} // namespace spindrift::render
