// Parameters, limits, tables and schedules of the tuned kernels: no context is needed.
#include "fft/planner.h"
#include "fft/tuned.h"

#include <complex>
#include <cstring>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <numbers>
#include <set>

namespace spindrift {
namespace {

using fft::Algorithm;
using fft::KernelParameters;
using fft::Packing;
using fft::Placement;
using fft::Precision;
using fft::Storage;
using fft::TransformDesc;

KernelParameters kernel_of(std::initializer_list<std::uint8_t> radices, std::uint8_t points) {
    KernelParameters kernel;
    std::copy(radices.begin(), radices.end(), kernel.radices.begin());
    kernel.points = points;
    return kernel;
}

void expect_refusal(const KernelParameters& kernel, const char* part, const gl::DeviceLimits& limits = {}) {
    const auto reason = fft::why_no_kernel(kernel, limits);
    ASSERT_TRUE(reason.has_value()) << kernel.to_string() << " should be refused for " << part;
    EXPECT_NE(reason->find(part), std::string::npos) << *reason;
}

std::string define_of(const gl::ProgramRecipe& recipe, const std::string& name) {
    for (const auto& [key, value] : recipe.defines)
        if (key == name) return value.empty() ? "defined" : value;
    return "not defined";
}

TEST(FftTunedKernel, CountsWhatItNeeds) {
    KernelParameters kernel = kernel_of({8, 8, 8}, 8);
    EXPECT_EQ(kernel.size(), 512);
    EXPECT_EQ(kernel.stages(), 3);
    EXPECT_EQ(kernel.invocations(), 64);
    EXPECT_EQ(kernel.shared_memory_bytes(), 512U * 16U);
    EXPECT_EQ(kernel.barriers(), 3); // write | read || write | read
    kernel.exchange_buffers = 2;
    EXPECT_EQ(kernel.barriers(), 2);
    EXPECT_EQ(kernel.shared_memory_bytes(), 2 * 512U * 16U);
    kernel.exchange_components = 1;
    kernel.padded = 1;
    EXPECT_EQ(kernel.barriers(), 8);
    // The first exchange leaves one element free after 32, the second one 8 after 64.
    EXPECT_EQ(kernel.shared_memory_bytes(), 2 * (512U + 64U) * 4U);
    kernel.lines = 4;
    kernel.lanes = 2;
    EXPECT_EQ(kernel.invocations(), 512);
    EXPECT_EQ(kernel.shared_memory_bytes(), 2 * 8 * (512U + 64U) * 4U);
    kernel.layer_lanes = 2;
    EXPECT_EQ(kernel.invocations(), 1024);
    EXPECT_EQ(kernel.group_layers(), 2);
    EXPECT_EQ(kernel.shared_memory_bytes(), 2 * 16 * (512U + 64U) * 4U);
    kernel.turns = 4;
    EXPECT_EQ(kernel.invocations(), 1024);
    EXPECT_EQ(fft::tuned_work_groups(kernel, 4), (std::array{32, 1, 2}));
    EXPECT_EQ(kernel_of({16}, 16).shared_memory_bytes(), 0U);
    EXPECT_EQ(kernel_of({16}, 16).barriers(), 0);
}

TEST(FftTunedKernel, RefusesWhatMakesNoKernel) {
    EXPECT_EQ(fft::why_no_kernel(kernel_of({4, 4, 4, 2}, 4), {}), std::nullopt);
    expect_refusal(kernel_of({4, 3, 4}, 4), "3 is none of 2, 4, 8, 16");
    expect_refusal(kernel_of({4, 0, 4, 4}, 4), "after the last");
    expect_refusal(kernel_of({8, 8}, 4), "points is 4; a stage of radix 8");
    expect_refusal(kernel_of({2, 4}, 4), "their product is 8");
    expect_refusal(kernel_of({16, 16, 16, 2}, 16), "their product is 8192");
    expect_refusal(kernel_of({4, 4}, 32), "points is 32");
    KernelParameters two_pairs = kernel_of({2, 2, 2, 2}, 16);
    two_pairs.lines = 8;
    two_pairs.turns = 2;
    EXPECT_EQ(fft::why_no_kernel(two_pairs, {}), std::nullopt);
    two_pairs.turns = 3;
    expect_refusal(two_pairs, "turns is 3 with 8 lines");
    two_pairs.turns = 4;
    expect_refusal(two_pairs, "turns is 4 with 8 lines");
    two_pairs.turns = 1;
    two_pairs.layer_lanes = 3;
    expect_refusal(two_pairs, "layer_lanes is 3");
    KernelParameters kernel = kernel_of({4, 4, 4}, 4);
    kernel.lines = 3;
    expect_refusal(kernel, "lines is 3");
    kernel.lines = 128;
    expect_refusal(kernel, "lines is 128");
    kernel = kernel_of({4, 4, 4}, 4);
    kernel.layers = 4;
    expect_refusal(kernel, "layers is 4; with packing vec4");
    kernel.packing = Packing::vec2;
    kernel.exchange_components = 2;
    EXPECT_EQ(fft::why_no_kernel(kernel, {}), std::nullopt);
    kernel.lanes = 2;
    expect_refusal(kernel, "one complex number only");
    kernel.exchange_components = 4;
    kernel.lanes = 1;
    expect_refusal(kernel, "exchange_components is 4; it must be 1, 2 or 4, and at most 2");
    kernel = kernel_of({4, 4, 4}, 4);
    kernel.lanes = 2;
    kernel.exchange_components = 2;
    kernel.target.storage = Storage::image;
    expect_refusal(kernel, "image's texel");
    kernel = kernel_of({4, 4, 4}, 4);
    kernel.exchange_buffers = 3;
    expect_refusal(kernel, "exchange_buffers is 3");
    kernel.exchange_buffers = 1;
    kernel.padded = 2;
    expect_refusal(kernel, "padded is 2; it must be 0 or 1");
    kernel.padded = 0;
    kernel.slot_offsets = 2;
    expect_refusal(kernel, "slot_offsets is 2");
    kernel.slot_offsets = 1;
    kernel.early_twiddles = 2;
    expect_refusal(kernel, "early_twiddles is 2");
    kernel.early_twiddles = 0;
    kernel.placement = Placement::in_place;
    kernel.target.precision = Precision::fp16;
    expect_refusal(kernel, "source and target are different");
}

TEST(FftTunedKernel, RespectsInventedLimits) {
    gl::DeviceLimits limits;
    limits.max_group_invocations = 64;
    EXPECT_EQ(fft::why_no_kernel(kernel_of({8, 8, 8}, 8), limits), std::nullopt);
    expect_refusal(kernel_of({4, 4, 4, 8}, 8), "0", [] {
        gl::DeviceLimits none;
        none.max_group_invocations = 0;
        return none;
    }());
    KernelParameters kernel = kernel_of({4, 4, 4, 4, 2}, 4);
    expect_refusal(kernel, "128 invocations; this device's limit is 64", limits);
    limits.max_group_invocations = 1024;
    limits.max_group_size[0] = 100;
    expect_refusal(kernel, "128 invocations; this device's limit is 100", limits);
    limits = {};
    limits.max_shared_memory_bytes = 8191;
    expect_refusal(kernel, "8192 bytes of shared memory; this device's limit is 8191", limits);
    kernel.exchange_components = 2;
    EXPECT_EQ(fft::why_no_kernel(kernel, limits), std::nullopt);
}

TEST(FftTunedKernel, EqualParametersHaveEqualHashesAndTexts) {
    const KernelParameters one = kernel_of({8, 8, 8}, 8);
    KernelParameters two = kernel_of({8, 8, 8}, 8);
    EXPECT_EQ(one, two);
    EXPECT_EQ(one.hash(), two.hash());
    std::set<std::size_t> hashes{one.hash()};
    std::set<std::string> keys{fft::tuned_recipe(one).key()};
    const auto expect_new = [&](const KernelParameters& kernel) {
        EXPECT_NE(kernel, one);
        EXPECT_TRUE(hashes.insert(kernel.hash()).second) << kernel.to_string();
        EXPECT_TRUE(keys.insert(fft::tuned_recipe(kernel).key()).second) << kernel.to_string();
    };
    // A change of any field is another kernel.
    expect_new(kernel_of({8, 4, 8, 2}, 8));
    const auto changed = [&one](auto change) {
        KernelParameters kernel = one;
        change(kernel);
        return kernel;
    };
    expect_new(changed([](auto& kernel) { kernel.axis = fft::Axis::vertical; }));
    expect_new(changed([](auto& kernel) { kernel.direction = fft::Direction::forward; }));
    expect_new(changed([](auto& kernel) { kernel.packing = Packing::vec2, kernel.exchange_components = 2; }));
    expect_new(changed([](auto& kernel) { kernel.points = 16; }));
    expect_new(changed([](auto& kernel) { kernel.lines = 2; }));
    expect_new(changed([](auto& kernel) { kernel.layers = 2; }));
    expect_new(changed([](auto& kernel) { kernel.lanes = 2, kernel.exchange_components = 2; }));
    expect_new(changed([](auto& kernel) { kernel.exchange_components = 1; }));
    expect_new(changed([](auto& kernel) { kernel.exchange_buffers = 2; }));
    expect_new(changed([](auto& kernel) { kernel.padded = 1; }));
    expect_new(changed([](auto& kernel) { kernel.twiddles = fft::Twiddles::products; }));
    expect_new(changed([](auto& kernel) { kernel.early_twiddles = 1; }));
    expect_new(changed([](auto& kernel) { kernel.slot_offsets = 0; }));
    expect_new(changed([](auto& kernel) { kernel.layer_lanes = 2; }));
    expect_new(changed([](auto& kernel) { kernel.turns = 2; }));
    expect_new(changed([](auto& kernel) { kernel.placement = Placement::in_place; }));
    expect_new(changed([](auto& kernel) { kernel.source.storage = Storage::image; }));
    expect_new(changed([](auto& kernel) { kernel.source.precision = Precision::fp16; }));
    expect_new(changed([](auto& kernel) { kernel.target.storage = Storage::image; }));
    expect_new(changed([](auto& kernel) { kernel.target.precision = Precision::fp16; }));
}

TEST(FftTunedKernel, TheScheduleNamesStridesTablesAndExchanges) {
    EXPECT_EQ(define_of(fft::tuned_recipe(kernel_of({8, 4, 2}, 8)), "SCHEDULE"),
              "FIRST_8 EXCHANGE_8(1, 0) TWIDDLES_4(8, 0) STAGE_4 EXCHANGE_4(8, 1) TWIDDLES_2(32, 24) STAGE_2");
    EXPECT_EQ(define_of(fft::tuned_recipe(kernel_of({16}, 16)), "SCHEDULE"), "FIRST_16");
    EXPECT_EQ(define_of(fft::tuned_recipe(kernel_of({16}, 16)), "RESULT_SCALE"), "not defined");
    EXPECT_EQ(define_of(fft::tuned_recipe(kernel_of({16}, 16), "0.25"), "RESULT_SCALE"), "0.25");
}

TEST(FftTunedKernel, TwiddlesAreWhatTheFormulaSays) {
    for (const auto direction : fft::all_directions) {
        KernelParameters kernel = kernel_of({8, 4, 16}, 16);
        kernel.direction = direction;
        const std::vector<float> table = fft::tuned_twiddle_table(kernel);
        ASSERT_EQ(table.size(), 2U * (3 * 8 + 15 * 32));
        const double sign = direction == fft::Direction::forward ? -1 : 1;
        std::size_t place = 0;
        for (const auto& [radix, stride] : {std::pair(4, 8), std::pair(16, 32)})
            for (int q = 1; q < radix; ++q)
                for (int k = 0; k < stride; ++k, place += 2) {
                    const auto expected = std::polar(1.0, sign * 2 * std::numbers::pi * q * k / (radix * stride));
                    EXPECT_NEAR(table[place], expected.real(), 6e-8);
                    EXPECT_NEAR(table[place + 1], expected.imag(), 6e-8);
                }
    }
    EXPECT_EQ(fft::tuned_twiddle_table(kernel_of({16}, 16)), (std::vector<float>{1, 0}));
}

TEST(FftTunedSchedule, TheDefaultFitsEveryTransformAndDevice) {
    gl::DeviceLimits small;
    small.max_group_invocations = 128;
    small.max_group_size = {128, 128, 64};
    small.max_shared_memory_bytes = 16384;
    for (const gl::DeviceLimits& limits : {gl::DeviceLimits{}, small})
        for (int size = fft::min_size; size <= fft::largest_size; size *= 2)
            for (const Packing packing : fft::all_packings)
                for (const Storage storage : fft::all_storages)
                    for (const Precision precision : fft::all_precisions) {
                        const TransformDesc desc{.size = size,
                                                 .algorithm = Algorithm::tuned,
                                                 .packing = packing,
                                                 .layers = 3,
                                                 .storage = storage,
                                                 .intermediate = precision};
                        const auto schedule = fft::default_schedule(desc, limits);
                        if (size == 4096 && limits.max_group_invocations == 128) {
                            EXPECT_FALSE(schedule.has_value()); // 16 points each: 256 invocations
                            continue;
                        }
                        ASSERT_TRUE(schedule.has_value()) << size;
                        EXPECT_EQ(fft::why_no_schedule(*schedule, desc, limits), std::nullopt) << schedule->to_string();
                        EXPECT_EQ(schedule->scratch_bytes(desc),
                                  schedule->intermediate() == fft::Intermediate::in_place ? 0
                                  : precision == Precision::fp16                          ? fft::byte_count(desc) / 2
                                                                                          : fft::byte_count(desc));
                    }
}

TEST(FftTunedSchedule, RefusalsNameTheLimit) {
    gl::DeviceLimits limits;
    limits.max_group_invocations = 32;
    const auto reason = fft::why_unavailable({.size = 1024, .algorithm = Algorithm::tuned}, limits);
    ASSERT_TRUE(reason.has_value());
    EXPECT_NE(reason->find("64 invocations"), std::string::npos) << *reason;
    EXPECT_NE(reason->find("limits are 32"), std::string::npos) << *reason;
    EXPECT_EQ(fft::why_unavailable({.size = 4096, .algorithm = Algorithm::tuned}, {}), std::nullopt);
    const auto butterflies = fft::why_unavailable({.algorithm = Algorithm::tuned, .butterflies_per_invocation = 2}, {});
    ASSERT_TRUE(butterflies.has_value());
    EXPECT_NE(butterflies->find("butterflies_per_invocation is 2"), std::string::npos);
    const auto half = fft::why_unavailable({.intermediate = Precision::fp16}, {});
    ASSERT_TRUE(half.has_value());
    EXPECT_NE(half->find("fp16"), std::string::npos);
}

} // namespace
} // namespace spindrift
