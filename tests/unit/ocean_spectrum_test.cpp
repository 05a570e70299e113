// Golden values of the wave formulas, absolute scale, and noise that depends on the wave number only.
#include "app/ocean/spectrum.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>

namespace spindrift::ocean {
namespace {

/// Midpoint rule over log(w): smooth at both ends, so 20'000 steps are far better than the tolerances here.
double integrate_over_frequency(const std::function<double(double)>& f, double low = 0.05, double high = 60) {
    const int steps = 20'000;
    const double step = std::log(high / low) / steps;
    double sum = 0;
    for (int index = 0; index < steps; ++index) {
        const double omega = low * std::exp((index + 0.5) * step);
        sum += f(omega) * omega * step;
    }
    return sum;
}

double height_of(const std::function<double(double)>& f) {
    return 4 * std::sqrt(integrate_over_frequency(f));
}

TEST(OceanDispersion, GoldenValues) {
    EXPECT_NEAR(dispersion(0.1, 0).omega, 0.990454, 2e-6);
    EXPECT_NEAR(dispersion(0.1, 0).group_velocity, 4.952272, 5e-6);
    EXPECT_NEAR(dispersion(0.1, 20).omega, 0.972477, 1e-6);
    EXPECT_NEAR(dispersion(0.1, 20).group_velocity, 5.575084, 5e-6);
    EXPECT_NEAR(dispersion(0.1, 5).omega, 0.673303, 1e-6);
    EXPECT_NEAR(dispersion(0.1, 5).group_velocity, 6.231144, 5e-6);
    EXPECT_NEAR(dispersion(400, 0).omega, 93.059, 1e-3);
    EXPECT_NEAR(dispersion(400, 0).group_velocity, 0.243555, 1e-6);
    EXPECT_NEAR(dispersion(2 * pi * 3 / 100, 0, false).omega, 1.359831, 1e-6);
    EXPECT_NEAR(dispersion(400, 0, false).omega, std::sqrt(gravity * 400), 1e-9);
}

TEST(OceanDispersion, SlowestPhaseVelocityIsThatOfRipples) {
    double slowest = 1e9;
    double at = 0;
    for (int step = 0; step < 6000; ++step) {
        const double length = 0.005 * std::pow(1.0005, step); // to 0.1 m
        const double velocity = dispersion(2 * pi / length, 0).omega * length / (2 * pi);
        if (velocity < slowest) {
            slowest = velocity;
            at = length;
        }
    }
    EXPECT_NEAR(slowest, 0.232, 0.0005);
    EXPECT_NEAR(at, 0.0173, 0.0001);
}

TEST(OceanDispersion, GroupVelocityIsTheDerivativeAndWaveNumberTheInverse) {
    for (const double depth : {0.0, 0.5, 5.0, 50.0, 5000.0})
        for (const double k : {0.001, 0.1, 2.0, 30.0}) {
            const double step = 1e-5 * k;
            const double slope = (dispersion(k + step, depth).omega - dispersion(k - step, depth).omega) / (2 * step);
            EXPECT_NEAR(dispersion(k, depth).group_velocity / slope, 1, 1e-6) << k << " " << depth;
            EXPECT_NEAR(wave_number_at(dispersion(k, depth, false).omega, depth) / k, 1, 1e-9) << k << " " << depth;
        }
}

TEST(OceanSpectrum, PiersonMoskowitzHeightAndPeak) {
    for (const double wind : {5.0, 10.0, 20.0}) {
        const double height = height_of([&](double omega) { return pierson_moskowitz(omega, wind); });
        EXPECT_NEAR(height * gravity / (wind * wind), 0.2203, 0.0005) << wind;
        // the same curve in the other notation, exp(-1.25 (wp / w)^4)
        const double peak = pierson_moskowitz_peak(wind);
        EXPECT_NEAR(pierson_moskowitz(peak, wind) / pierson_moskowitz(1.5 * peak, wind),
                    std::pow(1.5, 5) * std::exp(-1.25 * (1 - std::pow(1.5, -4))), 0.01);
    }
    EXPECT_NEAR(height_of([](double omega) { return pierson_moskowitz(omega, 20); }), 8.98, 0.02);
}

TEST(OceanSpectrum, JonswapGoldenValues) {
    struct Row {
        double wind, fetch, peak, period, height;
    };
    for (const Row& row :
         {Row{10, 100e3, 1.0082, 6.23, 2.139}, Row{20, 100e3, 0.8002, 7.85, 3.954}, Row{5, 20e3, 2.172, 2.89, 0.472}}) {
        EXPECT_NEAR(jonswap_peak(row.wind, row.fetch), row.peak, 6e-4);
        EXPECT_NEAR(2 * pi / jonswap_peak(row.wind, row.fetch), row.period, 6e-3);
        EXPECT_NEAR(height_of([&](double omega) { return jonswap(omega, row.wind, row.fetch, 3.3); }), row.height,
                    0.002);
    }
    EXPECT_NEAR(height_of([](double omega) { return jonswap(omega, 20, 500e3, 3.3); }), 9.69, 0.01);
}

TEST(OceanSpectrum, JonswapPeakEnhancement) {
    const auto variance = [](double gamma) {
        return integrate_over_frequency([&](double omega) { return jonswap(omega, 10, 100e3, gamma); });
    };
    EXPECT_NEAR(variance(3.3) / variance(1), 1.525, 0.002);
    const double peak = jonswap_peak(10, 100e3);
    EXPECT_NEAR(jonswap(peak, 10, 100e3, 3.3) / jonswap(peak, 10, 100e3, 1), 3.3, 1e-9);
    // alpha, from the high-frequency tail
    EXPECT_NEAR(jonswap(30, 10, 100e3, 3.3) * std::pow(30, 5) / (gravity * gravity), 0.01006, 1e-5);
}

TEST(OceanSpectrum, JonswapStopsGrowingWhereItsFitsEnd) {
    SeaState sea{.wind_speed = 20, .fetch = 500e3};
    EXPECT_NEAR(gravity * effective_fetch(sea) / (20.0 * 20.0), 1e4, 1e-6);
    const double height = height_of([&](double omega) { return energy_over_frequency(omega, sea); });
    sea.fetch = 2000e3;
    EXPECT_NEAR(height_of([&](double omega) { return energy_over_frequency(omega, sea); }), height, 1e-9);
    ASSERT_EQ(notes({.wind_speed = 5, .fetch = 500e3, .tile_length = 1000}).size(), 1U);
    EXPECT_NE(notes({.wind_speed = 5, .fetch = 500e3})[0].find("fetch 500000 m"), std::string::npos);
    EXPECT_TRUE(notes(SeaState{}).empty());
}

TEST(OceanSpectrum, DepthFactorFollowsTheExactOne) {
    const double depth = 12;
    for (int step = 2; step < 80; ++step) {
        const double scaled = 0.05 * step;
        const double omega = scaled / std::sqrt(depth / gravity);
        const double k = wave_number_at(omega, depth);
        const double hyperbolic = std::tanh(k * depth);
        const double exact = hyperbolic * hyperbolic / (1 + 2 * k * depth / std::sinh(2 * k * depth));
        EXPECT_NEAR(depth_factor(omega, depth), exact, 0.023) << scaled; // the approximation is that good, worst at 1.1
    }
    EXPECT_DOUBLE_EQ(depth_factor(1.0, 0), 1);
    EXPECT_NEAR(depth_factor(std::sqrt(gravity / depth), depth), 0.5, 1e-12); // exact: 0.483
    const SeaState shallow{.spectrum = SpectrumKind::tma, .depth = 5};
    EXPECT_DOUBLE_EQ(energy_over_frequency(0.8, shallow),
                     jonswap(0.8, shallow.wind_speed, shallow.fetch, shallow.gamma) * depth_factor(0.8, 5));
    const SeaState deep{.spectrum = SpectrumKind::tma};
    EXPECT_DOUBLE_EQ(energy_over_frequency(0.8, deep), energy_over_frequency(0.8, SeaState{}));
}

TEST(OceanSpectrum, PhillipsHasAnAbsoluteHeight) {
    const SeaState sea{.spectrum = SpectrumKind::phillips, .wind_speed = 10};
    EXPECT_NEAR(height_of([&](double omega) { return energy_over_frequency(omega, sea); }) * gravity / 100, 0.18, 5e-4);
    const SeaState wide{
        .spectrum = SpectrumKind::phillips, .wind_speed = 10, .tile_length = 1000, .small_wave_cutoff = 0};
    EXPECT_NEAR(make_initial_spectrum(wide, 512).significant_height(), 0.18 * 100 / gravity, 0.03);
}

TEST(OceanSpreading, IntegratesToOneForEverySetting) {
    for (std::size_t kind = 0; kind < spectrum_names.size(); ++kind)
        for (const double wind : {2.0, 11.0, 30.0})
            for (const double swell : {0.0, 0.5, 1.0})
                for (const double ratio : {0.3, 0.7, 1.0, 1.5, 3.0, 10.0}) {
                    SeaState sea{.spectrum = static_cast<SpectrumKind>(kind), .wind_speed = wind, .swell = swell};
                    const double omega = ratio * peak_frequency(sea);
                    const int steps = 2000;
                    double sum = 0;
                    for (int index = 0; index < steps; ++index)
                        sum += spreading(omega, -pi + 2 * pi * (index + 0.5) / steps, sea) * 2 * pi / steps;
                    EXPECT_NEAR(sum, 1, 0.005) << kind << " " << wind << " " << swell << " " << ratio;
                }
}

TEST(OceanSpreading, NormaliserIsFiniteForNarrowSeas) {
    EXPECT_NEAR(spreading_normaliser(0), 1 / (2 * pi), 1e-15);
    EXPECT_NEAR(spreading_normaliser(1), 1 / pi, 1e-15);
    for (const double exponent : {19.2, 60.0, 120.0, 200.0, 5000.0}) // for large s, Q tends to sqrt(s / pi) / 2
        EXPECT_NEAR(spreading_normaliser(exponent) / (0.5 * std::sqrt(exponent / pi)), 1, 0.02) << exponent;
}

TEST(OceanSpreading, SwellNarrowsLongWavesMoreThanShortOnes) {
    const double peak = 1;
    const auto added = [&](double omega) {
        return spreading_exponent(omega, peak, 10, 1) - spreading_exponent(omega, peak, 10, 0);
    };
    EXPECT_NEAR(added(1), 16 * std::tanh(1.0), 1e-12);
    EXPECT_GT(added(0.5), added(2));
    EXPECT_NEAR(spreading_exponent(0.5, 1, 10, 0), 6.97 * std::pow(0.5, 4.06), 1e-12);
    EXPECT_NEAR(spreading_exponent(2, 1, 10, 0), 9.77 * std::pow(2, -2.33 - 1.45 * (10 / gravity - 1.17)), 1e-12);
}

TEST(OceanInitialSpectrum, CapturesTheEnergyThatFitsTheTile) {
    const SeaState sea{.wind_speed = 10, .wind_direction = 0, .swell = 0, .tile_length = 1000, .small_wave_cutoff = 0};
    const double whole = integrate_over_frequency([&](double omega) { return energy_over_frequency(omega, sea); });
    EXPECT_NEAR(make_initial_spectrum(sea, 256).variance / whole, 0.989, 0.002);
    EXPECT_NEAR(make_initial_spectrum(sea, 512).variance / whole, 0.998, 0.002);
    SeaState small = sea;
    small.tile_length = 100;
    EXPECT_NEAR(make_initial_spectrum(small, 512).variance / whole, 0.905, 0.002);
}

TEST(OceanInitialSpectrum, HeightDoesNotDependOnSizeOrTile) {
    for (const double tile : {500.0, 1000.0}) {
        const SeaState sea{.wind_speed = 10, .tile_length = tile, .small_wave_cutoff = 0};
        const double reference = make_initial_spectrum(sea, 512).significant_height();
        EXPECT_NEAR(reference, 2.139, 0.04);
        for (const int size : {128, 256})
            EXPECT_NEAR(make_initial_spectrum(sea, size).significant_height() / reference, 1, 0.03) << size;
    }
}

TEST(OceanInitialSpectrum, SlopeVarianceIsTheSpectrums) {
    for (const auto& [size, expected] : {std::pair{256, 0.0100}, std::pair{512, 0.0135}}) {
        const SeaState sea{.wind_speed = 10, .tile_length = 1000, .small_wave_cutoff = 0};
        const double dk = 2 * pi / sea.tile_length;
        double sum = 0;
        for (int m = -size / 2 + 1; m < size / 2; ++m)
            for (int n = -size / 2 + 1; n < size / 2; ++n)
                sum += (n * n + m * m) * dk * dk * directional_density(n * dk, m * dk, sea) * dk * dk;
        EXPECT_NEAR(sum, expected, 0.0002) << size;
    }
}

TEST(OceanInitialSpectrum, TheSeaIsTheSameForEverySize) {
    const SeaState sea{};
    const InitialSpectrum small = make_initial_spectrum(sea, 32);
    const InitialSpectrum large = make_initial_spectrum(sea, 128);
    for (int m = -15; m < 16; ++m)
        for (int n = -15; n < 16; ++n) {
            const auto at = [&](const InitialSpectrum& spectrum) {
                const int size = spectrum.size;
                return static_cast<std::size_t>((m + size) % size) * static_cast<std::size_t>(size) +
                       static_cast<std::size_t>((n + size) % size);
            };
            ASSERT_EQ(small.h0[at(small)], large.h0[at(large)]) << n << " " << m;
            ASSERT_EQ(small.omega_index[at(small)], large.omega_index[at(large)]) << n << " " << m;
        }
}

TEST(OceanInitialSpectrum, MeanOfManySeedsIsTheDensity) {
    // E |h0|^2 = Psi dA / 2 at each cell: amplitudes are those of a complex wave, not of a cosine.
    SeaState sea{.tile_length = 100};
    double sum = 0;
    double expected = 0;
    for (std::uint32_t seed = 0; seed < 200; ++seed) {
        sea.seed = seed;
        const InitialSpectrum spectrum = make_initial_spectrum(sea, 16);
        for (const auto& amplitude : spectrum.h0) sum += std::norm(amplitude);
        expected += spectrum.variance / 2;
    }
    EXPECT_NEAR(sum / expected, 1, 0.03);
}

TEST(OceanInitialSpectrum, ZeroWhereItMustBe) {
    const InitialSpectrum spectrum = make_initial_spectrum(SeaState{}, 32);
    EXPECT_EQ(spectrum.h0[0], 0.0);
    for (std::size_t index = 0; index < 32; ++index) {
        EXPECT_EQ(spectrum.h0[std::size_t{16} * 32 + index], 0.0);
        EXPECT_EQ(spectrum.h0[index * 32 + 16], 0.0);
    }
    EXPECT_GT(std::count_if(spectrum.h0.begin(), spectrum.h0.end(), [](const auto& h) { return std::norm(h) > 0; }),
              900);
}

TEST(OceanInitialSpectrum, FrequenciesAreRoundedToTheLoop) {
    const SeaState sea{.loop_period = 60};
    const InitialSpectrum spectrum = make_initial_spectrum(sea, 64);
    const double dk = 2 * pi / sea.tile_length;
    const auto exact = [&](int n, int m) { return dispersion(dk * std::hypot(n, m), 0).omega * 60 / (2 * pi); };
    EXPECT_EQ(spectrum.omega_index[3 * 64 + 5], static_cast<std::uint32_t>(std::lround(exact(5, 3))));
    EXPECT_EQ(spectrum.omega_index[63 * 64 + 20], static_cast<std::uint32_t>(std::lround(exact(20, 1))));
    // longer than the loop: once around, not standing still
    const InitialSpectrum slow = make_initial_spectrum({.tile_length = 10'000, .loop_period = 1}, 32);
    EXPECT_EQ(slow.omega_index[1], 1U);
}

TEST(OceanInitialSpectrum, EverySettingIsFinite) {
    for (std::size_t kind = 0; kind < spectrum_names.size(); ++kind)
        for (const double wind : {0.0, 0.001, 0.01, 60.0})
            for (const double depth : {0.0, 0.01, 10'000.0})
                for (const double swell : {0.0, 1.0})
                    for (const double tile : {1.0, 10'000.0}) {
                        const SeaState sea{.spectrum = static_cast<SpectrumKind>(kind),
                                           .wind_speed = wind,
                                           .fetch = 1000,
                                           .depth = depth,
                                           .swell = swell,
                                           .tile_length = tile};
                        const InitialSpectrum spectrum = make_initial_spectrum(sea, 32);
                        ASSERT_TRUE(std::isfinite(spectrum.variance)) << kind << " " << wind << " " << depth;
                        for (const auto& amplitude : spectrum.h0)
                            ASSERT_TRUE(std::isfinite(amplitude.real()) && std::isfinite(amplitude.imag()));
                        if (wind == 0) {
                            EXPECT_EQ(spectrum.variance, 0);
                        }
                    }
}

TEST(OceanInitialSpectrum, MeanDirectionIsTheWinds) {
    for (std::size_t kind = 0; kind < spectrum_names.size(); ++kind)
        for (const double direction : {0.0, 30.0, 90.0, 180.0, 270.0}) {
            const SeaState sea{.spectrum = static_cast<SpectrumKind>(kind), .wind_direction = direction};
            const double dk = 2 * pi / sea.tile_length;
            double sine = 0;
            double cosine = 0;
            for (int m = -63; m < 64; ++m)
                for (int n = -63; n < 64; ++n) {
                    const double energy = directional_density(n * dk, m * dk, sea);
                    sine += energy * m / std::max(1e-9, std::hypot(n, m));
                    cosine += energy * n / std::max(1e-9, std::hypot(n, m));
                }
            const double difference = std::remainder(std::atan2(sine, cosine) * 180 / pi - direction, 360);
            EXPECT_NEAR(difference, 0, 3) << kind << " " << direction;
        }
}

TEST(OceanFoam, ThresholdLeavesTheObservedShareOfWhitecaps) {
    // Monahan & O'Muircheartaigh 1980: 3.84e-6 * 10^3.41 = 0.987 % at 10 m/s.
    EXPECT_NEAR(whitecap_share({.wind_speed = 10}), 0.00987, 1e-5);
    EXPECT_EQ(whitecap_share({.wind_speed = 60, .foam_amount = 20}), 0.5);
    EXPECT_EQ(whitecap_share({.foam_amount = 0}), 0);
    InitialSpectrum spectrum;
    spectrum.slope_variance = 0.01;
    // The 0.987 % quantile of a normal distribution is -2.3313 standard deviations.
    EXPECT_NEAR(foam_threshold({.wind_speed = 10, .choppiness = 1.5}, spectrum), 1 - 2.3313 * 0.15, 1e-4);
    EXPECT_LT(foam_threshold({.foam_amount = 0}, spectrum), -1000);
    EXPECT_LT(foam_threshold({.choppiness = 0}, spectrum), -1000);
}

TEST(OceanNoise, IsTheSameEverywhere) {
    EXPECT_EQ(wave_hash(1, 0, 1), 0xf95d4e8670c46021U);
    EXPECT_EQ(wave_hash(7, -3, 12), 0xd68957a4ac394940U);
    EXPECT_EQ(wave_hash(4294967295U, 100, -100), 0x380096d254a3540dU);
    EXPECT_NEAR(wave_noise(7, -3, 12)[0], -0.2773477913894946, 1e-12);
    EXPECT_NEAR(wave_noise(7, -3, 12)[1], -0.5258073576824862, 1e-12);
    EXPECT_NE(wave_hash(1, 2, 3), wave_hash(1, 3, 2));
    EXPECT_NE(wave_hash(1, 2, 3), wave_hash(1, -2, 3));
    EXPECT_NE(wave_hash(1, 2, 3), wave_hash(2, 2, 3));
}

TEST(OceanNoise, IsNormalAndUncorrelated) {
    double sum = 0, square = 0, fourth = 0, cross = 0, neighbour = 0;
    const int edge = 200;
    for (int m = 0; m < edge; ++m)
        for (int n = 0; n < edge; ++n) {
            const auto noise = wave_noise(7, n - edge / 2, m - edge / 2);
            sum += noise[0] + noise[1];
            square += noise[0] * noise[0] + noise[1] * noise[1];
            fourth += std::pow(noise[0], 4) + std::pow(noise[1], 4);
            cross += noise[0] * noise[1];
            neighbour += noise[0] * wave_noise(7, n - edge / 2 + 1, m - edge / 2)[0];
        }
    const double count = 2.0 * edge * edge;
    EXPECT_NEAR(sum / count, 0, 0.015);
    EXPECT_NEAR(square / count, 1, 0.02);
    EXPECT_NEAR(fourth / count, 3, 0.15);
    EXPECT_NEAR(cross / (count / 2), 0, 0.02);
    EXPECT_NEAR(neighbour / (count / 2), 0, 0.02);
}

} // namespace
} // namespace spindrift::ocean
