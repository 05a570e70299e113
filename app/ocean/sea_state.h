// What the sea is: every parameter with its unit and range, in one table that command lines, files and panels read.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace spindrift::ocean {

/// Energy over frequency. Formulas and sources: spectrum.h.
enum class SpectrumKind {
    phillips,          ///< Tessendorf's form, waves of the downwind half plane; uses neither fetch, gamma nor swell
    pierson_moskowitz, ///< fully developed sea: uses neither fetch nor gamma
    jonswap,           ///< limited by the fetch, sharper peak
    tma,               ///< JONSWAP in shallow water; the same as JONSWAP where the water is deep
};
inline constexpr std::array spectrum_names{std::string_view("phillips"), std::string_view("pierson-moskowitz"),
                                           std::string_view("jonswap"), std::string_view("tma")};
std::string_view to_string(SpectrumKind kind) noexcept;
std::optional<SpectrumKind> parse_spectrum(std::string_view name) noexcept;

/// The defaults are a moderately rough sea.
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): the order is for the reader
struct SeaState {
    SpectrumKind spectrum = SpectrumKind::jonswap;
    double wind_speed = 11.0;       ///< m/s, 10 m above the water; 0 = no waves at all
    double wind_direction = 30.0;   ///< degrees, where the wind blows to: 0 = +x, 90 = +z
    double fetch = 100'000.0;       ///< m of open water upwind
    double depth = 0.0;             ///< m; 0 = infinitely deep
    double gamma = 3.3;             ///< JONSWAP's peak enhancement
    double swell = 0.3;             ///< 0..1, long-crestedness of the waves near and below the peak (Horvath 2015)
    double amplitude = 1.0;         ///< factor on all heights and displacements; 1 = the spectrum's own metres
    double choppiness = 1.2;        ///< lambda, factor on the horizontal displacement; 0 = none
    double tile_length = 250.0;     ///< m, period of the sea in x and z
    double small_wave_cutoff = 0.5; ///< m; energy is multiplied by exp(-(cutoff / wave length)^2); 0 = keeps all waves
    double loop_period = 200.0;     ///< s, after which the sea repeats exactly
    std::uint32_t seed = 1;
    double foam_amount = 1.0;     ///< factor on the share of the sea that breaks at this wind; whitecap_share()
    double foam_strength = 1.5;   ///< coverage gained per standard deviation of the Jacobian below the threshold
    double foam_fade_rate = 0.45; ///< 1/s, coverage decays with exp(-rate * time)

    bool operator==(const SeaState&) const = default;
};

/// One number of SeaState. `name` is its key in sea files; a command line writes '-' for '_'.
struct SeaParameter {
    using Member = std::variant<double SeaState::*, std::uint32_t SeaState::*>;

    std::string_view name;
    std::string_view unit; ///< empty = a pure number
    double minimum;        ///< inclusive
    double maximum;
    bool logarithmic; ///< spans powers of ten: a slider should be logarithmic
    std::string_view help;
    Member member;

    double get(const SeaState& sea) const;
    /// Stores without checking the range; integer members take whole numbers within it only.
    void set(SeaState& sea, double value) const;
    double default_value() const { return get(SeaState{}); }
    bool is_integer() const { return std::holds_alternative<std::uint32_t SeaState::*>(member); }
    /// "0 to 60 m/s".
    std::string limit() const;
};

/// Every number of SeaState; the spectrum's kind is the one parameter that is not in it.
std::span<const SeaParameter> sea_parameters() noexcept;
/// Nullptr when there is none of this name.
const SeaParameter* find_sea_parameter(std::string_view name) noexcept;

/// "wind_speed is 90, must be 0 to 60 m/s" for the first number out of range (NaN is), else empty.
std::optional<std::string> why_invalid(const SeaState& sea);
/// Throws Error(usage) with that sentence.
void validate(const SeaState& sea);

/// Remarks a user should see where the sea is not quite what was asked for, such as a fetch beyond the spectrum's
/// range; empty for most seas.
std::vector<std::string> notes(const SeaState& sea);

} // namespace spindrift::ocean
