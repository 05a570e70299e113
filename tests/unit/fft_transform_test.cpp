// Descriptions, names, availability and the planner, with invented device limits.
#include "engine/error.h"
#include "fft/planner.h"
#include "fft/registry.h"
#include "fft/transform.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <numeric>

namespace spindrift {
namespace {

using fft::Algorithm;
using fft::TransformDesc;

/// The smallest device that OpenGL ES would allow; desktop OpenGL 4.5 guarantees 1024 invocations.
gl::DeviceLimits small_device() {
    gl::DeviceLimits limits;
    limits.max_group_invocations = 128;
    limits.max_group_size = {128, 128, 64};
    limits.max_shared_memory_bytes = 32768;
    return limits;
}

void expect_reason(const TransformDesc& desc, const gl::DeviceLimits& limits,
                   std::initializer_list<const char*> parts) {
    const auto reason = fft::why_unavailable(desc, limits);
    ASSERT_TRUE(reason.has_value());
    for (const char* part : parts) EXPECT_NE(reason->find(part), std::string::npos) << *reason << "\nlacks " << part;
    EXPECT_THROW(fft::plan_launch(desc, limits), Error);
}

TEST(FftNames, RoundTripAndUnknown) {
    for (const Algorithm algorithm : fft::all_algorithms)
        EXPECT_EQ(fft::parse_algorithm(fft::to_string(algorithm)), algorithm);
    for (const fft::Packing packing : fft::all_packings)
        EXPECT_EQ(fft::parse_packing(fft::to_string(packing)), packing);
    for (const fft::Storage storage : fft::all_storages)
        EXPECT_EQ(fft::parse_storage(fft::to_string(storage)), storage);
    for (const fft::Direction direction : fft::all_directions)
        EXPECT_EQ(fft::parse_direction(fft::to_string(direction)), direction);
    EXPECT_EQ(fft::parse_scaling("by_n2"), fft::Scaling::by_n2);
    EXPECT_EQ(fft::to_string(Algorithm::stockham_radix4), "stockham-radix4");
    for (const char* unknown : {"", "stockham", "Stockham-Radix4", "stockham-radix4 "}) {
        EXPECT_FALSE(fft::parse_algorithm(unknown).has_value()) << unknown;
        EXPECT_FALSE(fft::parse_packing(unknown).has_value()) << unknown;
    }
}

TEST(FftRegistry, DescribesEveryAlgorithmOnce) {
    ASSERT_EQ(fft::algorithms().size(), fft::all_algorithms.size());
    for (const Algorithm algorithm : fft::all_algorithms) {
        const fft::AlgorithmInfo& info = fft::algorithm_info(algorithm);
        EXPECT_EQ(info.algorithm, algorithm);
        EXPECT_EQ(info.name, fft::to_string(algorithm));
        EXPECT_EQ(info.description.back(), '.');
        EXPECT_FALSE(info.section.empty());
    }
    EXPECT_TRUE(fft::algorithm_names().starts_with("cooley-tukey-stages, cooley-tukey, stockham-radix2, "));
}

TEST(FftDescription, SizesThatAreNoPowerOfTwoOrOutOfRangeAreNamed) {
    for (const int size : {-256, 0, 1, 8, 15, 17, 100, 500, 2047, 4096, 1 << 30})
        expect_reason({.size = size}, {}, {fmt::format("size is {}", size).c_str(), "16", "2048"});
    for (int size = 16; size <= 2048; size *= 2)
        for (const Algorithm algorithm : fft::glsl_algorithms)
            EXPECT_EQ(fft::why_unavailable({.size = size, .algorithm = algorithm}, {}), std::nullopt);
}

TEST(FftDescription, LayersAndStorageLimitsAreNamed) {
    expect_reason({.layers = 0}, {}, {"layers is 0", "at least 1"});
    expect_reason({.layers = -3}, {}, {"layers is -3"});
    gl::DeviceLimits limits;
    limits.max_array_layers = 256;
    expect_reason({.size = 16, .layers = 257}, limits, {"layers is 257", "256"});
    EXPECT_EQ(fft::why_unavailable({.size = 16, .layers = 256}, limits), std::nullopt);
    limits.max_texture_size = 512;
    expect_reason({.size = 1024}, limits, {"size is 1024", "512"});
    // 2048 x 2048 x 16 bytes = 64 MiB a layer; storage blocks are only guaranteed to reach 128 MiB.
    EXPECT_EQ(fft::why_unavailable({.size = 2048, .layers = 2, .storage = fft::Storage::buffer}, {}), std::nullopt);
    expect_reason({.size = 2048, .layers = 3, .storage = fft::Storage::buffer}, {}, {"201326592", "134217728"});
    limits = {};
    limits.max_group_count = {1000, 1000, 4};
    expect_reason({.size = 1024}, limits, {"size is 1024", "1000"});
    expect_reason({.size = 16, .layers = 5}, limits, {"layers is 5", "4"});
}

TEST(FftPlanner, OneButterflyPerInvocationWhereTheLimitsAllowIt) {
    for (int size = 16; size <= 2048; size *= 2) {
        const auto radix2 = fft::plan_launch({.size = size, .algorithm = Algorithm::stockham_radix2}, {});
        EXPECT_EQ(radix2.butterflies_per_invocation, 1);
        EXPECT_EQ(radix2.work_group, (std::array<int, 3>{size / 2, 1, 1}));
        const auto radix4 = fft::plan_launch({.size = size, .algorithm = Algorithm::stockham_radix4}, {});
        EXPECT_EQ(radix4.butterflies_per_invocation, 1);
        EXPECT_EQ(radix4.work_group[0], size / 4);
    }
}

TEST(FftPlanner, SmallDevicesGetMoreButterfliesPerInvocation) {
    const auto butterflies = [](int size, Algorithm algorithm) {
        return fft::plan_launch({.size = size, .algorithm = algorithm}, small_device()).butterflies_per_invocation;
    };
    EXPECT_EQ(butterflies(256, Algorithm::cooley_tukey), 1);
    EXPECT_EQ(butterflies(512, Algorithm::cooley_tukey), 2);
    EXPECT_EQ(butterflies(2048, Algorithm::cooley_tukey), 8);
    EXPECT_EQ(butterflies(512, Algorithm::stockham_radix4), 1);
    EXPECT_EQ(butterflies(1024, Algorithm::stockham_radix4), 2);
    EXPECT_EQ(butterflies(2048, Algorithm::stockham_radix4), 4);
    // The limit along x may be below the limit on the product.
    gl::DeviceLimits narrow;
    narrow.max_group_size = {64, 1024, 64};
    EXPECT_EQ(fft::plan_launch({.size = 1024, .algorithm = Algorithm::stockham_radix2}, narrow).work_group[0], 64);
}

TEST(FftPlanner, EveryPlanCoversTheLineExactlyAndFits) {
    for (const gl::DeviceLimits& limits : {gl::DeviceLimits{}, small_device()})
        for (const Algorithm algorithm : fft::glsl_algorithms)
            for (int size = 16; size <= 2048; size *= 2) {
                const auto plan = fft::plan_launch({.size = size, .algorithm = algorithm, .layers = 3}, limits);
                const auto product = [](const std::array<int, 3>& values) {
                    return std::accumulate(values.begin(), values.end(), 1, std::multiplies<>());
                };
                EXPECT_LE(product(plan.work_group), limits.max_group_invocations);
                const int butterflies =
                    product(plan.work_group) * product(plan.work_groups) * plan.butterflies_per_invocation;
                EXPECT_EQ(butterflies, size * size / plan.radix * 3) << fft::to_string(algorithm) << ' ' << size;
            }
}

TEST(FftPlanner, StagesDispatchesAndBarriers) {
    const auto stages = fft::plan_launch({.size = 512, .algorithm = Algorithm::cooley_tukey_stages}, {});
    EXPECT_EQ(stages.dispatches_per_axis, 9);
    EXPECT_EQ(stages.barriers_per_dispatch, 0);
    const auto radix2 = fft::plan_launch({.size = 512, .algorithm = Algorithm::cooley_tukey}, {});
    EXPECT_EQ(radix2.dispatches_per_axis, 1);
    EXPECT_EQ(radix2.barriers_per_dispatch, 8);
    const auto odd = fft::plan_launch({.size = 512, .algorithm = Algorithm::stockham_radix4}, {});
    EXPECT_EQ(odd.stages_per_axis, 5); // four of radix 4, one of radix 2
    EXPECT_TRUE(odd.radix2_last_stage);
    const auto even = fft::plan_launch({.size = 1024, .algorithm = Algorithm::stockham_radix4}, {});
    EXPECT_EQ(even.stages_per_axis, 5);
    EXPECT_FALSE(even.radix2_last_stage);
}

TEST(FftPlanner, ExplicitButterfliesAreHonouredOrRefused) {
    const auto with = [](int size, Algorithm algorithm, int butterflies) {
        return TransformDesc{.size = size, .algorithm = algorithm, .butterflies_per_invocation = butterflies};
    };
    const auto plan = fft::plan_launch(with(256, Algorithm::stockham_radix2, 4), {});
    EXPECT_EQ(plan.butterflies_per_invocation, 4);
    EXPECT_EQ(plan.work_group[0], 32);
    EXPECT_EQ(fft::plan_launch(with(16, Algorithm::stockham_radix4, 4), {}).work_group[0], 1);
    EXPECT_EQ(fft::why_unavailable(with(256, Algorithm::cooley_tukey_stages, 1), {}), std::nullopt);

    expect_reason(with(256, Algorithm::stockham_radix2, 3), {}, {"butterflies_per_invocation is 3", "1 to 128"});
    expect_reason(with(256, Algorithm::stockham_radix2, -2), {}, {"butterflies_per_invocation is -2"});
    expect_reason(with(256, Algorithm::stockham_radix4, 128), {}, {"butterflies_per_invocation is 128", "1 to 64"});
    expect_reason(with(2048, Algorithm::stockham_radix2, 4), small_device(),
                  {"butterflies_per_invocation is 4", "256 invocations", "limit is 128"});
    expect_reason(with(256, Algorithm::cooley_tukey_stages, 2), {}, {"butterflies_per_invocation is 2", "1 butterfly"});
}

TEST(FftPlanner, DevicesTooSmallForAnyGroupSaySo) {
    gl::DeviceLimits limits;
    limits.max_group_invocations = 32;
    limits.max_group_size = {32, 4, 1};
    expect_reason({.algorithm = Algorithm::cooley_tukey_stages}, limits, {"8 x 8", "32 x 4", "32 together"});
    const auto available = fft::availability({.size = 256}, limits);
    ASSERT_EQ(available.size(), fft::all_algorithms.size());
    EXPECT_TRUE(available[0].reason.has_value());
    EXPECT_FALSE(available[1].reason.has_value());
    EXPECT_EQ(fft::available_sizes({.algorithm = Algorithm::stockham_radix4}, limits).size(), 8U);
    limits.max_texture_size = 128;
    EXPECT_EQ(fft::available_sizes({.algorithm = Algorithm::stockham_radix4}, limits),
              (std::vector<int>{16, 32, 64, 128}));
}

} // namespace
} // namespace spindrift
