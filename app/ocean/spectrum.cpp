#include "app/ocean/spectrum.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>
#include <numeric>
#include <thread>

namespace spindrift::ocean {
namespace {

constexpr double phillips_constant = 0.0081;
constexpr double height_ratio_19_5 = 1.026;  // U19.5 / U10 in a neutral boundary layer
constexpr double full_growth_chi = 1.0e4;    // dimensionless fetch at which JONSWAP's fits end
constexpr double weakest_wind = 1.0e-3;      // m/s; weaker winds make waves of micrometres, and powers that overflow
constexpr std::size_t smallest_share = 4096; // elements per thread below which starting one costs more than it saves

double power4(double x) {
    return (x * x) * (x * x);
}

/// What Psi needs at one length of the wave vector.
struct Radial {
    double energy;   // Psi = energy * directional factor, m^4
    double exponent; // s; unused by phillips
    double omega;
};

/// The sea's constants that do not depend on the wave vector.
struct Context {
    explicit Context(const SeaState& state) : sea(state) {
        calm = sea.wind_speed < weakest_wind;
        if (!calm) peak = peak_frequency(sea);
        const double angle = sea.wind_direction * pi / 180.0;
        wind_x = std::cos(angle);
        wind_z = std::sin(angle);
    }

    Radial radial(double k) const {
        const Dispersion wave = dispersion(k, sea.depth);
        if (calm) return {0, 0, wave.omega};
        const double cutoff = std::exp(-std::pow(sea.small_wave_cutoff * k / (2 * pi), 2));
        const double scale = sea.amplitude * sea.amplitude * cutoff;
        if (sea.spectrum == SpectrumKind::phillips) {
            const double length = sea.wind_speed * sea.wind_speed / gravity;
            const double kl = k * length;
            const double energy = phillips_constant / 2 / power4(k) * std::exp(-1 / (kl * kl));
            return {scale * energy * 2 / pi, 0, wave.omega};
        }
        const double exponent = spreading_exponent(wave.omega, peak, sea.wind_speed, sea.swell);
        const double energy = energy_over_frequency(wave.omega, sea) * wave.group_velocity / k;
        return {scale * energy * spreading_normaliser(exponent), exponent, wave.omega};
    }

    double directional_factor(double kx, double kz, double k, double exponent) const {
        const double cosine = std::clamp((kx * wind_x + kz * wind_z) / k, -1.0, 1.0);
        if (sea.spectrum == SpectrumKind::phillips) return cosine > 0 ? cosine * cosine : 0;
        return std::pow(0.5 + 0.5 * cosine, exponent); // cos^2(theta / 2) = (1 + cos theta) / 2
    }

    SeaState sea;
    bool calm = false;
    double peak = 0;
    double wind_x = 1;
    double wind_z = 0;
};

/// Calls body(begin, end) on shares of [0, count) in several threads.
void in_parallel(std::size_t count, std::size_t work_per_item,
                 const std::function<void(std::size_t, std::size_t)>& body) {
    const std::size_t useful = std::max<std::size_t>(1, count * work_per_item / smallest_share);
    const std::size_t threads =
        std::min({std::max<std::size_t>(1, std::thread::hardware_concurrency()), useful, std::size_t{8}});
    std::vector<std::jthread> workers;
    workers.reserve(threads - 1);
    for (std::size_t index = 1; index < threads; ++index)
        workers.emplace_back([&, index] { body(count * index / threads, count * (index + 1) / threads); });
    body(0, count / threads);
}

/// Radial parts by n^2 + m^2, for the values that occur on the grid. Most cells share theirs with seven others, and the
/// radial part costs ten times what the rest of a cell does.
std::vector<Radial> tabulate_radial(const Context& context, int size, double dk) {
    const std::size_t half = static_cast<std::size_t>(size / 2);
    std::vector<Radial> radial(2 * (half - 1) * (half - 1) + 1, Radial{0, 0, -1});
    std::vector<std::uint32_t> needed;
    for (std::size_t n = 1; n < half; ++n)
        for (std::size_t m = 0; m <= n; ++m) {
            Radial& entry = radial[n * n + m * m];
            if (entry.omega < 0) {
                entry.omega = 0;
                needed.push_back(static_cast<std::uint32_t>(n * n + m * m));
            }
        }
    in_parallel(needed.size(), 8, [&](std::size_t begin, std::size_t end) {
        for (std::size_t index = begin; index < end; ++index)
            radial[needed[index]] = context.radial(dk * std::sqrt(static_cast<double>(needed[index])));
    });
    return radial;
}

std::uint64_t mix(std::uint64_t x) {
    x ^= x >> 32;
    x *= 0xD6E8FEB86659FD93ULL;
    x ^= x >> 32;
    x *= 0xD6E8FEB86659FD93ULL;
    x ^= x >> 32;
    return x;
}

} // namespace

Dispersion dispersion(double k, double depth, bool capillary) {
    assert(k > 0);
    const double tension = capillary ? surface_tension_ratio : 0;
    const double deep = gravity * k + tension * k * k * k;
    const double deep_slope = gravity + 3 * tension * k * k;
    if (depth <= 0) {
        const double omega = std::sqrt(deep);
        return {omega, deep_slope / (2 * omega)};
    }
    const double hyperbolic = std::tanh(k * depth);
    const double omega = std::sqrt(deep * hyperbolic);
    return {omega, (deep_slope * hyperbolic + depth * deep * (1 - hyperbolic * hyperbolic)) / (2 * omega)};
}

double wave_number_at(double omega, double depth) {
    const double deep = omega * omega / gravity;
    if (depth <= 0) return deep;
    double k = deep / std::sqrt(std::tanh(deep * depth)); // right in both limits
    for (int iteration = 0; iteration < 8; ++iteration) {
        const Dispersion wave = dispersion(k, depth, false);
        k -= (wave.omega - omega) / wave.group_velocity;
    }
    return k;
}

double pierson_moskowitz(double omega, double wind_speed) {
    const double cutoff = gravity / (height_ratio_19_5 * wind_speed);
    return phillips_constant * gravity * gravity * std::pow(omega, -5) * std::exp(-0.74 * power4(cutoff / omega));
}

double pierson_moskowitz_peak(double wind_speed) {
    return 0.877 * gravity / (height_ratio_19_5 * wind_speed);
}

double jonswap(double omega, double wind_speed, double fetch, double gamma) {
    const double chi = gravity * fetch / (wind_speed * wind_speed);
    const double alpha = 0.076 * std::pow(chi, -0.22);
    const double peak = jonswap_peak(wind_speed, fetch);
    const double width = omega <= peak ? 0.07 : 0.09;
    const double offset = (omega - peak) / (width * peak);
    const double enhancement = std::pow(gamma, std::exp(-0.5 * offset * offset));
    return alpha * gravity * gravity * std::pow(omega, -5) * std::exp(-1.25 * power4(peak / omega)) * enhancement;
}

double jonswap_peak(double wind_speed, double fetch) {
    return 22 * std::cbrt(gravity * gravity / (wind_speed * fetch));
}

double depth_factor(double omega, double depth) {
    if (depth <= 0) return 1;
    const double scaled = omega * std::sqrt(depth / gravity);
    if (scaled <= 1) return scaled * scaled / 2;
    if (scaled < 2) return 1 - (2 - scaled) * (2 - scaled) / 2;
    return 1;
}

double effective_fetch(const SeaState& sea) {
    return std::min(sea.fetch, full_growth_chi * sea.wind_speed * sea.wind_speed / gravity);
}

double peak_frequency(const SeaState& sea) {
    assert(sea.wind_speed > 0);
    switch (sea.spectrum) {
    case SpectrumKind::phillips:
        return std::pow(0.8, 0.25) * gravity / sea.wind_speed;
    case SpectrumKind::pierson_moskowitz:
        return pierson_moskowitz_peak(sea.wind_speed);
    case SpectrumKind::jonswap:
    case SpectrumKind::tma:
        break;
    }
    return jonswap_peak(sea.wind_speed, effective_fetch(sea));
}

double energy_over_frequency(double omega, const SeaState& sea) {
    switch (sea.spectrum) {
    case SpectrumKind::phillips:
        return phillips_constant * gravity * gravity * std::pow(omega, -5) *
               std::exp(-power4(gravity / (sea.wind_speed * omega)));
    case SpectrumKind::pierson_moskowitz:
        return pierson_moskowitz(omega, sea.wind_speed);
    case SpectrumKind::jonswap:
        return jonswap(omega, sea.wind_speed, effective_fetch(sea), sea.gamma);
    case SpectrumKind::tma:
        break;
    }
    return jonswap(omega, sea.wind_speed, effective_fetch(sea), sea.gamma) * depth_factor(omega, sea.depth);
}

double spreading_exponent(double omega, double peak, double wind_speed, double swell) {
    const double ratio = omega / peak;
    const double wind = ratio <= 1 ? 6.97 * std::pow(ratio, 4.06)
                                   : 9.77 * std::pow(ratio, -2.33 - 1.45 * (wind_speed * peak / gravity - 1.17));
    return wind + 16 * std::tanh(1 / ratio) * swell * swell;
}

double spreading_normaliser(double exponent) {
    return std::exp((2 * exponent - 1) * std::numbers::ln2 + 2 * std::lgamma(exponent + 1) -
                    std::lgamma(2 * exponent + 1)) /
           pi;
}

double spreading(double omega, double theta, const SeaState& sea) {
    const double cosine = std::cos(theta);
    if (sea.spectrum == SpectrumKind::phillips) return cosine > 0 ? 2 / pi * cosine * cosine : 0;
    const double exponent = spreading_exponent(omega, peak_frequency(sea), sea.wind_speed, sea.swell);
    return spreading_normaliser(exponent) * std::pow(0.5 + 0.5 * cosine, exponent);
}

double directional_density(double kx, double kz, const SeaState& sea) {
    const double k = std::hypot(kx, kz);
    if (k <= 0) return 0;
    const Context context(sea);
    const Radial radial = context.radial(k);
    return radial.energy * context.directional_factor(kx, kz, k, radial.exponent);
}

std::uint64_t wave_hash(std::uint32_t seed, int n, int m) noexcept {
    const std::uint64_t wave = (std::uint64_t{static_cast<std::uint32_t>(n)} << 32) | static_cast<std::uint32_t>(m);
    return mix(mix(wave + 0x9E3779B97F4A7C15ULL) ^ (seed * 0xA0761D6478BD642FULL));
}

std::array<double, 2> wave_noise(std::uint32_t seed, int n, int m) noexcept {
    constexpr double unit = 1.0 / 4294967296.0;
    const std::uint64_t hash = wave_hash(seed, n, m);
    const double uniform = (static_cast<double>(hash >> 32) + 0.5) * unit; // never 0
    const double angle = 2 * pi * unit * static_cast<double>(hash & 0xFFFFFFFFULL);
    const double radius = std::sqrt(-2 * std::log(uniform));
    return {radius * std::cos(angle), radius * std::sin(angle)};
}

double InitialSpectrum::significant_height() const {
    return 4 * std::sqrt(variance);
}

InitialSpectrum make_initial_spectrum(const SeaState& sea, int size) {
    InitialSpectrum result;
    make_initial_spectrum(sea, size, result);
    return result;
}

void make_initial_spectrum(const SeaState& sea, int size, InitialSpectrum& result) {
    assert(size > 1 && size % 2 == 0 && !why_invalid(sea));
    const auto edge = static_cast<std::size_t>(size);
    const double dk = 2 * pi / sea.tile_length;
    const Context context(sea);
    const std::vector<Radial> table = tabulate_radial(context, size, dk);

    result.size = size;
    result.tile_length = sea.tile_length;
    result.loop_period = sea.loop_period;
    result.h0.assign(edge * edge, {});
    result.omega_index.assign(edge * edge, 0);
    std::vector<double> row_variance(edge, 0.0);
    std::vector<double> row_slope_variance(edge, 0.0);

    const double per_radian = sea.loop_period / (2 * pi);
    in_parallel(edge, edge, [&](std::size_t begin, std::size_t end) {
        for (std::size_t row = begin; row < end; ++row) {
            const int m = wave_index(static_cast<int>(row), size);
            if (m == -size / 2) continue; // Nyquist: i kz times it would not be Hermitian
            for (std::size_t column = 0; column < edge; ++column) {
                const int n = wave_index(static_cast<int>(column), size);
                if (n == -size / 2 || (n == 0 && m == 0)) continue;
                const double kx = n * dk;
                const double kz = m * dk;
                const int squared = n * n + m * m; // at most 2 * 1024^2
                const auto radius = static_cast<std::size_t>(squared);
                const Radial& radial = table[radius];
                const double k = dk * std::sqrt(static_cast<double>(radius));
                const double energy = radial.energy * context.directional_factor(kx, kz, k, radial.exponent) * dk * dk;
                row_variance[row] += energy;
                row_slope_variance[row] += k * k * energy;
                const auto noise = wave_noise(sea.seed, n, m);
                const double amplitude = 0.5 * std::sqrt(energy);
                const std::size_t cell = row * edge + column;
                result.h0[cell] = {amplitude * noise[0], amplitude * noise[1]};
                result.omega_index[cell] =
                    static_cast<std::uint32_t>(std::max(1.0, std::round(radial.omega * per_radian)));
            }
        }
    });
    // Always in this order, whatever the number of threads.
    result.variance = std::accumulate(row_variance.begin(), row_variance.end(), 0.0);
    result.slope_variance = std::accumulate(row_slope_variance.begin(), row_slope_variance.end(), 0.0);
}

double whitecap_share(const SeaState& sea) {
    return std::min(0.5, sea.foam_amount * 3.84e-6 * std::pow(sea.wind_speed, 3.41));
}

double foam_threshold(const SeaState& sea, const InitialSpectrum& spectrum) {
    constexpr double below_every_jacobian = -1e6;
    const double share = whitecap_share(sea);
    const double deviation = sea.choppiness * std::sqrt(spectrum.slope_variance);
    if (share <= 0 || deviation <= 0) return below_every_jacobian;
    // The standard normal quantile by bisection: P(z) = erfc(-z / sqrt 2) / 2 grows with z.
    double low = -40, high = 0;
    for (int step = 0; step < 60; ++step) {
        const double middle = 0.5 * (low + high);
        (0.5 * std::erfc(-middle / std::sqrt(2.0)) < share ? low : high) = middle;
    }
    return 1 + low * deviation;
}

} // namespace spindrift::ocean
