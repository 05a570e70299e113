#include "app/ocean/sea_state.h"

#include "app/ocean/spectrum.h"
#include "engine/error.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <type_traits>

namespace spindrift::ocean {
namespace {

constexpr std::array table{
    SeaParameter{"wind_speed", "m/s", 0, 60, false, "Wind speed 10 m above the water", &SeaState::wind_speed},
    SeaParameter{"wind_direction", "degrees", -360, 360, false, "Where the wind blows to: 0 is +x, 90 is +z",
                 &SeaState::wind_direction},
    SeaParameter{"fetch", "m", 1'000, 2'000'000, true, "Open water upwind, over which the waves have grown",
                 &SeaState::fetch},
    SeaParameter{"depth", "m", 0, 10'000, false, "Depth of the water; 0 is infinitely deep", &SeaState::depth},
    SeaParameter{"gamma", "", 1, 10, false, "JONSWAP's peak enhancement: higher is more regular", &SeaState::gamma},
    SeaParameter{"swell", "", 0, 1, false, "Long-crestedness of the long waves", &SeaState::swell},
    SeaParameter{"amplitude", "", 0, 4, false, "Factor on all heights; 1 is the height of the spectrum",
                 &SeaState::amplitude},
    SeaParameter{"choppiness", "", 0, 3, false, "Factor on the horizontal displacement that sharpens crests",
                 &SeaState::choppiness},
    SeaParameter{"tile_length", "m", 1, 10'000, true, "Edge of the square that repeats", &SeaState::tile_length},
    SeaParameter{"small_wave_cutoff", "m", 0, 100, false, "Waves of about this length and shorter are faded out",
                 &SeaState::small_wave_cutoff},
    SeaParameter{"loop_period", "s", 1, 3'600, true, "Time after which the sea repeats", &SeaState::loop_period},
    SeaParameter{"seed", "", 0, 4'294'967'295.0, false, "Another seed is another sea of the same kind",
                 &SeaState::seed},
    SeaParameter{"foam_amount", "", 0, 20, false, "Factor on the share of the sea that breaks at this wind",
                 &SeaState::foam_amount},
    SeaParameter{"foam_strength", "", 0, 20, false, "How fast foam thickens where the surface folds",
                 &SeaState::foam_strength},
    SeaParameter{"foam_fade_rate", "1/s", 0, 20, false, "How fast foam fades", &SeaState::foam_fade_rate},
};

} // namespace

std::string_view to_string(SpectrumKind kind) noexcept {
    return spectrum_names[static_cast<std::size_t>(kind)];
}

std::optional<SpectrumKind> parse_spectrum(std::string_view name) noexcept {
    const auto* found = std::find(spectrum_names.begin(), spectrum_names.end(), name);
    if (found == spectrum_names.end()) return std::nullopt;
    return static_cast<SpectrumKind>(found - spectrum_names.begin());
}

double SeaParameter::get(const SeaState& sea) const {
    return std::visit([&](auto pointer) { return static_cast<double>(sea.*pointer); }, member);
}

void SeaParameter::set(SeaState& sea, double value) const {
    std::visit([&](auto pointer) { sea.*pointer = static_cast<std::remove_cvref_t<decltype(sea.*pointer)>>(value); },
               member);
}

std::string SeaParameter::limit() const {
    return fmt::format("{}{} to {}{}{}", is_integer() ? "a whole number from " : "", minimum, maximum,
                       unit.empty() ? "" : " ", unit);
}

std::span<const SeaParameter> sea_parameters() noexcept {
    return table;
}

const SeaParameter* find_sea_parameter(std::string_view name) noexcept {
    const auto* found = std::find_if(table.begin(), table.end(), [&](const auto& entry) { return entry.name == name; });
    return found == table.end() ? nullptr : found;
}

std::optional<std::string> why_invalid(const SeaState& sea) {
    for (const SeaParameter& parameter : table) {
        const double value = parameter.get(sea);
        if (!(value >= parameter.minimum && value <= parameter.maximum))
            return fmt::format("{} is {}, must be {}", parameter.name, value, parameter.limit());
    }
    return std::nullopt;
}

void validate(const SeaState& sea) {
    if (const auto reason = why_invalid(sea)) throw Error(ExitCode::usage, "sea state: " + *reason);
}

std::vector<std::string> notes(const SeaState& sea) {
    std::vector<std::string> remarks;
    if (sea.wind_speed <= 0) return remarks;
    const bool uses_fetch = sea.spectrum == SpectrumKind::jonswap || sea.spectrum == SpectrumKind::tma;
    if (uses_fetch && effective_fetch(sea) < sea.fetch)
        remarks.push_back(fmt::format("fetch {:.0f} m is beyond JONSWAP's range at {:g} m/s: the sea is fully grown "
                                      "after {:.0f} m, which is used",
                                      sea.fetch, sea.wind_speed, effective_fetch(sea)));
    const double peak_length = 2 * pi / wave_number_at(peak_frequency(sea), sea.depth);
    if (peak_length > sea.tile_length)
        remarks.push_back(fmt::format("the waves of the peak, {:.0f} m long, do not fit into the tile of {:g} m and "
                                      "are left out",
                                      peak_length, sea.tile_length));
    return remarks;
}

} // namespace spindrift::ocean
