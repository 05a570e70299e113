// SHA-256 (FIPS 180-4): names what depends on many bytes and notices when they change. Nothing secret is kept with it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace spindrift {

using Sha256Digest = std::array<std::uint8_t, 32>;

/// Takes a message piece by piece.
class Sha256 {
public:
    void update(std::span<const std::uint8_t> bytes) noexcept;
    void update(std::string_view text) noexcept;
    /// Of everything so far; afterwards the object must not be used again.
    Sha256Digest digest() noexcept;

private:
    void process(const std::uint8_t* block) noexcept;

    std::array<std::uint32_t, 8> state_{0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A,
                                        0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19};
    std::array<std::uint8_t, 64> block_{}; ///< the part that does not fill a block yet
    std::size_t used_ = 0;                 ///< bytes of block_
    std::uint64_t length_ = 0;             ///< bytes of the whole message
};

Sha256Digest sha256(std::span<const std::uint8_t> bytes) noexcept;
/// Two lower-case hexadecimal digits for each byte.
std::string to_hex(std::span<const std::uint8_t> bytes);

} // namespace spindrift
