// cuFFT through CUDA-GL interop, on a machine that has it: right in every layout, the same sea as GLSL, nothing leaked,
// and no harm done when CUDA refuses. Elsewhere every test skips with the reason.
#include "tests/cuda/cuda_fixture.h"

#include "fft/cuda_plan.h"
#include "fft/verification.h"

#include <cmath>
#include <cstdlib>

namespace spindrift {
namespace {

using Cuda = test::CudaTest;

TEST_F(Cuda, EveryLayoutMeetsTheGateAtEverySize) {
    const int largest = std::getenv("SPINDRIFT_TEST_ALL_SIZES") != nullptr ? fft::max_size : 256;
    for (int size = fft::min_size; size <= largest; size *= 2)
        for (const fft::Packing packing : fft::all_packings)
            for (const fft::Storage storage : fft::all_storages)
                for (const fft::Direction direction : fft::all_directions)
                    for (const fft::Scaling scaling : {fft::Scaling::none, fft::Scaling::by_n2}) {
                        const fft::VerificationResult result =
                            fft::verify_transform({.size = size,
                                                   .direction = direction,
                                                   .algorithm = fft::Algorithm::cufft,
                                                   .packing = packing,
                                                   .layers = 3,
                                                   .storage = storage,
                                                   .scaling = scaling},
                                                  library(), device().limits);
                        EXPECT_TRUE(result.ok) << result.describe();
                    }
}

TEST_F(Cuda, FiveHundredFramesAreTheSeaOfGlsl) {
    constexpr int size = 128;
    const auto reference = make_sea({.size = size});
    const auto single = make_sea(planar(size));
    const auto ahead = make_sea(planar(size, 4));
    const auto interleaved = make_sea({.algorithm = fft::Algorithm::cufft, .size = size});
    double worst = 0;
    for (int frame = 0; frame < 500; ++frame) {
        const double time = 12.5 + frame / 60.0;
        for (const auto* sea : {&reference, &single, &ahead, &interleaved}) (*sea)->step(time, 1 / 60.0);
        if (frame % 7 != 0) continue;
        const std::vector<float> expected = displacement_of(*reference);
        for (const auto* sea : {&single, &ahead, &interleaved})
            worst = std::max(worst, relative_difference(displacement_of(**sea), expected));
    }
    EXPECT_LT(worst, 1e-5);
    EXPECT_GT(worst, 0.0) << "two libraries that round alike are one library";
    RecordProperty("worst_relative_difference", std::to_string(worst));
}

/// Alone on its GPU: CUDA counts the memory of every process.
TEST_F(Cuda, SizesAndSwitchesLeaveNoMemoryBehind) {
    const auto change_sizes = [&](int count) {
        for (int index = 0; index < count; ++index) make_sea(planar(64 << (index % 4)))->step(index, 0.1);
    };
    const auto switch_algorithms = [&](int count) {
        for (int index = 0; index < count; ++index) {
            ocean::SimulationDesc desc = planar(256);
            if (index % 2 == 1) desc.algorithm = fft::Algorithm::stockham_radix4;
            if (index % 4 == 2) desc.storage = fft::Storage::image;
            make_sea(desc)->step(index, 0.1);
        }
    };
    change_sizes(8);
    switch_algorithms(8);
    gl::finish();
    const std::size_t before = fft::cuda::free_memory();
    change_sizes(100);
    switch_algorithms(200);
    gl::finish();
    const std::size_t after = fft::cuda::free_memory();
    const double drift = std::abs(static_cast<double>(before) - static_cast<double>(after));
    EXPECT_LT(drift, 1048576.0);
    RecordProperty("drift_bytes", std::to_string(drift));
}

TEST_F(Cuda, ARefusedRegistrationIsAnErrorThatHarmsNothing) {
    const auto glsl = make_sea({.size = 64});
    fft::cuda::module_functions().fail_next("attach");
    EXPECT_THROW(make_sea(planar(64)), fft::cuda::CudaError);
    glsl->step(1.0, 0.1);
    const auto expected = displacement_of(*glsl);
    const auto again = make_sea(planar(64));
    again->step(1.0, 0.1);
    EXPECT_LT(relative_difference(displacement_of(*again), expected), 1e-5);
}

TEST_F(Cuda, ARefusalInTheMiddleOfAFrameGivesTheFieldsBack) {
    for (const char* function : {"map", "transform", "unmap"}) {
        const auto sea = make_sea(planar(64));
        sea->step(1.0, 0.1);
        fft::cuda::module_functions().fail_next(function);
        EXPECT_THROW(sea->step(2.0, 0.1), fft::cuda::CudaError) << function;
        EXPECT_EQ(gl::drain_errors(), "") << function;
    }
    const auto glsl = make_sea({.size = 64});
    glsl->step(3.0, 0.1);
    const auto sea = make_sea(planar(64));
    sea->step(3.0, 0.1);
    EXPECT_LT(relative_difference(displacement_of(*sea), displacement_of(*glsl)), 1e-5);
}

TEST_F(Cuda, OneTreeHasTheThreeTimes) {
    profiler::Profiler profiler(device());
    profiler.add_source(fft::cuda::make_time_source());
    const auto sea = make_sea(planar(256));
    sea->step(0.0, 0.1);
    profiler.record(20);
    for (int frame = 0; frame < 20; ++frame) {
        profiler.begin_frame();
        sea->step(frame, 0.1, &profiler);
        profiler.end_frame();
        profiler.drain();
    }
    const profiler::Statistics statistics = profiler.recording().statistics();
    const auto scope = [&](std::string_view path) {
        for (const profiler::ScopeStatistics& entry : statistics.scopes)
            if (entry.path == path) return entry;
        ADD_FAILURE() << "no scope " << path;
        return profiler::ScopeStatistics{};
    };
    const profiler::ScopeStatistics interop = scope("fft.interop");
    const profiler::ScopeStatistics transform = scope("fft.interop/cufft");
    EXPECT_EQ(transform.gpu_ms.count, 20U);
    EXPECT_EQ(transform.missed, 0U);
    EXPECT_GT(transform.gpu_ms.median, 0.0);
    EXPECT_GT(interop.gpu_ms.median, transform.gpu_ms.median);
    for (const char* path : {"fft.interop/map", "fft.interop/unmap"}) {
        EXPECT_EQ(scope(path).gpu_ms.count, 0U) << path;
        EXPECT_EQ(scope(path).missed, 0U) << path;
        EXPECT_GT(scope(path).cpu_ms.median, 0.0) << path;
        EXPECT_EQ(scope(path).samples, 20U) << path;
    }
}

TEST_F(Cuda, TimedRunsHaveTheirTimesAndTheOthersNone) {
    const fft::TransformDesc desc{.size = 256,
                                  .algorithm = fft::Algorithm::cufft,
                                  .packing = fft::Packing::vec2,
                                  .layers = 4,
                                  .storage = fft::Storage::buffer};
    gl::Buffer data(fft::byte_count(desc), gl::BufferUsage::gpu_only, "test data");
    data.clear(0.0F);
    fft::Plan plan(desc, library(), device().limits);
    plan.execute(data);
    EXPECT_TRUE(plan.cuda()->times().empty());
    plan.cuda()->time_runs(3);
    for (int run = 0; run < 5; ++run) plan.execute(data);
    const auto times = plan.cuda()->times();
    ASSERT_EQ(times.size(), 3U);
    for (const fft::cuda::InteropTimes& run : times) {
        EXPECT_GT(run.transform, 0.0);
        EXPECT_GT(run.map_cpu, 0.0);
        EXPECT_GT(run.unmap_cpu, 0.0);
    }
}

} // namespace
} // namespace spindrift
