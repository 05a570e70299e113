#include "tests/fuzz/mutator.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>
#include <utility>

namespace spindrift::fuzz {
namespace {

/// Where widths, signs and conversions change.
constexpr std::array<std::uint64_t, 22> limits{0,
                                               1,
                                               2,
                                               15,
                                               16,
                                               17,
                                               0x7F,
                                               0x80,
                                               0xFF,
                                               0x100,
                                               0x7FFF,
                                               0x8000,
                                               0xFFFF,
                                               0x10000,
                                               0x7FFFFFFF,
                                               0x80000000,
                                               0xFFFFFFFF,
                                               0x100000000,
                                               0x7FFFFFFFFFFFFFFF,
                                               0x8000000000000000,
                                               0xFFFFFFFFFFFFFFF0,
                                               0xFFFFFFFFFFFFFFFF};

constexpr std::array<std::string_view, 26> decimal_limits{"0",
                                                          "-0",
                                                          "1",
                                                          "-1",
                                                          "0.5",
                                                          "16",
                                                          "2048",
                                                          "4096",
                                                          "255",
                                                          "256",
                                                          "65536",
                                                          "2147483647",
                                                          "-2147483648",
                                                          "2147483648",
                                                          "4294967295",
                                                          "4294967296",
                                                          "9223372036854775807",
                                                          "-9223372036854775808",
                                                          "9223372036854775808",
                                                          "18446744073709551616",
                                                          "1e308",
                                                          "1e309",
                                                          "-1e309",
                                                          "5e-324",
                                                          "nan",
                                                          "inf"};

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

} // namespace

Mutator::Mutator(std::vector<std::string> corpus, std::vector<std::string> tokens, std::size_t largest,
                 std::uint64_t seed)
    : corpus_(std::move(corpus)), tokens_(std::move(tokens)), largest_(largest), random_(seed) {
    if (corpus_.empty()) corpus_.emplace_back();
}

std::string Mutator::next() {
    constexpr std::array<Change, 12> changes{
        &Mutator::flip_bit,           &Mutator::set_byte,   &Mutator::set_binary_number,
        &Mutator::set_decimal_number, &Mutator::truncate,   &Mutator::remove_piece,
        &Mutator::repeat_piece,       &Mutator::move_piece, &Mutator::nest_piece,
        &Mutator::insert_bytes,       &Mutator::splice,     &Mutator::insert_token};
    std::string text = corpus_[below(corpus_.size())];
    // Mostly few: each further change makes it likelier that the first check refuses everything.
    std::size_t count = 1;
    while (count < 8 && one_in(2)) ++count;
    for (; count > 0; --count) {
        (this->*changes[below(changes.size())])(text);
        if (text.size() > largest_) text.resize(largest_);
    }
    return text;
}

std::size_t Mutator::below(std::size_t count) {
    // Not std::uniform_int_distribution, whose numbers differ from library to library.
    return count == 0 ? 0 : static_cast<std::size_t>(random_() % count);
}

std::pair<std::size_t, std::size_t> Mutator::piece_of(std::string_view text) {
    if (text.empty()) return {0, 0};
    const std::size_t offset = below(text.size());
    const std::size_t rest = text.size() - offset;
    return {offset, 1 + below(one_in(4) ? rest : std::min<std::size_t>(rest, 16))};
}

void Mutator::flip_bit(std::string& text) {
    if (text.empty()) return;
    char& byte = text[below(text.size())];
    byte = static_cast<char>(static_cast<unsigned char>(byte) ^ (1U << below(8)));
}

void Mutator::set_byte(std::string& text) {
    if (text.empty()) return;
    text[below(text.size())] = static_cast<char>(one_in(2) ? below(256) : limits[below(10)]);
}

void Mutator::set_binary_number(std::string& text) {
    const std::size_t width = std::size_t{1} << below(4);
    if (text.size() < width) return;
    const std::uint64_t value = limits[below(limits.size())] + (one_in(4) ? below(3) : 0);
    const bool big_endian = one_in(2);
    const std::size_t offset = below(text.size() - width + 1);
    for (std::size_t index = 0; index < width; ++index)
        text[offset + (big_endian ? width - 1 - index : index)] = static_cast<char>(value >> (8 * index));
}

void Mutator::set_decimal_number(std::string& text) {
    if (text.empty()) return;
    // Now and then a whole list, of which one absurd value says nothing.
    std::size_t position = below(text.size());
    for (std::size_t count = one_in(4) ? 1 + below(16) : 1; count > 0; --count) {
        const auto begin = std::find_if(text.begin() + static_cast<std::ptrdiff_t>(position), text.end(), is_digit);
        if (begin == text.end()) return;
        const auto end =
            std::find_if_not(begin, text.end(), [](char c) { return is_digit(c) || c == '.' || c == 'e'; });
        const std::string_view number = decimal_limits[below(decimal_limits.size())];
        position = static_cast<std::size_t>(begin - text.begin()) + number.size();
        text.replace(begin, end, number);
    }
}

void Mutator::truncate(std::string& text) {
    text.resize(below(text.size()));
}

void Mutator::remove_piece(std::string& text) {
    const auto [offset, length] = piece_of(text);
    text.erase(offset, length);
}

void Mutator::repeat_piece(std::string& text) {
    const auto [offset, length] = piece_of(text);
    if (length == 0) return;
    const std::string piece = text.substr(offset, length);
    const std::size_t room = largest_ > text.size() ? (largest_ - text.size()) / length : 0;
    // Seldom very many: what nests or runs in loops shows only then, and each of these inputs is slow.
    const std::size_t times = std::min(room, 1 + (one_in(64) ? below(100'000) : below(4)));
    std::string repeated;
    repeated.reserve(times * length);
    for (std::size_t count = 0; count < times; ++count) repeated += piece;
    text.insert(offset, repeated);
}

void Mutator::move_piece(std::string& text) {
    const auto [offset, length] = piece_of(text);
    const std::string piece = text.substr(offset, length);
    text.erase(offset, length);
    text.insert(below(text.size() + 1), piece);
}

void Mutator::nest_piece(std::string& text) {
    if (text.empty()) return;
    constexpr std::array<std::pair<std::string_view, std::string_view>, 5> brackets{
        {{"[", "]"}, {"{", "}"}, {"{\"a\":", "}"}, {"{a=", "}"}, {"(", ")"}}};
    const auto [open, close] = brackets[below(brackets.size())];
    // Mostly a whole value: from behind a separator as far as the next one.
    std::size_t begin = below(text.size() + 1);
    if (!one_in(4)) begin = std::min(text.find_first_of(":=,[", begin), text.size() - 1) + 1;
    const std::size_t end = std::min(text.find_first_of(",\n]}", begin), text.size());
    const std::size_t room = largest_ > text.size() ? (largest_ - text.size()) / (open.size() + close.size()) : 0;
    const std::size_t times = std::min(room, 1 + (one_in(8) ? below(20'000) : below(4)));
    std::string before, after;
    for (std::size_t count = 0; count < times; ++count) before += open, after += close;
    text.insert(end, after);
    text.insert(begin, before);
}

void Mutator::splice(std::string& text) {
    const std::string& other = corpus_[below(corpus_.size())];
    const auto [offset, length] = piece_of(other);
    const std::size_t at = below(text.size() + 1);
    if (one_in(2))
        text.insert(at, other, offset, length);
    else
        text.replace(at, length, other, offset, length);
}

void Mutator::insert_token(std::string& text) {
    if (tokens_.empty()) return insert_bytes(text);
    const std::string& token = tokens_[below(tokens_.size())];
    const std::size_t at = below(text.size() + 1);
    if (one_in(2))
        text.insert(at, token);
    else
        text.replace(at, token.size(), token);
}

void Mutator::insert_bytes(std::string& text) {
    std::string bytes(1 + below(8), '\0');
    for (char& byte : bytes) byte = static_cast<char>(below(256));
    text.insert(below(text.size() + 1), bytes);
}

std::vector<std::string> parse_dictionary(std::string_view text) {
    std::vector<std::string> tokens;
    while (!text.empty()) {
        const std::size_t line_end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, line_end);
        text.remove_prefix(std::min(line_end + 1, text.size()));
        if (line.empty() || line.front() == '#') continue;
        const auto refuse = [line] { throw std::invalid_argument("no line of a dictionary: " + std::string(line)); };
        std::size_t at = line.find('"');
        if (at == std::string_view::npos || line.size() < at + 2 || line.back() != '"') refuse();
        std::string token;
        for (++at; at + 1 < line.size(); ++at) {
            if (line[at] != '\\') {
                token += line[at];
            } else if (line[at + 1] == '\\' || line[at + 1] == '"') {
                token += line[++at];
            } else {
                unsigned value = 0;
                const char* digits = line.data() + at + 2;
                if (line[at + 1] != 'x' || at + 4 >= line.size() ||
                    std::from_chars(digits, digits + 2, value, 16).ptr != digits + 2)
                    refuse();
                token += static_cast<char>(value);
                at += 3;
            }
        }
        tokens.push_back(std::move(token));
    }
    return tokens;
}

} // namespace spindrift::fuzz
