// A context that CUDA is paired with; tests that need it skip with the reason where there is none.
#pragma once

#include "app/ocean/simulation.h"
#include "fft/cuda_module.h"
#include "tests/gl/context_fixture.h"

#include <cmath>
#include <memory>
#include <optional>
#include <vector>

namespace spindrift::test {

class CudaTest : public ContextTest {
protected:
    void SetUp() override {
        ContextTest::SetUp();
        if (IsSkipped()) return;
        const fft::cuda::Connection connection = fft::cuda::connect(context_of_tests());
        if (!connection.interop.available) GTEST_SKIP() << connection.interop.reason;
        library_.emplace(make_library());
    }
    void TearDown() override {
        library_.reset();
        ContextTest::TearDown();
    }

    gl::ProgramLibrary& library() { return *library_; }

    std::unique_ptr<ocean::Simulation> make_sea(ocean::SimulationDesc desc) {
        return std::make_unique<ocean::Simulation>(desc, library(), device());
    }
    static ocean::SimulationDesc planar(int size, int interop_frames = 1) {
        return {.algorithm = fft::Algorithm::cufft,
                .size = size,
                .packing = fft::Packing::vec2,
                .storage = fft::Storage::buffer,
                .interop_frames = interop_frames};
    }

    static std::vector<float> displacement_of(const ocean::Simulation& sea) {
        std::vector<float> texels(sea.displacement().element_count());
        sea.displacement().download(texels);
        return texels;
    }

    static double relative_difference(const std::vector<float>& values, const std::vector<float>& reference) {
        double difference = 0, norm = 0;
        for (std::size_t index = 0; index < values.size(); ++index) {
            const double a = static_cast<double>(values[index]), b = static_cast<double>(reference[index]);
            difference += (a - b) * (a - b);
            norm += b * b;
        }
        return std::sqrt(difference / norm);
    }

private:
    std::optional<gl::ProgramLibrary> library_;
};

} // namespace spindrift::test
