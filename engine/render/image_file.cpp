#include "engine/render/image_file.h"

#include "engine/error.h"
#include "engine/files.h"
#include "engine/render/image_decoder.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdlib>
#include <fmt/format.h>
#include <optional>

namespace spindrift::render {
namespace {

using Bytes = std::span<const std::uint8_t>;

// Formats that begin with a signature: whatever else is offered is refused at its first bytes.
constexpr std::array<std::uint8_t, 8> png_signature{0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
constexpr std::array<std::uint8_t, 3> jpeg_signature{0xFF, 0xD8, 0xFF};
constexpr std::array<std::uint8_t, 2> bmp_signature{'B', 'M'};
/// As many bytes as the largest image has without any compression, 8 bits and 4 channels, and its header.
constexpr std::size_t largest_file = static_cast<std::size_t>(max_image_pixels) * 4 + 4096;

[[noreturn]] void refuse(const std::string& name, const std::string& reason) {
    throw Error(fmt::format("cannot read {}: {}", name, reason));
}

bool begins_with(Bytes bytes, Bytes signature) {
    return bytes.size() >= signature.size() && std::equal(signature.begin(), signature.end(), bytes.begin());
}

std::uint32_t big_endian(Bytes bytes, std::size_t offset) {
    return std::uint32_t{bytes[offset]} << 24U | std::uint32_t{bytes[offset + 1]} << 16U |
           std::uint32_t{bytes[offset + 2]} << 8U | std::uint32_t{bytes[offset + 3]};
}
std::uint32_t little_endian(Bytes bytes, std::size_t offset, std::size_t count) {
    std::uint32_t value = 0;
    for (std::size_t index = count; index-- > 0;) value = value << 8U | bytes[offset + index];
    return value;
}

/// What a header claims; signed and wide, so that messages show the file's own numbers.
struct Header {
    std::int64_t width = 0, height = 0;
    std::optional<std::string> incomplete; ///< why the file cannot be whole
};

/// stb reads a file that ends inside its last chunks without complaint; the chunk list says whether it is whole.
bool png_reaches_end_chunk(Bytes bytes) {
    std::size_t offset = png_signature.size();
    while (offset + 12 <= bytes.size()) { // length, type and checksum
        const std::size_t next = offset + 12 + std::size_t{big_endian(bytes, offset)};
        if (next > bytes.size()) return false;
        constexpr std::array<std::uint8_t, 4> end{'I', 'E', 'N', 'D'};
        if (begins_with(bytes.subspan(offset + 4), end)) return true;
        offset = next;
    }
    return false;
}

Header png_header(Bytes bytes, const std::string& name) {
    constexpr std::size_t header_size = 8 + 8 + 13; // signature, chunk head, IHDR
    if (bytes.size() < header_size) refuse(name, "its PNG header is cut off");
    Header header{big_endian(bytes, 16), big_endian(bytes, 20), {}};
    if (!png_reaches_end_chunk(bytes))
        header.incomplete = "the file is cut off or damaged (no IEND chunk where one should be)";
    return header;
}

/// stb 2.27 writes past the end of a table that claims more than 256 codes. Each table: its number, how many codes
/// there are of 1 to 16 bits, and a byte for each.
bool huffman_tables_are_sound(Bytes segment) {
    while (!segment.empty()) {
        if (segment.size() < 17) return false;
        std::size_t codes = 0;
        for (const std::uint8_t count : segment.subspan(1, 16)) codes += count;
        if (codes > 256 || 17 + codes > segment.size()) return false;
        segment = segment.subspan(17 + codes);
    }
    return true;
}

/// The segments up to the first scan hold the dimensions; stb fills what is missing behind with grey, so the end of
/// the image has to be there. Between scans only FF 00 and restarts (FF D0 to D7) are data.
Header jpeg_header(Bytes bytes, const std::string& name) {
    Header header{-1, -1, "the file is cut off or damaged (no end of the JPEG image)"};
    bool has_scan = false;
    std::size_t offset = 2;
    while (offset + 1 < bytes.size()) {
        if (bytes[offset] != 0xFF) { // entropy-coded data of a scan
            ++offset;
            continue;
        }
        const unsigned marker = bytes[offset + 1];
        if (marker == 0xFF) { // padding
            ++offset;
            continue;
        }
        offset += 2;
        if (marker == 0xD9) {
            header.incomplete.reset();
            break;
        }
        if (marker == 0x00 || marker == 0x01 || (marker >= 0xD0 && marker <= 0xD8)) continue; // without a length
        if (offset + 2 > bytes.size()) break;
        const std::size_t length = std::size_t{bytes[offset]} << 8U | bytes[offset + 1];
        if (length < 2 || offset + length > bytes.size()) break;
        if (marker == 0xC4 && !huffman_tables_are_sound(bytes.subspan(offset + 2, length - 2)))
            refuse(name, "the file is damaged (bad Huffman table)");
        const bool is_frame = marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
        if (is_frame && length >= 8 && header.width < 0)
            header = {std::int64_t{bytes[offset + 5]} << 8U | bytes[offset + 6],
                      std::int64_t{bytes[offset + 3]} << 8U | bytes[offset + 4], std::move(header.incomplete)};
        has_scan = has_scan || marker == 0xDA;
        offset += length;
    }
    if (!has_scan && !header.incomplete) header.incomplete = "the file is damaged (no picture between its headers)";
    if (header.width < 0) refuse(name, "its JPEG header is cut off or damaged");
    return header;
}

/// stb reads zeros behind the end of a file.
Header bmp_header(Bytes bytes, const std::string& name) {
    if (bytes.size() < 34) refuse(name, "its BMP header is cut off");
    const std::uint32_t pixel_offset = little_endian(bytes, 10, 4);
    const bool old = little_endian(bytes, 14, 4) == 12; // OS/2: 16-bit dimensions
    Header header;
    header.width = old ? std::int64_t{little_endian(bytes, 18, 2)}
                       : std::int64_t{static_cast<std::int32_t>(little_endian(bytes, 18, 4))};
    header.height = old ? std::int64_t{little_endian(bytes, 20, 2)}
                        : std::abs(std::int64_t{static_cast<std::int32_t>(little_endian(bytes, 22, 4))});
    if (const std::uint32_t compression = old ? 0 : little_endian(bytes, 30, 4); compression != 0 && compression != 3)
        refuse(name, "it is a compressed BMP file; only those without compression are supported");
    const std::int64_t bits = little_endian(bytes, old ? 24 : 28, 2);
    const std::int64_t row_bytes = (header.width * bits + 31) / 32 * 4; // the dimensions have at most 32 bits
    // Compared by division: a product of what a header claims may leave 64 bits.
    if (const auto size = static_cast<std::int64_t>(bytes.size());
        header.height > 0 && row_bytes > 0 &&
        (pixel_offset > size || row_bytes > (size - pixel_offset) / header.height))
        header.incomplete = "the file is cut off (it ends before the last row of the BMP image)";
    return header;
}

Header read_header(Bytes bytes, const std::string& name) {
    if (bytes.empty()) refuse(name, "the file is empty");
    if (begins_with(bytes, png_signature)) return png_header(bytes, name);
    if (begins_with(bytes, jpeg_signature)) return jpeg_header(bytes, name);
    if (begins_with(bytes, bmp_signature)) return bmp_header(bytes, name);
    refuse(name, "it is not a PNG, JPEG or BMP file");
}

void check_dimensions(std::int64_t width, std::int64_t height, std::int64_t max_pixels, const std::string& name) {
    if (width < 1 || height < 1 || width > max_image_dimension || height > max_image_dimension)
        refuse(name,
               fmt::format("it has {} x {} pixels; each side may have 1 to {}", width, height, max_image_dimension));
    if (width * height > max_pixels)
        refuse(name, fmt::format("it has {} x {} pixels, {} in all; the limit is {}", width, height, width * height,
                                 max_pixels));
}

} // namespace

Image decode_image(Bytes bytes, const std::string& name, std::int64_t max_pixels) {
    assert(max_pixels <= max_image_pixels);
    if (bytes.size() > largest_file)
        refuse(name, fmt::format("it has {} bytes; the limit is {}", bytes.size(), largest_file));
    const Header header = read_header(bytes, name);
    check_dimensions(header.width, header.height, max_pixels, name);
    if (header.incomplete) refuse(name, *header.incomplete);

    const auto fail = [&name] {
        std::string reason = decoder_failure();
        for (char& letter : reason) // it may quote the file, and a terminal obeys control characters
            if (letter < ' ' || letter > '~') letter = '?';
        refuse(name, fmt::format("the file is damaged ({})", reason));
    };
    // Once more as the decoder sees them: what it allocates follows from these.
    std::optional<DecoderInfo> info = decoder_info(bytes);
    if (!info) fail();
    check_dimensions(info->width, info->height, max_pixels, name);
    const DecodedSamples samples = decode_samples(bytes, *info);
    if (samples == nullptr) fail();
    Image image{info->width, info->height, info->channels, info->bits, {}};
    image.samples.assign(samples.get(), samples.get() + static_cast<std::size_t>(image.width) *
                                                            static_cast<std::size_t>(image.height) *
                                                            static_cast<std::size_t>(image.channels));
    return image;
}

Image read_image(const std::filesystem::path& path) {
    const std::string content = read_file(path, largest_file);
    return decode_image(Bytes(reinterpret_cast<const std::uint8_t*>(content.data()), content.size()), path.string());
}

} // namespace spindrift::render
