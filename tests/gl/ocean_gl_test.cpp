// The ocean on the GPU against the ocean in double precision on the CPU, and against what a sea must look like.
#include "tests/gl/context_fixture.h"

#include "app/ocean/reference.h"
#include "app/ocean/simulation.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <functional>
#include <limits>
#include <vector>

namespace spindrift::ocean {
namespace {

class OceanGl : public test::ContextTest {
protected:
    static std::vector<float> texels(const gl::Texture& texture, int level = 0) {
        std::vector<float> result(texture.element_count(level));
        texture.download(result, level);
        return result;
    }

    static bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
        return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
    }

    static bool all_finite(const std::vector<float>& values) {
        return std::all_of(values.begin(), values.end(), [](float value) { return std::isfinite(value); });
    }

    /// A sea whose shortest waves have many texels, so that differences between neighbours are derivatives.
    static SeaState smooth_sea() {
        return {.wind_speed = 12, .choppiness = 2, .tile_length = 128, .small_wave_cutoff = 12};
    }

    /// h = amplitude cos(kx x + kz z) at time 0.
    static InitialSpectrum single_wave(const SimulationDesc& desc, int n, int m, double amplitude) {
        InitialSpectrum spectrum = make_initial_spectrum(desc.sea, desc.size);
        std::fill(spectrum.h0.begin(), spectrum.h0.end(), 0.0);
        const std::size_t row = static_cast<std::size_t>((m + desc.size) % desc.size);
        const std::size_t column = static_cast<std::size_t>((n + desc.size) % desc.size);
        spectrum.h0[row * static_cast<std::size_t>(desc.size) + column] = amplitude / 2;
        return spectrum;
    }
};

/// Index of texel (column, row), which may lie one tile outside.
std::size_t cell_at(int column, int row, int size) {
    const auto edge = static_cast<std::size_t>(size);
    return static_cast<std::size_t>((row + size) % size) * edge + static_cast<std::size_t>((column + size) % size);
}

double relative_l2(const std::vector<float>& values, const std::vector<double>& reference) {
    double difference = 0;
    double norm = 0;
    for (std::size_t index = 0; index < values.size(); ++index) {
        difference += std::pow(values[index] - reference[index], 2);
        norm += reference[index] * reference[index];
    }
    return std::sqrt(difference / norm);
}

TEST_F(OceanGl, EveryFieldEqualsTheReference) {
    auto library = make_library();
    for (const int size : {64, 128})
        for (const SeaState& sea :
             {SeaState{}, SeaState{.spectrum = SpectrumKind::tma, .wind_direction = 200, .depth = 8, .swell = 0.8}}) {
            const double time = 123.456;
            const ReferenceFields reference = reference_fields(make_initial_spectrum(sea, size), time);
            for (const fft::Algorithm algorithm : fft::glsl_algorithms)
                for (const fft::Packing packing : fft::all_packings)
                    for (const fft::Storage storage : fft::all_storages) {
                        Simulation simulation({sea, algorithm, size, packing, storage}, library, device());
                        simulation.step(time, 0);
                        const auto fields = simulation.download_fields();
                        for (std::size_t field = 0; field < field_count; ++field)
                            EXPECT_LT(relative_l2(fields[field], reference[field]), 1e-5)
                                << field_names[field] << " " << size << " " << fft::to_string(algorithm) << " "
                                << fft::to_string(packing) << " " << fft::to_string(storage);
                    }
        }
}

std::vector<float> texels_of(const gl::Texture& texture) {
    std::vector<float> texels(texture.element_count());
    texture.download(texels);
    return texels;
}

TEST_F(OceanGl, FusedIsTheSameSea) {
    auto library = make_library();
    for (const int size : {32, 256}) // values between the axes in a buffer, and in an image
        for (const fft::Packing packing : fft::all_packings) {
            SimulationDesc desc{.algorithm = fft::Algorithm::tuned, .size = size, .packing = packing};
            Simulation unfused(desc, library, device());
            desc.fused = true;
            Simulation fused(desc, library, device());
            EXPECT_FALSE(unfused.is_fused());
            EXPECT_TRUE(fused.is_fused());
            for (Simulation* simulation : {&unfused, &fused}) {
                simulation->fill_scratch(std::numeric_limits<float>::quiet_NaN());
                simulation->step(50, 0);
                simulation->step(50.5, 0.5); // foam remembers
            }
            const auto difference = [&](const gl::Texture& (Simulation::*map)() const) {
                const std::vector<float> one = texels_of((unfused.*map)());
                const std::vector<float> other = texels_of((fused.*map)());
                EXPECT_EQ(one.size(), other.size());
                double error = 0;
                double norm = 0;
                for (std::size_t index = 0; index < one.size(); ++index) {
                    error += std::pow(double{one[index]} - other[index], 2);
                    norm += std::pow(double{one[index]}, 2);
                }
                EXPECT_GT(norm, 0);
                return std::sqrt(error / norm);
            };
            EXPECT_LT(difference(&Simulation::displacement), 1e-5) << size << ' ' << fft::to_string(packing);
            EXPECT_LT(difference(&Simulation::derivatives), 1e-5) << size << ' ' << fft::to_string(packing);
            const auto fields = fused.download_fields();
            EXPECT_LT(relative_l2(fields[2], reference_fields(make_initial_spectrum(desc.sea, size), 50.5)[2]), 1e-5);
            EXPECT_EQ(fused.kernel_facts().dispatches_per_transform, 2);
        }
}

TEST_F(OceanGl, HalfFloatsBetweenTheAxesAreTheSameSeaButForTheirRounding) {
    auto library = make_library();
    for (const bool fused : {false, true}) {
        SimulationDesc desc{.algorithm = fft::Algorithm::tuned, .size = 64, .fused = fused};
        Simulation full(desc, library, device());
        desc.intermediate = fft::Precision::fp16;
        Simulation half(desc, library, device());
        full.step(20, 0);
        half.step(20, 0);
        const std::vector<float> one = texels_of(full.displacement());
        const std::vector<float> other = texels_of(half.displacement());
        double error = 0;
        double norm = 0;
        for (std::size_t index = 0; index < one.size(); ++index) {
            error += std::pow(double{one[index]} - other[index], 2);
            norm += std::pow(double{one[index]}, 2);
        }
        EXPECT_LT(std::sqrt(error / norm), 1e-3) << "fused " << fused;
        EXPECT_GT(std::sqrt(error / norm), 1e-6) << "fused " << fused; // they are half floats
    }
    EXPECT_THROW(Simulation({.size = 64, .intermediate = fft::Precision::fp16}, library, device()), Error);
}

TEST_F(OceanGl, PhasesStayExactAfterManyDays) {
    auto library = make_library();
    const SeaState sea{};
    const double time = 86'400.0 * 365 + 7.3;
    Simulation simulation({.sea = sea, .size = 64}, library, device());
    simulation.step(time, 0);
    const auto fields = simulation.download_fields();
    const ReferenceFields reference = reference_fields(make_initial_spectrum(sea, 64), time);
    for (std::size_t field = 0; field < field_count; ++field)
        EXPECT_LT(relative_l2(fields[field], reference[field]), 1e-5) << field_names[field];
}

TEST_F(OceanGl, SecondFieldsVanishWhenOnlyTheFirstAreFed) {
    auto library = make_library();
    for (const fft::Packing packing : fft::all_packings) {
        const SimulationDesc desc{.size = 128, .packing = packing, .first_of_pairs_only = true};
        Simulation simulation(desc, library, device());
        simulation.step(10, 0);
        const auto fields = simulation.download_fields();
        const auto largest = [](const std::vector<float>& values) {
            return std::abs(*std::max_element(values.begin(), values.end(),
                                              [](float a, float b) { return std::abs(a) < std::abs(b); }));
        };
        for (std::size_t pair = 0; pair < field_count / 2; ++pair) {
            ASSERT_GT(largest(fields[2 * pair]), 0.01F);
            EXPECT_LT(largest(fields[2 * pair + 1]) / largest(fields[2 * pair]), 1e-5) << "pair " << pair;
        }
    }
}

TEST_F(OceanGl, MapsAreWhatTheReferenceAssembles) {
    auto library = make_library();
    const int size = 128;
    SeaState sea{.wind_speed = 14, .choppiness = 1.3};
    const double time = 33;
    Simulation simulation({.sea = sea, .size = size}, library, device());
    simulation.step(time, 0.1);
    const auto displacement = texels(simulation.displacement());
    const auto derivatives = texels(simulation.derivatives());
    const ReferenceFields reference = reference_fields(simulation.initial_spectrum(), time);
    const double threshold = foam_threshold(sea, simulation.initial_spectrum());
    const double deviation = sea.choppiness * std::sqrt(simulation.initial_spectrum().slope_variance);
    int exact = 0;
    for (std::size_t cell = 0; cell < std::size_t{size} * size; ++cell) {
        const ReferencePoint point = reference_point(reference, cell, sea.choppiness);
        EXPECT_NEAR(displacement[4 * cell], point.x, 2e-5);
        EXPECT_NEAR(displacement[4 * cell + 1], point.height, 2e-5);
        EXPECT_NEAR(displacement[4 * cell + 2], point.z, 2e-5);
        EXPECT_NEAR(displacement[4 * cell + 3], point.jacobian, 2e-5);
        const float* map = &derivatives[4 * cell];
        const double steepness = std::hypot(point.slope_x, point.slope_z);
        EXPECT_LE(std::hypot(map[0], map[1]), Simulation::largest_slope * 1.001);
        EXPECT_NEAR(map[3], map[0] * map[0] + map[1] * map[1], 0.002 * map[3] + 1e-4);
        const double made = std::clamp((threshold - point.jacobian) / deviation * sea.foam_strength, 0.0, 1.0);
        EXPECT_GE(map[2], made - 1e-3);
        EXPECT_LE(map[2], 1.0F);
        if (point.jacobian < Simulation::smallest_jacobian || steepness > Simulation::largest_slope) continue;
        ++exact;
        EXPECT_NEAR(map[0], point.slope_x, 1e-4 * steepness + 1e-4);
        EXPECT_NEAR(map[1], point.slope_z, 1e-4 * steepness + 1e-4);
    }
    EXPECT_GT(exact, size * size * 9 / 10);
}

TEST_F(OceanGl, NormalIsThatOfTheDisplacedGrid) {
    auto library = make_library();
    const int size = 128;
    const SeaState sea = smooth_sea();
    Simulation simulation({.sea = sea, .size = size}, library, device());
    simulation.step(5, 0);
    const auto displacement = texels(simulation.displacement());
    const auto derivatives = texels(simulation.derivatives());
    const double cell = sea.tile_length / size;
    struct Vector {
        double x, y, z;
    };
    // Fourth-order differences of the displaced positions.
    const auto tangent = [&](int i, int j, int step_i, int step_j) {
        const auto component = [&](std::size_t channel) {
            const auto at = [&](int offset) {
                const int column = (i + offset * step_i + size) % size;
                const int row = (j + offset * step_j + size) % size;
                return static_cast<double>(displacement[4 * cell_at(column, row, size) + channel]);
            };
            return (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * cell);
        };
        return Vector{step_i + component(0), component(1), step_j + component(2)};
    };
    double worst = 0;
    int checked = 0;
    for (int j = 0; j < size; ++j)
        for (int i = 0; i < size; ++i) {
            const std::size_t index = cell_at(i, j, size);
            if (displacement[4 * index + 3] <= 0.2F) continue;
            const Vector a = tangent(i, j, 1, 0);
            const Vector b = tangent(i, j, 0, 1);
            const Vector normal{b.y * a.z - b.z * a.y, b.z * a.x - b.x * a.z, b.x * a.y - b.y * a.x};
            const Vector shader{-derivatives[4 * index], 1, -derivatives[4 * index + 1]};
            const double cosine = (normal.x * shader.x + normal.y * shader.y + normal.z * shader.z) /
                                  std::sqrt((normal.x * normal.x + normal.y * normal.y + normal.z * normal.z) *
                                            (shader.x * shader.x + 1 + shader.z * shader.z));
            EXPECT_GT(normal.y, 0);
            worst = std::max(worst, std::acos(std::min(1.0, cosine)) * 180 / pi);
            ++checked;
        }
    EXPECT_LT(worst, 1.0);
    EXPECT_GT(checked, size * size * 9 / 10);
}

TEST_F(OceanGl, CrestsOfOneWaveAreSharp) {
    auto library = make_library();
    const int size = 64;
    const SimulationDesc desc{.sea = {.choppiness = 0.8, .tile_length = 2 * pi * 3 / 0.3}, .size = size};
    Simulation simulation(desc, library, device());
    simulation.replace_spectrum(single_wave(desc, 3, 0, 0.5)); // k = 0.3, A = 0.5
    simulation.step(0, 0);
    const auto displacement = texels(simulation.displacement());
    EXPECT_NEAR(displacement[1], 0.5, 1e-5);                 // the crest is at x = 0
    EXPECT_NEAR(displacement[3], 1 - 0.8 * 0.5 * 0.3, 1e-5); // and the surface is squeezed there
    int sign_changes = 0;
    for (std::size_t i = 0; i < size; ++i) {
        const double x = static_cast<double>(i) / size * desc.sea.tile_length;
        EXPECT_NEAR(displacement[4 * i], -0.8 * 0.5 * std::sin(0.3 * x), 1e-5);
        if ((displacement[4 * i + 1] < 0) != (displacement[4 * ((i + 1) % size) + 1] < 0)) ++sign_changes;
    }
    EXPECT_EQ(sign_changes, 6); // three crests: no checkerboard
}

TEST_F(OceanGl, OneWaveTravelsAlongItsWaveVectorAtItsSpeed) {
    auto library = make_library();
    const SimulationDesc desc{.sea = {.tile_length = 100, .loop_period = 1000}, .size = 64};
    Simulation simulation(desc, library, device());
    simulation.replace_spectrum(single_wave(desc, 3, 2, 1.0));
    const double k = 2 * pi / 100 * std::hypot(3, 2);
    for (const double time : {0.0, 0.7, 2.9}) {
        simulation.step(time, 0);
        const auto displacement = texels(simulation.displacement());
        const double omega = std::round(std::sqrt(gravity * k) * 1000 / (2 * pi)) * 2 * pi / 1000;
        for (std::size_t j = 0; j < 64; j += 5)
            for (std::size_t i = 0; i < 64; i += 7) {
                const double phase =
                    2 * pi * (3 * static_cast<double>(i) + 2 * static_cast<double>(j)) / 64 - omega * time;
                EXPECT_NEAR(displacement[4 * (j * 64 + i) + 1], std::cos(phase), 2e-5);
            }
    }
}

TEST_F(OceanGl, CrestsTravelDownwind) {
    auto library = make_library();
    const int size = 128;
    const double interval = 0.5;
    for (const double direction : {0.0, 30.0, 90.0, 180.0, 270.0}) {
        const SeaState sea{.wind_speed = 8, .wind_direction = direction, .tile_length = 100};
        Simulation simulation({.sea = sea, .size = size}, library, device());
        simulation.step(20, 0);
        const auto before = simulation.download_fields()[static_cast<std::size_t>(Field::height)];
        simulation.step(20 + interval, 0);
        const auto after = simulation.download_fields()[static_cast<std::size_t>(Field::height)];
        double best = 0;
        int best_x = 0;
        int best_z = 0;
        for (int shift_z = -9; shift_z <= 9; ++shift_z)
            for (int shift_x = -9; shift_x <= 9; ++shift_x) {
                double sum = 0;
                for (int j = 0; j < size; ++j)
                    for (int i = 0; i < size; ++i)
                        sum += static_cast<double>(before[cell_at(i, j, size)]) *
                               after[cell_at(i + shift_x, j + shift_z, size)];
                if (sum > best) {
                    best = sum;
                    best_x = shift_x;
                    best_z = shift_z;
                }
            }
        EXPECT_GT(std::hypot(best_x, best_z) * sea.tile_length / size, 1.0) << direction;
        EXPECT_NEAR(std::remainder(std::atan2(best_z, best_x) * 180 / pi - direction, 360), 0, 30) << direction;
    }
}

TEST_F(OceanGl, RepeatsExactlyAfterTheLoop) {
    auto library = make_library();
    const SeaState sea{.loop_period = 64};
    Simulation simulation({.sea = sea, .size = 64}, library, device());
    simulation.step(12.625, 0);
    const auto first = simulation.download_fields();
    simulation.step(40, 0);
    EXPECT_FALSE(same_bits(simulation.download_fields()[0], first[0]));
    for (const double time : {12.625 + 64, 12.625 + 64 * 12'345.0, 12.625 - 64}) {
        simulation.step(time, 0);
        const auto again = simulation.download_fields();
        for (std::size_t field = 0; field < field_count; ++field)
            EXPECT_TRUE(same_bits(again[field], first[field])) << field_names[field] << " at " << time;
    }
}

TEST_F(OceanGl, HeightIsTheSpectrums) {
    auto library = make_library();
    const int size = 128;
    SeaState sea{.wind_speed = 10, .tile_length = 500};
    Simulation simulation({.sea = sea, .size = size}, library, device());
    double variance = 0;
    for (std::uint32_t seed = 0; seed < 16; ++seed) {
        sea.seed = seed;
        simulation.set_sea(sea, FoamHistory::keep);
        simulation.step(3, 0);
        const auto fields = simulation.download_fields();
        for (const float height : fields[static_cast<std::size_t>(Field::height)])
            variance += height * height / (16.0 * size * size);
    }
    EXPECT_NEAR(4 * std::sqrt(variance) / simulation.significant_height(), 1, 0.05);
    EXPECT_NEAR(simulation.significant_height(), 2.1, 0.1);
}

TEST_F(OceanGl, ExtremeSeasStayFinite) {
    auto library = make_library();
    Simulation simulation({.size = 64}, library, device());
    const SeaState seas[] = {{.wind_speed = 0},
                             {.wind_speed = 0.01},
                             {.wind_speed = 60, .choppiness = 3, .foam_strength = 20},
                             {.amplitude = 0},
                             {.amplitude = 4, .choppiness = 3},
                             {.choppiness = 0},
                             {.depth = 0.05, .swell = 1},
                             {.spectrum = SpectrumKind::phillips, .wind_speed = 60},
                             {.tile_length = 1, .loop_period = 1},
                             {.tile_length = 10'000, .loop_period = 3600}};
    for (const SeaState& sea : seas) {
        simulation.set_sea(sea);
        simulation.step(17, 0.02);
        const int levels = simulation.displacement().desc().levels;
        ASSERT_EQ(levels, 7);
        for (const int level : {0, 1, levels - 1}) {
            EXPECT_TRUE(all_finite(texels(simulation.displacement(), level)));
            EXPECT_TRUE(all_finite(texels(simulation.derivatives(), level)));
        }
    }
    simulation.set_sea({.amplitude = 0});
    simulation.step(1, 0);
    for (const float value : texels(simulation.derivatives())) EXPECT_EQ(value, 0);
    const auto flat = texels(simulation.displacement());
    for (std::size_t cell = 0; cell < flat.size() / 4; ++cell) EXPECT_EQ(flat[4 * cell + 3], 1);
}

TEST_F(OceanGl, FoamFadesAlikeAtAnyFrameRate) {
    auto library = make_library();
    SeaState foaming{.foam_amount = 20, .foam_strength = 20};
    SeaState quiet = foaming;
    quiet.foam_strength = 0;
    const auto mean_foam = [](const Simulation& simulation) {
        const auto map = texels(simulation.derivatives());
        double sum = 0;
        const std::size_t cells = map.size() / 4;
        for (std::size_t cell = 0; cell < cells; ++cell) sum += map[4 * cell + 2];
        return sum / static_cast<double>(cells);
    };
    for (const int rate : {30, 300}) {
        Simulation simulation({.sea = foaming, .size = 16}, library, device());
        simulation.step(0, 0);
        const double before = mean_foam(simulation);
        ASSERT_GT(before, 0.3);
        simulation.set_sea(quiet, FoamHistory::keep);
        for (int frame = 1; frame <= 2 * rate; ++frame) simulation.step(static_cast<double>(frame) / rate, 1.0 / rate);
        EXPECT_NEAR(mean_foam(simulation) / before / std::exp(-2 * quiet.foam_fade_rate), 1, 0.02) << rate;
        const double paused = mean_foam(simulation);
        for (int frame = 0; frame < 50; ++frame) simulation.step(2, 0);
        EXPECT_EQ(mean_foam(simulation), paused) << rate;
    }
}

TEST_F(OceanGl, TilesJoinWithoutASeam) {
    auto library = make_library();
    const int size = 64;
    Simulation simulation({.sea = {.tile_length = 64}, .size = size}, library, device());
    simulation.step(8, 0.1);
    EXPECT_EQ(simulation.displacement().desc().wrap, gl::Wrap::repeat);
    EXPECT_EQ(simulation.derivatives().desc().wrap, gl::Wrap::repeat);
    const auto map = texels(simulation.displacement());
    const auto jump = [&](int i, int other_i, int j, int other_j) {
        return std::abs(map[4 * cell_at(i, j, size) + 1] - map[4 * cell_at(other_i, other_j, size) + 1]);
    };
    float inside = 0;
    float edge = 0;
    for (int line = 0; line < size; ++line) {
        for (int index = 0; index + 1 < size; ++index)
            inside = std::max({inside, jump(index, index + 1, line, line), jump(line, line, index, index + 1)});
        edge = std::max({edge, jump(size - 1, 0, line, line), jump(line, line, size - 1, 0)});
    }
    EXPECT_GT(edge, 0);
    EXPECT_LE(edge, inside);
}

TEST_F(OceanGl, HundredStepsAtOneTimeAreEqual) {
    auto library = make_library();
    for (const fft::Storage storage : fft::all_storages) {
        Simulation simulation({.size = 64, .storage = storage}, library, device());
        simulation.step(4, 0);
        const auto displacement = texels(simulation.displacement());
        const auto derivatives = texels(simulation.derivatives());
        for (int frame = 0; frame < 100; ++frame) {
            simulation.step(4, 0);
            if (frame % 2 == 0) gl::finish();
            ASSERT_TRUE(same_bits(texels(simulation.displacement()), displacement)) << frame;
            ASSERT_TRUE(same_bits(texels(simulation.derivatives()), derivatives)) << frame;
        }
    }
}

TEST_F(OceanGl, AChangedSeaIsThatOfAFreshStartAndLeaksNothing) {
    auto library = make_library();
    const SeaState other{.spectrum = SpectrumKind::tma, .wind_speed = 16, .depth = 20, .choppiness = 1, .seed = 9};
    Simulation fresh({.sea = other, .size = 64}, library, device());
    fresh.step(50, 1.0 / 60);
    fresh.step(50 + 1.0 / 60, 1.0 / 60);
    Simulation changed({.size = 64}, library, device());
    for (int frame = 0; frame < 5; ++frame) changed.step(frame / 60.0, 1.0 / 60);
    const std::size_t objects = gl::live_objects();
    const std::size_t bytes = gl::live_bytes();
    changed.set_sea(other);
    changed.step(50, 1.0 / 60);
    changed.step(50 + 1.0 / 60, 1.0 / 60);
    EXPECT_EQ(gl::live_objects(), objects);
    EXPECT_EQ(gl::live_bytes(), bytes);
    EXPECT_TRUE(same_bits(texels(changed.displacement()), texels(fresh.displacement())));
    EXPECT_TRUE(same_bits(texels(changed.derivatives()), texels(fresh.derivatives())));
    EXPECT_EQ(changed.significant_height(), fresh.significant_height());
}

TEST_F(OceanGl, ReplacedSimulationsReturnTheirMemory) {
    auto library = make_library();
    const auto run = [&](int size, fft::Algorithm algorithm, fft::Packing packing) {
        Simulation simulation({.algorithm = algorithm, .size = size, .packing = packing}, library, device());
        simulation.step(1, 0);
    };
    const std::size_t objects = gl::live_objects(gl::ObjectKind::texture) + gl::live_objects(gl::ObjectKind::buffer);
    const std::size_t bytes = gl::live_bytes();
    for (const int size : {16, 64, 32})
        for (const fft::Algorithm algorithm : fft::glsl_algorithms)
            for (const fft::Packing packing : fft::all_packings) run(size, algorithm, packing);
    EXPECT_EQ(gl::live_objects(gl::ObjectKind::texture) + gl::live_objects(gl::ObjectKind::buffer), objects);
    EXPECT_EQ(gl::live_bytes(), bytes);
}

/// The largest difference of a level from the means of 2 x 2 texels of the level above.
float off_from_means(const gl::Texture& map, int level) {
    const auto texels_of_level = [&map](int wanted) {
        std::vector<float> texels(map.element_count(wanted));
        map.download(texels, wanted);
        return texels;
    };
    const std::vector<float> above = texels_of_level(level - 1), below = texels_of_level(level);
    const int size = map.width() >> (level - 1);
    float largest = 0;
    for (int row = 0; row < size / 2; ++row)
        for (int column = 0; column < size / 2; ++column)
            for (std::size_t component = 0; component < 4; ++component) {
                const auto at = [&](int right, int down) {
                    return above[4 * cell_at(2 * column + right, 2 * row + down, size) + component];
                };
                const float mean = (at(0, 0) + at(1, 0) + at(0, 1) + at(1, 1)) / 4;
                const float off = std::abs(below[4 * cell_at(column, row, size / 2) + component] - mean);
                largest = off <= largest ? largest : off; // a NaN stays
            }
    return largest;
}

TEST_F(OceanGl, MipsAreMeansOfTheMapsOfTheStep) {
    auto library = make_library();
    for (const int size : {32, 64, 256})
        for (const bool fused : {false, true}) {
            Simulation simulation({.algorithm = fft::Algorithm::tuned, .size = size, .fused = fused}, library,
                                  device());
            simulation.step(1, 0);
            simulation.step(2, 1); // whose levels replace those of the first
            for (const gl::Texture* map : {&simulation.displacement(), &simulation.derivatives()})
                for (int level = 1; level < map->desc().levels; ++level)
                    EXPECT_LT(off_from_means(*map, level), 1e-5F) << size << ' ' << fused << " level " << level;
            EXPECT_NEAR(texels(simulation.displacement(), simulation.displacement().desc().levels - 1)[1], 0, 1e-3);
        }
}

TEST_F(OceanGl, MipsAreLeftOutAndMadeLaterOnRequest) {
    auto library = make_library();
    const SimulationDesc desc{.size = 64};
    Simulation with(desc, library, device());
    SimulationDesc desc_without = desc;
    desc_without.mips = false;
    Simulation without(desc_without, library, device());
    gl::Texture map = gl::Texture::wrap(without.derivatives().name(), without.derivatives().desc());
    const auto poison = std::numeric_limits<float>::quiet_NaN();
    for (int level = 1; level < map.desc().levels; ++level) map.clear({poison, poison, poison, poison}, level);
    with.step(1, 0);
    without.step(1, 0);
    EXPECT_TRUE(same_bits(texels(with.derivatives()), texels(without.derivatives())));
    for (int level = 1; level < map.desc().levels; ++level)
        EXPECT_TRUE(std::isnan(texels(without.derivatives(), level)[0])) << level;
    without.make_mips();
    for (int level = 1; level < map.desc().levels; ++level)
        EXPECT_TRUE(same_bits(texels(with.derivatives(), level), texels(without.derivatives(), level))) << level;
}

TEST_F(OceanGl, ScopesAreThePassesOfAStep) {
    auto library = make_library();
    using Names = std::vector<std::string>;
    const auto scopes_of = [&](const SimulationDesc& desc) {
        Simulation simulation(desc, library, device());
        profiler::Profiler profiler(device());
        profiler.record(1);
        profiler.begin_frame();
        simulation.step(1, 0, &profiler);
        profiler.end_frame();
        profiler.drain();
        Names names;
        for (const profiler::ScopeNode& node : profiler.recording().nodes) names.push_back(node.name);
        return names;
    };
    EXPECT_EQ(scopes_of({.size = 64}), (Names{"evolve", "fft.horizontal", "fft.vertical", "assemble", "mips"}));
    EXPECT_EQ(scopes_of({.size = 64, .mips = false}), (Names{"evolve", "fft.horizontal", "fft.vertical", "assemble"}));
    EXPECT_EQ(scopes_of({.algorithm = fft::Algorithm::tuned, .size = 64, .fused = true}),
              (Names{"fft.horizontal", "fft.vertical", "mips"}));
}

TEST_F(OceanGl, RefusesWhatCannotRun) {
    auto library = make_library();
    EXPECT_THROW(Simulation({.size = 100}, library, device()), Error);
    EXPECT_THROW(Simulation({.sea = {.wind_speed = -1}, .size = 64}, library, device()), Error);
    Simulation simulation({.size = 16}, library, device());
    EXPECT_THROW(simulation.set_sea({.loop_period = 0}), Error);
    EXPECT_EQ(simulation.sea(), SeaState{});
}

} // namespace
} // namespace spindrift::ocean
