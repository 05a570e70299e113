// Every algorithm x packing x storage x direction x size against the double-precision reference.
#include "tests/gl/fft_fixture.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <utility>

namespace spindrift {
namespace {

using fft::Algorithm;
using fft::Direction;
using fft::Packing;
using fft::Storage;
using fft::TransformDesc;
using fft::reference::Complex;

struct Variant {
    Algorithm algorithm;
    Packing packing;
    Storage storage;
};

std::vector<Variant> all_variants() {
    std::vector<Variant> variants;
    for (const Algorithm algorithm : fft::glsl_algorithms)
        for (const Packing packing : fft::all_packings)
            for (const Storage storage : fft::all_storages) variants.push_back({algorithm, packing, storage});
    return variants;
}

std::string variant_name(const ::testing::TestParamInfo<Variant>& info) {
    const auto& [algorithm, packing, storage] = info.param;
    std::string name = fmt::format("{}_{}_{}", to_string(algorithm), to_string(packing), to_string(storage));
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

/// All algorithms on all storages get the same random input, so that the slow reference is computed once.
class FftAccuracy : public test::FftTest, public ::testing::WithParamInterface<std::tuple<Packing, Direction>> {};

INSTANTIATE_TEST_SUITE_P(All, FftAccuracy,
                         ::testing::Combine(::testing::ValuesIn(fft::all_packings),
                                            ::testing::ValuesIn(fft::all_directions)),
                         [](const auto& parameter) {
                             return fmt::format("{}_{}", to_string(std::get<0>(parameter.param)),
                                                to_string(std::get<1>(parameter.param)));
                         });

/// Several layers are tested where they are cheap; 3 is odd and shares no factor with the packing.
int tested_layers(int size) {
    if (size <= 64) return 3;
    return size <= 256 ? 2 : 1;
}

TEST_P(FftAccuracy, RandomInputMeetsTheGateAtEverySize) {
    const auto& [packing, direction] = GetParam();
    for (const int size : test::tested_sizes()) {
        TransformDesc desc{.size = size, .direction = direction, .packing = packing, .layers = tested_layers(size)};
        const std::vector<float> input = test::random_texels(desc, 11U + static_cast<unsigned>(size));
        const auto expected = fft::reference::transform_batch(input, desc);
        for (const Algorithm algorithm : fft::glsl_algorithms)
            for (const Storage storage : fft::all_storages) {
                desc.algorithm = algorithm;
                desc.storage = storage;
                fft::Plan plan(desc, library(), device().limits);
                poison_scratch(plan);
                const auto norms = fft::reference::batch_error_norms(execute(plan, input), desc, expected);
                EXPECT_LT(norms.relative_l2, test::fp32_gate) << test::describe(desc);
                EXPECT_GT(norms.relative_l2, 0.0)
                    << "no float transform is exact: was it executed? " << test::describe(desc);
            }
    }
}

class FftVariant : public test::FftTest, public ::testing::WithParamInterface<Variant> {
protected:
    static TransformDesc desc_of(Direction direction, int size, int layers) {
        const Variant& variant = GetParam();
        return {.size = size,
                .direction = direction,
                .algorithm = variant.algorithm,
                .packing = variant.packing,
                .layers = layers,
                .storage = variant.storage};
    }
};

INSTANTIATE_TEST_SUITE_P(All, FftVariant, ::testing::ValuesIn(all_variants()), variant_name);

TEST_P(FftVariant, ImpulsesNextToTheOriginBecomeOneWaveAlongTheirAxis) {
    for (const Direction direction : fft::all_directions) {
        const int size = 32;
        const TransformDesc desc = desc_of(direction, size, 2);
        fft::Plan plan(desc, library(), device().limits);
        const double sign = desc.direction == Direction::forward ? -1.0 : 1.0;
        for (const bool along_x : {true, false}) {
            // A different height in every field, so that no field can be mistaken for another.
            std::vector<float> input(fft::float_count(desc));
            for (int layer = 0; layer < desc.layers; ++layer)
                for (int lane = 0; lane < fft::complex_per_texel(desc.packing); ++lane) {
                    std::vector<Complex> impulse(static_cast<std::size_t>(size) * size);
                    impulse[along_x ? 1 : size] = 1.0 + layer * 2 + lane;
                    fft::reference::insert_field(input, desc, layer, lane, impulse);
                }
            poison_scratch(plan);
            const std::vector<float> output = execute(plan, input);
            for (int layer = 0; layer < desc.layers; ++layer)
                for (int lane = 0; lane < fft::complex_per_texel(desc.packing); ++lane) {
                    const auto field = fft::reference::extract_field(output, desc, layer, lane);
                    double worst = 0;
                    for (int row = 0; row < size; ++row)
                        for (int column = 0; column < size; ++column) {
                            const double turns = static_cast<double>(along_x ? column : row) / size;
                            const Complex expected =
                                std::polar(1.0 + layer * 2 + lane, sign * 2.0 * std::numbers::pi * turns);
                            worst = std::max(worst,
                                             std::abs(field[static_cast<std::size_t>(row) * size + column] - expected));
                        }
                    EXPECT_LT(worst, 2e-6) << test::describe(desc) << " along_x " << along_x << " layer " << layer;
                }
        }
    }
}

TEST_P(FftVariant, IsLinear) {
    for (const Direction direction : fft::all_directions) {
        const TransformDesc desc = desc_of(direction, 32, 2);
        fft::Plan plan(desc, library(), device().limits);
        const std::vector<float> first = test::random_texels(desc, 1);
        const std::vector<float> second = test::random_texels(desc, 2);
        std::vector<float> combined(first.size());
        for (std::size_t index = 0; index < combined.size(); ++index)
            combined[index] = 2.0F * first[index] - 0.5F * second[index];
        const std::vector<float> first_out = execute(plan, first);
        const std::vector<float> second_out = execute(plan, second);
        const std::vector<float> combined_out = execute(plan, combined);
        double squared_error = 0;
        double squared = 0;
        for (std::size_t index = 0; index < combined.size(); ++index) {
            const double expected = 2.0 * first_out[index] - 0.5 * second_out[index];
            squared_error += (combined_out[index] - expected) * (combined_out[index] - expected);
            squared += expected * expected;
        }
        EXPECT_LT(std::sqrt(squared_error / squared), 2 * test::fp32_gate) << test::describe(desc);
    }
}

TEST_P(FftVariant, ShiftingTheInputTurnsThePhase) {
    for (const Direction direction : fft::all_directions) {
        const int size = 32;
        const int shift_x = 5;
        const int shift_y = 11;
        const TransformDesc desc = desc_of(direction, size, 1);
        fft::Plan plan(desc, library(), device().limits);
        const std::vector<float> input = test::random_texels(desc, 3);
        std::vector<float> shifted(input.size());
        const std::size_t floats = input.size() / (static_cast<std::size_t>(size) * size);
        for (int row = 0; row < size; ++row)
            for (int column = 0; column < size; ++column) {
                const std::size_t from = (static_cast<std::size_t>(row) * size + column) * floats;
                const std::size_t to =
                    (static_cast<std::size_t>((row + shift_y) % size) * size + (column + shift_x) % size) * floats;
                std::copy_n(input.begin() + static_cast<std::ptrdiff_t>(from), floats,
                            shifted.begin() + static_cast<std::ptrdiff_t>(to));
            }
        const std::vector<float> plain_out = execute(plan, input);
        const std::vector<float> shifted_out = execute(plan, shifted);
        const double sign = desc.direction == Direction::forward ? -1.0 : 1.0;
        for (int lane = 0; lane < fft::complex_per_texel(desc.packing); ++lane) {
            auto expected = fft::reference::extract_field(plain_out, desc, 0, lane);
            for (int row = 0; row < size; ++row)
                for (int column = 0; column < size; ++column)
                    expected[static_cast<std::size_t>(row) * size + column] *=
                        std::polar(1.0, sign * 2.0 * std::numbers::pi * (shift_x * column + shift_y * row) / size);
            const auto actual = fft::reference::extract_field(shifted_out, desc, 0, lane);
            EXPECT_LT(fft::reference::error_norms(actual, expected).relative_l2, 2 * test::fp32_gate)
                << test::describe(desc);
        }
    }
}

TEST_P(FftVariant, ScaledThereAndBackIsTheInput) {
    for (const Direction direction : fft::all_directions) {
        for (const int size : {16, 32}) { // even and odd numbers of stages
            TransformDesc there = desc_of(direction, size, 2);
            TransformDesc back = there;
            back.direction = there.direction == Direction::forward ? Direction::inverse : Direction::forward;
            back.scaling = fft::Scaling::by_n2;
            fft::Plan there_plan(there, library(), device().limits);
            fft::Plan back_plan(back, library(), device().limits);
            const std::vector<float> input = test::random_texels(there, 4);
            const std::vector<float> output = execute(back_plan, execute(there_plan, input));
            std::vector<std::vector<Complex>> expected;
            for (int layer = 0; layer < there.layers; ++layer)
                for (int lane = 0; lane < fft::complex_per_texel(there.packing); ++lane)
                    expected.push_back(fft::reference::extract_field(input, there, layer, lane));
            EXPECT_LT(fft::reference::batch_error_norms(output, back, expected).relative_l2, 2 * test::fp32_gate)
                << test::describe(back);
        }
    }
}

TEST_P(FftVariant, SameBitsInAHundredRepetitionsWhateverTheScratchHolds) {
    for (const Direction direction : fft::all_directions) {
        for (const int size : test::repeated_sizes()) {
            const TransformDesc desc = desc_of(direction, size, 3);
            fft::Plan plan(desc, library(), device().limits);
            const std::vector<float> input = test::random_texels(desc, 5);
            plan.fill_scratch(0.0F);
            const std::vector<float> first = execute(plan, input);
            const float contents[] = {std::numeric_limits<float>::quiet_NaN(), -1e30F, 0.25F};
            for (int repetition = 0; repetition < 100; ++repetition) {
                plan.fill_scratch(contents[repetition % 3]);
                const std::vector<float> again = execute(plan, input);
                ASSERT_EQ(std::memcmp(again.data(), first.data(), first.size() * sizeof(float)), 0)
                    << test::describe(desc) << " repetition " << repetition;
            }
        }
    }
}

TEST_P(FftVariant, ManyLayersStayApart) {
    for (const Direction direction : fft::all_directions) {
        for (const int layers : {1, 7}) {
            const TransformDesc desc = desc_of(direction, 16, layers);
            EXPECT_LT(measure(desc, test::random_texels(desc, 6)).relative_l2, test::fp32_gate) << test::describe(desc);
        }
    }
}

TEST_P(FftVariant, AxesAndPassesOneByOneAreTheWholeTransform) {
    for (const Direction direction : fft::all_directions) {
        for (const int size : {16, 32}) {
            const TransformDesc desc = desc_of(direction, size, 2);
            fft::Plan plan(desc, library(), device().limits);
            const std::vector<float> input = test::random_texels(desc, 7);
            const std::vector<float> whole = execute(plan, input);
            const auto run_by_parts = [&](auto& data, auto download) {
                plan.execute_axis(fft::Axis::horizontal, data);
                plan.execute_axis(fft::Axis::vertical, data);
                EXPECT_EQ(download(data), whole) << test::describe(desc);
                const std::vector<float> twice = execute(plan, whole);
                for (std::size_t pass = 0; pass < plan.passes().size(); ++pass) plan.execute_pass(pass, data);
                EXPECT_EQ(download(data), twice) << test::describe(desc);
            };
            if (desc.storage == Storage::image) {
                gl::Texture data(fft::data_texture_desc(desc), "fft test data");
                data.upload(input);
                run_by_parts(data, [&](const gl::Texture& texture) {
                    std::vector<float> texels(input.size());
                    texture.download(texels);
                    return texels;
                });
            } else {
                gl::Buffer data = gl::Buffer::from(std::span<const float>(input), "fft test data");
                run_by_parts(data, [&](const gl::Buffer& buffer) {
                    std::vector<float> texels(input.size());
                    buffer.download(std::as_writable_bytes(std::span(texels)));
                    return texels;
                });
            }
        }
    }
}

TEST_P(FftVariant, ExplicitButterfliesPerInvocationMeetTheGate) {
    for (const Direction direction : fft::all_directions) {
        // These take 1, or no choice at all; the unit tests say so.
        if (GetParam().algorithm == Algorithm::cooley_tukey_stages || GetParam().algorithm == Algorithm::tuned)
            continue;
        for (const int butterflies : {1, 2, 4}) {
            TransformDesc desc = desc_of(direction, 32, 2);
            desc.butterflies_per_invocation = butterflies;
            EXPECT_LT(measure(desc, test::random_texels(desc, 8)).relative_l2, test::fp32_gate) << test::describe(desc);
        }
    }
}

TEST_P(FftVariant, PlannedForASmallDeviceItMeetsTheGate) {
    for (const Direction direction : fft::all_directions) {
        gl::DeviceLimits limits = device().limits;
        limits.max_group_invocations = 64;
        limits.max_group_size = {64, 64, 1};
        const TransformDesc desc = desc_of(direction, 256, 1);
        fft::Plan plan(desc, library(), limits);
        poison_scratch(plan);
        const std::vector<float> input = test::random_texels(desc, 9);
        const std::vector<float> output = execute(plan, input);
        const auto norms =
            fft::reference::batch_error_norms(output, desc, fft::reference::transform_batch(input, desc));
        EXPECT_LT(norms.relative_l2, test::fp32_gate) << test::describe(desc);
    }
}

class FftPlan : public test::FftTest {};

TEST_F(FftPlan, RefusesDataThatIsNotWhatTheDescriptionSays) {
    fft::Plan plan({.size = 32, .packing = Packing::vec4, .layers = 2}, library(), device().limits);
    const auto expect_refusal = [&plan](gl::TextureDesc desc, const char* part) {
        gl::Texture data(desc, "wrong");
        try {
            plan.execute(data);
            ADD_FAILURE() << "accepted; should complain about " << part;
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
        }
    };
    gl::TextureDesc right = fft::data_texture_desc(plan.desc());
    gl::TextureDesc wrong = right;
    wrong.format = gl::PixelFormat::rg32f;
    expect_refusal(wrong, "rg32f");
    wrong = right;
    wrong.width = 64;
    expect_refusal(wrong, "64 x 32 x 2");
    wrong = right;
    wrong.layers = 1;
    expect_refusal(wrong, "32 x 32 x 1");
    wrong = right;
    wrong.target = gl::TextureTarget::texture_2d;
    wrong.layers = 1;
    expect_refusal(wrong, "2D array");
    gl::Buffer buffer(1 << 20, gl::BufferUsage::gpu_only, "wrong");
    EXPECT_THROW(plan.execute(buffer), Error);

    fft::Plan buffer_plan({.size = 32, .layers = 2, .storage = Storage::buffer}, library(), device().limits);
    gl::Buffer small(std::size_t{32} * 32 * 16, gl::BufferUsage::gpu_only, "small");
    EXPECT_THROW(buffer_plan.execute(small), Error);
    EXPECT_THROW(fft::Plan({.size = 500}, library(), device().limits), Error);
}

TEST_F(FftPlan, FactsDescribeTheKernel) {
    const fft::Plan stages({.size = 128, .algorithm = Algorithm::cooley_tukey_stages}, library(), device().limits);
    EXPECT_EQ(stages.facts().dispatches_per_transform, 14);
    EXPECT_EQ(stages.facts().barriers_per_dispatch, 0);
    EXPECT_EQ(stages.passes().size(), 14U);
    EXPECT_EQ(stages.passes()[9].name, "vertical.2");
    const fft::Plan radix4({.size = 128, .algorithm = Algorithm::stockham_radix4}, library(), device().limits);
    EXPECT_EQ(radix4.facts().dispatches_per_transform, 2);
    EXPECT_EQ(radix4.facts().barriers_per_dispatch, 3);
    EXPECT_EQ(radix4.facts().shared_memory_bytes, 0);
    EXPECT_EQ(radix4.facts().scratch_bytes, 128U * 128U * 16U);
    EXPECT_EQ(radix4.passes()[1].name, "vertical");
}

TEST_F(FftPlan, PlansComeAndGoWithoutALeakAndShareTheirPrograms) {
    const TransformDesc desc{.size = 64, .algorithm = Algorithm::stockham_radix4, .layers = 2};
    { const fft::Plan warm_up(desc, library(), device().limits); }
    const std::size_t objects = gl::live_objects();
    const std::size_t bytes = gl::live_bytes();
    const std::uint64_t compiled = library().compile_count();
    for (int repetition = 0; repetition < 50; ++repetition) {
        fft::Plan plan(desc, library(), device().limits);
        fft::Plan moved = std::move(plan);
        execute(moved, test::random_texels(desc, 1));
    }
    EXPECT_EQ(gl::live_objects(), objects);
    EXPECT_EQ(gl::live_bytes(), bytes);
    EXPECT_EQ(library().compile_count(), compiled);
}

TEST_F(FftPlan, OneProgramServesAllSizesOfTheStagesAlgorithm) {
    gl::ProgramLibrary own = make_library();
    for (const int size : {16, 64, 256})
        const fft::Plan plan({.size = size, .algorithm = Algorithm::cooley_tukey_stages}, own, device().limits);
    EXPECT_EQ(own.program_count(), 2U); // horizontal and vertical
}

} // namespace
} // namespace spindrift
