#include "app/suggestion.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <numeric>
#include <vector>

namespace spindrift {
namespace {

/// Edits (insert, delete, replace, swap two neighbours) that turn `a` into `b`.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::vector<std::size_t>> rows(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    std::iota(rows[0].begin(), rows[0].end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        rows[i][0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = rows[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            rows[i][j] = std::min({rows[i - 1][j] + 1, rows[i][j - 1] + 1, replaced});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                rows[i][j] = std::min(rows[i][j], rows[i - 2][j - 2] + 1);
        }
    }
    return rows[a.size()][b.size()];
}

} // namespace

std::string nearest_name(std::string_view word, std::span<const std::string> candidates) {
    // No name of ours is this long; the bound keeps a hostile argument from costing memory.
    if (word.size() > 64) return {};
    std::string best;
    std::size_t best_distance = std::numeric_limits<std::size_t>::max();
    for (const std::string& candidate : candidates) {
        std::size_t distance = edit_distance(word, candidate);
        // A word that was cut short ("--wind-sp", "stockham") is a likely slip, too.
        if (word.size() >= 4 && candidate.starts_with(word)) distance = std::min<std::size_t>(distance, 1);
        if (distance < best_distance) {
            best_distance = distance;
            best = candidate;
        }
    }
    const std::size_t tolerated = std::max<std::size_t>(1, word.size() / 3);
    return best_distance <= tolerated ? best : std::string{};
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
    const std::string nearest = nearest_name(word, candidates);
    return nearest.empty() ? std::string{} : fmt::format("; did you mean {}?", nearest);
}

} // namespace spindrift
