#include "engine/render/image_decoder.h"

#include <cstdlib>

#define STBI_ONLY_PNG
#define STBI_ONLY_JPEG
#define STBI_ONLY_BMP
#define STBI_NO_STDIO
// Zeroed: of a damaged JPEG, stb hands out parts that no scan has filled.
#define STBI_MALLOC(size) std::calloc(1, size)
#define STBI_REALLOC(memory, size) std::realloc(memory, size)
#define STBI_FREE(memory) std::free(memory)
#ifndef __clang_analyzer__ // stb's own code is not ours to judge
#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#endif
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wold-style-cast" // stb's casts of what the macros above return
#include <mended_stb_image.h>                     // made by engine/CMakeLists.txt
#pragma GCC diagnostic pop

namespace spindrift::render {

std::optional<DecoderInfo> decoder_info(std::span<const std::uint8_t> bytes) {
    const int length = static_cast<int>(bytes.size());
    DecoderInfo info;
    if (stbi_info_from_memory(bytes.data(), length, &info.width, &info.height, &info.channels) == 0)
        return std::nullopt;
    info.bits = stbi_is_16_bit_from_memory(bytes.data(), length) != 0 ? 16 : 8;
    return info;
}

DecodedSamples decode_samples(std::span<const std::uint8_t> bytes, DecoderInfo& info) {
    return {stbi_load_16_from_memory(bytes.data(), static_cast<int>(bytes.size()), &info.width, &info.height,
                                     &info.channels, 0),
            stbi_image_free};
}

const char* decoder_failure() {
    const char* reason = stbi_failure_reason();
    return reason == nullptr ? "no reason given" : reason;
}

} // namespace spindrift::render
