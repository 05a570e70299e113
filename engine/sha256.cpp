#include "engine/sha256.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace spindrift {
namespace {

/// First 32 bits of the fractional parts of the cube roots of the first 64 primes (FIPS 180-4, 4.2.2).
constexpr std::array<std::uint32_t, 64> round_constants{
    0x428A2F98, 0x71374491, 0xB5C0FBCF, 0xE9B5DBA5, 0x3956C25B, 0x59F111F1, 0x923F82A4, 0xAB1C5ED5,
    0xD807AA98, 0x12835B01, 0x243185BE, 0x550C7DC3, 0x72BE5D74, 0x80DEB1FE, 0x9BDC06A7, 0xC19BF174,
    0xE49B69C1, 0xEFBE4786, 0x0FC19DC6, 0x240CA1CC, 0x2DE92C6F, 0x4A7484AA, 0x5CB0A9DC, 0x76F988DA,
    0x983E5152, 0xA831C66D, 0xB00327C8, 0xBF597FC7, 0xC6E00BF3, 0xD5A79147, 0x06CA6351, 0x14292967,
    0x27B70A85, 0x2E1B2138, 0x4D2C6DFC, 0x53380D13, 0x650A7354, 0x766A0ABB, 0x81C2C92E, 0x92722C85,
    0xA2BFE8A1, 0xA81A664B, 0xC24B8B70, 0xC76C51A3, 0xD192E819, 0xD6990624, 0xF40E3585, 0x106AA070,
    0x19A4C116, 0x1E376C08, 0x2748774C, 0x34B0BCB5, 0x391C0CB3, 0x4ED8AA4A, 0x5B9CCA4F, 0x682E6FF3,
    0x748F82EE, 0x78A5636F, 0x84C87814, 0x8CC70208, 0x90BEFFFA, 0xA4506CEB, 0xBEF9A3F7, 0xC67178F2};

} // namespace

void Sha256::process(const std::uint8_t* block) noexcept {
    std::array<std::uint32_t, 64> schedule{};
    for (std::size_t t = 0; t < 16; ++t)
        schedule[t] = std::uint32_t{block[4 * t]} << 24U | std::uint32_t{block[4 * t + 1]} << 16U |
                      std::uint32_t{block[4 * t + 2]} << 8U | std::uint32_t{block[4 * t + 3]};
    for (std::size_t t = 16; t < 64; ++t) {
        const std::uint32_t near = schedule[t - 15], far = schedule[t - 2];
        schedule[t] = schedule[t - 16] + schedule[t - 7] + (std::rotr(near, 7) ^ std::rotr(near, 18) ^ near >> 3U) +
                      (std::rotr(far, 17) ^ std::rotr(far, 19) ^ far >> 10U);
    }
    auto [a, b, c, d, e, f, g, h] = state_;
    for (std::size_t t = 0; t < 64; ++t) {
        const std::uint32_t first = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) + ((e & f) ^ (~e & g)) +
                                    round_constants[t] + schedule[t];
        const std::uint32_t second =
            (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        h = g;
        g = f;
        f = e;
        e = d + first;
        d = c;
        c = b;
        b = a;
        a = first + second;
    }
    const std::array<std::uint32_t, 8> mixed{a, b, c, d, e, f, g, h};
    for (std::size_t index = 0; index < 8; ++index) state_[index] += mixed[index];
}

void Sha256::update(std::span<const std::uint8_t> bytes) noexcept {
    length_ += bytes.size();
    while (!bytes.empty()) {
        const std::size_t taken = std::min(bytes.size(), block_.size() - used_);
        std::copy_n(bytes.begin(), taken, block_.begin() + static_cast<std::ptrdiff_t>(used_));
        bytes = bytes.subspan(taken);
        used_ += taken;
        if (used_ < block_.size()) return;
        process(block_.data());
        used_ = 0;
    }
}

void Sha256::update(std::string_view text) noexcept {
    update(std::span(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()));
}

Sha256Digest Sha256::digest() noexcept {
    const std::uint64_t bits = 8 * length_;
    // A one bit, zeros, and the length in the last eight bytes of a block.
    std::array<std::uint8_t, 128> padding{0x80};
    const std::size_t zeros_end = used_ < 56 ? 56 - used_ : 120 - used_;
    for (std::size_t index = 0; index < 8; ++index)
        padding[zeros_end + index] = static_cast<std::uint8_t>(bits >> (56 - 8 * index));
    update(std::span(padding).first(zeros_end + 8));
    Sha256Digest result{};
    for (std::size_t index = 0; index < result.size(); ++index)
        result[index] = static_cast<std::uint8_t>(state_[index / 4] >> (24 - 8 * (index % 4)));
    return result;
}

Sha256Digest sha256(std::span<const std::uint8_t> bytes) noexcept {
    Sha256 hash;
    hash.update(bytes);
    return hash.digest();
}

std::string to_hex(std::span<const std::uint8_t> bytes) {
    return fmt::format("{:02x}", fmt::join(bytes, ""));
}

} // namespace spindrift
