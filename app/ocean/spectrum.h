// Wave spectra on a square tile, in double precision on the CPU.
//
// Units: metres, seconds, radians. Frequencies are angular (rad/s), wave numbers rad/m.
// S(w) in m^2 s, one-sided, integral over w = m0 (variance of the height); significant height Hs = 4 sqrt(m0).
// D(w, theta) in 1/rad, theta from the wind's direction, integral over the full circle = 1.
// Psi(k) = S(w) D(w, theta) (dw/dk) / k in m^4, so that the sum of Psi dk_x dk_z over the grid is m0.
#pragma once

#include "app/ocean/sea_state.h"

#include <array>
#include <complex>
#include <cstdint>
#include <numbers>
#include <vector>

namespace spindrift::ocean {

inline constexpr double pi = std::numbers::pi;
inline constexpr double gravity = 9.81;                 ///< m/s^2
inline constexpr double surface_tension_ratio = 7.4e-5; ///< surface tension / density of water, m^3/s^2

// --- Dispersion (Lamb, Hydrodynamics, 1932): w^2 = (g k + s k^3) tanh(k depth). `depth` 0 = infinitely deep. ---

struct Dispersion {
    double omega;          ///< rad/s
    double group_velocity; ///< dw/dk, m/s
};
/// `k` above 0. The capillary term matters below a few centimetres of wave length.
Dispersion dispersion(double k, double depth, bool capillary = true);
/// The k of a gravity wave of frequency `omega` above 0 (Newton's method, to rounding).
double wave_number_at(double omega, double depth);

// --- Energy over frequency, all m^2 s ---

/// Pierson & Moskowitz 1964 with the wind at 10 m: U19.5 = 1.026 U10.
double pierson_moskowitz(double omega, double wind_speed);
double pierson_moskowitz_peak(double wind_speed);
/// Hasselmann et al. 1973 (JONSWAP): alpha = 0.076 chi^-0.22, peak = 22 (g^2 / (U F))^(1/3). `fetch` is used as it is.
double jonswap(double omega, double wind_speed, double fetch, double gamma);
double jonswap_peak(double wind_speed, double fetch);
/// Kitaigorodskii's depth factor 0..1, as approximated by Thompson & Vincent 1983; 1 for depth 0.
/// TMA (Bouws et al. 1985) is JONSWAP times this.
double depth_factor(double omega, double depth);

/// The fits of JONSWAP end where the sea is fully grown, at chi = g F / U^2 = 1e4; beyond, heights would grow for ever.
/// Returns sea.fetch, or the fetch at that limit when it is longer; notes() tells the user.
double effective_fetch(const SeaState& sea);
/// Of the sea's own kind of spectrum; the spreading uses the same. Wind speed must be above 0.
double peak_frequency(const SeaState& sea);
/// Of the sea's own kind, without amplitude and cutoff. Phillips: in deep water (over k it is the same at any depth).
double energy_over_frequency(double omega, const SeaState& sea);

// --- Spreading ---

/// Exponent s of |cos(theta/2)|^2s: Hasselmann, Dunckel & Ewing 1980, plus Horvath's 2015 swell 16 tanh(wp/w) swell^2.
double spreading_exponent(double omega, double peak, double wind_speed, double swell);
/// Q(s) such that the integral of Q |cos(theta / 2)|^2s over the circle is 1; good for any s (log-gamma).
double spreading_normaliser(double exponent);
/// D(w, theta) of the sea; for phillips 2/pi cos^2(theta) in the downwind half plane and 0 elsewhere.
double spreading(double omega, double theta, const SeaState& sea);

/// Psi at the wave vector, with amplitude and small-wave cutoff; 0 at k = 0 and without wind. Phillips:
/// alpha/2 k^-4 exp(-1/(k L)^2) D with L = U^2/g and alpha = 0.0081, Phillips' own constant, so that deep water gives
/// Hs = 0.18 U^2/g.
double directional_density(double kx, double kz, const SeaState& sea);

// --- Noise: a function of (seed, wave number) alone, so that a sea is the same for every size, GPU and driver ---

std::uint64_t wave_hash(std::uint32_t seed, int n, int m) noexcept;
/// Two independent standard normal numbers (Box & Muller 1958).
std::array<double, 2> wave_noise(std::uint32_t seed, int n, int m) noexcept;

// --- The initial spectrum of a tile ---

/// What `evolve` starts from, size x size, wrapped storage: column i has wave number n = i for i < size / 2, else
/// i - size, kx = 2 pi n / tile_length; the row gives kz. Index = row * size + column.
struct InitialSpectrum {
    int size = 0;
    double tile_length = 0; ///< m
    double loop_period = 0; ///< s
    /// h0(k) = 1/2 (x_r + i x_i) sqrt(Psi dk_x dk_z), metres. Zero at k = 0 and in the Nyquist row and column.
    std::vector<std::complex<double>> h0;
    /// m of omega = m 2 pi / loop_period, at least 1 for k other than 0.
    std::vector<std::uint32_t> omega_index;
    double variance = 0;       ///< sum of Psi dk_x dk_z over the cells that are kept: the expected m0 of the tile, m^2
    double slope_variance = 0; ///< sum of k^2 Psi dk_x dk_z over the same: the expected mean squared slope

    double significant_height() const; ///< 4 sqrt(variance), m
};

/// Share of the sea's surface that is covered by breaking crests: W = 3.84e-6 U^3.41 (Monahan & O'Muircheartaigh 1980)
/// times sea.foam_amount, at most one half.
double whitecap_share(const SeaState& sea);
/// The Jacobian below which a share `whitecap_share` of the surface lies. J is close to normal with mean 1 and the
/// standard deviation lambda sqrt(slope variance), since J = 1 + lambda (Dxx + Dzz) + ... and the sum has the variance
/// of the slopes. So the same wind makes the same foam for every size, tile and choppiness. Below every J when there
/// are no waves.
double foam_threshold(const SeaState& sea, const InitialSpectrum& spectrum);

/// `size` even and above 1; `sea` valid. Uses several threads; the result does not depend on how many.
InitialSpectrum make_initial_spectrum(const SeaState& sea, int size);
/// Writes into `result`, reusing its memory.
void make_initial_spectrum(const SeaState& sea, int size, InitialSpectrum& result);

/// Signed wave number of index i: i for i < size / 2, else i - size.
constexpr int wave_index(int i, int size) noexcept {
    return i < size / 2 ? i : i - size;
}

} // namespace spindrift::ocean
