// The step in CUDA without OpenGL is the sea of the GLSL kernels, and what CUDA refuses on the way is an error that
// says what it was. Skips with the reason where there is no CUDA.
#include "app/ocean/cuda_step.h"
#include "tests/cuda/cuda_fixture.h"

#include <algorithm>
#include <string>

namespace spindrift {
namespace {

using fft::cuda::CudaError;

class CudaStepTest : public test::CudaTest {
protected:
    void SetUp() override {
        CudaTest::SetUp();
        if (IsSkipped()) return;
        if (auto reason = ocean::CudaStep::why_unavailable(alone(64, fft::Packing::vec2), device().limits))
            GTEST_SKIP() << *reason;
    }

    static ocean::SimulationDesc alone(int size, fft::Packing packing) {
        return {.algorithm = fft::Algorithm::cufft, .size = size, .packing = packing, .storage = fft::Storage::buffer};
    }

    static std::vector<float> derivatives_of(const ocean::Simulation& sea) {
        std::vector<float> texels(sea.derivatives().element_count());
        sea.derivatives().download(texels);
        return texels;
    }

    /// The third of four channels is foam, which depends on what was before.
    static void clear_foam(std::vector<float>& derivatives) {
        for (std::size_t index = 2; index < derivatives.size(); index += 4) derivatives[index] = 0.0F;
    }

    template <class Work>
    static std::string message_of(Work work) {
        try {
            work();
        } catch (const CudaError& error) {
            return error.what();
        }
        return "no error";
    }
};

TEST_F(CudaStepTest, IsTheSeaOfGlsl) {
    for (const int size : {16, 64, 256})
        for (const fft::Packing packing : fft::all_packings) {
            const auto glsl = make_sea({.size = size});
            ocean::CudaStep cuda(alone(size, packing));
            for (const double time : {0.0, 12.5, 86400.25}) {
                glsl->step(time, 0.1);
                cuda.step(time, 0.1);
                const std::vector<float> expected = displacement_of(*glsl);
                const std::vector<float> shown = cuda.displacement();
                ASSERT_EQ(shown.size(), expected.size());
                EXPECT_LT(relative_difference(shown, expected), 1e-5)
                    << size << ' ' << to_string(packing) << ' ' << time;
                std::vector<float> slopes = cuda.derivatives(), expected_slopes = derivatives_of(*glsl);
                clear_foam(slopes);
                clear_foam(expected_slopes);
                ASSERT_EQ(slopes.size(), expected_slopes.size());
                EXPECT_LT(relative_difference(slopes, expected_slopes), 1e-5)
                    << size << ' ' << to_string(packing) << ' ' << time;
            }
        }
}

TEST_F(CudaStepTest, FoamIsThatOfGlslOnceWhatWasBeforeHasFaded) {
    const ocean::SimulationDesc desc{.sea = {.wind_speed = 18}, .size = 64};
    const auto glsl = make_sea(desc);
    ocean::SimulationDesc without = alone(64, fft::Packing::vec2);
    without.sea = desc.sea;
    ocean::CudaStep cuda(without);
    double most = 0;
    std::vector<float> shown, expected;
    for (int frame = 0; frame < 200; ++frame) { // of half a second each: 100 s
        glsl->step(50 + 0.5 * frame, 0.5);
        cuda.step(50 + 0.5 * frame, 0.5);
    }
    shown = cuda.derivatives();
    expected = derivatives_of(*glsl);
    float largest = 0;
    for (std::size_t index = 2; index < shown.size(); index += 4) {
        most = std::max(most, std::abs(static_cast<double>(shown[index]) - static_cast<double>(expected[index])));
        largest = std::max(largest, expected[index]);
    }
    EXPECT_LT(most, 1e-4);
    EXPECT_GT(largest, 0.1F) << "no foam, no test";
}

TEST_F(CudaStepTest, OpenGlAndCudaInTurnsDoNotDisturbEachOther) {
    const auto glsl = make_sea({.size = 64});
    const auto interop = make_sea(planar(64));
    ocean::CudaStep cuda(alone(64, fft::Packing::vec4));
    for (int frame = 0; frame < 50; ++frame) {
        const double time = frame / 60.0;
        glsl->step(time, 1 / 60.0);
        cuda.occupy();
        cuda.step(time, 1 / 60.0);
        interop->step(time, 1 / 60.0);
        const std::vector<float> expected = displacement_of(*glsl);
        ASSERT_LT(relative_difference(cuda.displacement(), expected), 1e-5) << frame;
        ASSERT_LT(relative_difference(displacement_of(*interop), expected), 1e-5) << frame;
    }
}

TEST_F(CudaStepTest, TimestampsAreInOrder) {
    ocean::CudaStep cuda(alone(256, fft::Packing::vec2));
    fft::cuda::CudaTimestamp begin, end;
    begin.record();
    cuda.step(1.0, 0.1);
    end.record();
    EXPECT_GT(end.microseconds_since(begin), 0.0);
}

TEST_F(CudaStepTest, AMissingImageIsAnErrorThatSaysWhich) {
    const std::string broken = message_of([] { fft::cuda::CudaKernelImage("no PTX at all").find("evolve_planar"); });
    EXPECT_NE(broken.find("CUDA kernel"), std::string::npos) << broken;
    const std::string unknown =
        message_of([] { fft::cuda::CudaKernelImage(std::string(ocean::cuda_step_kernels())).find("no_such_kernel"); });
    EXPECT_NE(unknown.find("no_such_kernel"), std::string::npos) << unknown;
    fft::cuda::module_functions().fail_next("load_image");
    EXPECT_THROW(ocean::CudaStep(alone(64, fft::Packing::vec2)), CudaError);
    ocean::CudaStep(alone(64, fft::Packing::vec2)).step(1.0, 0.1);
}

TEST_F(CudaStepTest, RefusedMemoryIsAnErrorThatSaysHowMuch) {
    constexpr std::size_t bytes = std::size_t{1} << 50;
    const std::string refused = message_of([] { fft::cuda::CudaMemory memory(bytes); });
    EXPECT_NE(refused.find(std::to_string(bytes) + " bytes of CUDA memory"), std::string::npos) << refused;
    EXPECT_NE(refused.find("cudaMalloc"), std::string::npos) << refused;
    fft::cuda::module_functions().fail_next("allocate");
    EXPECT_THROW(ocean::CudaStep(alone(64, fft::Packing::vec2)), CudaError);
    ocean::CudaStep(alone(64, fft::Packing::vec2)).step(1.0, 0.1); // and nothing is broken by it
}

TEST_F(CudaStepTest, ARefusedLaunchIsAnErrorAndTheNextOneRuns) {
    ocean::CudaStep cuda(alone(64, fft::Packing::vec2));
    for (const char* function : {"launch", "transform"}) {
        fft::cuda::module_functions().fail_next(function);
        EXPECT_THROW(cuda.step(1.0, 0.1), CudaError) << function;
    }
    cuda.step(2.0, 0.1);
    const auto glsl = make_sea({.size = 64});
    glsl->step(2.0, 0.1);
    EXPECT_LT(relative_difference(cuda.displacement(), displacement_of(*glsl)), 1e-5);
}

TEST_F(CudaStepTest, MemoryIsGivenBack) {
    const auto run = [](int count) {
        for (int index = 0; index < count; ++index)
            ocean::CudaStep(alone(64 << (index % 3), index % 2 == 0 ? fft::Packing::vec2 : fft::Packing::vec4))
                .step(index, 0.1);
    };
    run(6);
    const std::size_t before = fft::cuda::free_memory();
    run(60);
    const double drift = std::abs(static_cast<double>(before) - static_cast<double>(fft::cuda::free_memory()));
    EXPECT_LT(drift, 2097152.0) << "the granularity of the allocator";
    RecordProperty("drift_bytes", std::to_string(drift));
}

} // namespace
} // namespace spindrift
