// Makes damaged inputs out of valid ones, the same ones for the same seed.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace spindrift::fuzz {

class Mutator {
public:
    /// `corpus` may be empty: then inputs grow out of nothing. `tokens` are pieces that mean something in the format.
    Mutator(std::vector<std::string> corpus, std::vector<std::string> tokens, std::size_t largest, std::uint64_t seed);

    /// One of the corpus after one to eight changes: bits, bytes and numbers at their limits, pieces removed, repeated
    /// (up to thousands of times), put into brackets (likewise), moved, taken from another input, or inserted. At most
    /// `largest` bytes.
    std::string next();

private:
    using Change = void (Mutator::*)(std::string&);

    /// 0 to count - 1; 0 when there is nothing to choose from.
    std::size_t below(std::size_t count);
    bool one_in(std::size_t count) { return below(count) == 0; }
    /// Offset and length of a piece of the text, short ones more often.
    std::pair<std::size_t, std::size_t> piece_of(std::string_view text);

    void flip_bit(std::string& text);
    void set_byte(std::string& text);
    void set_binary_number(std::string& text);
    void set_decimal_number(std::string& text);
    void truncate(std::string& text);
    void remove_piece(std::string& text);
    void repeat_piece(std::string& text);
    void move_piece(std::string& text);
    void nest_piece(std::string& text);
    void splice(std::string& text);
    void insert_token(std::string& text);
    void insert_bytes(std::string& text);

    std::vector<std::string> corpus_, tokens_;
    std::size_t largest_;
    std::mt19937_64 random_;
};

/// The strings of a dictionary in libFuzzer's format: one "text" or name="text" a line, with \\, \" and \xHH; lines
/// that begin with # are comments. Throws std::invalid_argument with the line for anything else.
std::vector<std::string> parse_dictionary(std::string_view text);

} // namespace spindrift::fuzz
