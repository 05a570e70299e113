#include "engine/sha256.h"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>

namespace spindrift {
namespace {

std::string hash_of(std::string_view text, std::size_t piece = SIZE_MAX) {
    Sha256 hash;
    for (std::size_t begin = 0; begin < text.size(); begin += std::min(piece, text.size() - begin))
        hash.update(text.substr(begin, piece));
    return to_hex(hash.digest());
}

// The examples of FIPS 180-4 and the NIST's test vectors.
TEST(Sha256, PublishedExamples) {
    EXPECT_EQ(hash_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(hash_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(hash_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    EXPECT_EQ(hash_of(std::string(1'000'000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, PiecesMakeNoDifference) {
    // Every length around the end of a block, where the padding needs one block or two.
    for (std::size_t length = 0; length < 140; ++length) {
        std::string text;
        for (std::size_t index = 0; index < length; ++index) text += static_cast<char>(index * 7);
        const std::string whole = hash_of(text);
        for (const std::size_t piece : {1U, 13U, 64U}) EXPECT_EQ(hash_of(text, piece), whole) << length;
    }
}

} // namespace
} // namespace spindrift
