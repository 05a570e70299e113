// What can be known of the step in CUDA without CUDA: its kernels, run by the CPU, are the sea of the double reference;
// the image that is compiled in; what the kernels are given.
#include "app/ocean/cuda_step.h"
#include "app/ocean/reference.h"
#include "app/ocean/step_input.h"
#include "fft/reference.h"
#include "tests/unit/cuda_on_cpu.h"

#include "app/ocean/cuda/step.cu"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

namespace spindrift::ocean {
namespace {

constexpr double time_of_tests = 1234.5;
constexpr unsigned threads = 256;

/// A step as CudaStep queues it, with the double transform in place of cuFFT's.
class StepOnCpu {
public:
    explicit StepOnCpu(fft::Packing packing, int log2_size)
        : desc_{.sea = {.wind_speed = 16, .choppiness = 2.5, .tile_length = 100}, // folds here and there
                .algorithm = fft::Algorithm::cufft,
                .size = 1 << log2_size,
                .packing = packing,
                .storage = fft::Storage::buffer},
          log2_size_(log2_size), texels_(std::size_t{1} << (2 * log2_size)),
          initial_(make_initial_spectrum(desc_.sea, desc_.size)), fields_(8 * texels_), displacement(texels_),
          derivatives(texels_), foam(texels_) {}

    void step(double time, float foam_decay = 1.0F) {
        evolve(time);
        transform();
        assemble(foam_decay);
    }

    const SimulationDesc& desc() const { return desc_; }
    const InitialSpectrum& initial() const { return initial_; }
    /// The transformed fields in double, before they were rounded for assemble.
    const std::vector<std::vector<fft::reference::Complex>>& transformed() const { return transformed_; }

private:
    unsigned groups() const { return (static_cast<unsigned>(texels_) + threads - 1) / threads; }

    void evolve(double time) {
        std::vector<float> packed;
        write_evolve_input(initial_, packed);
        std::vector<float4> input(texels_);
        for (std::size_t texel = 0; texel < texels_; ++texel)
            input[texel] = {packed[4 * texel], packed[4 * texel + 1], packed[4 * texel + 2], packed[4 * texel + 3]};
        const cuda::EvolveParameters parameters{log2_size_, loop_fraction(time, desc_.sea.loop_period),
                                                wave_number_step(desc_.sea)};
        const unsigned* omega = initial_.omega_index.data();
        if (desc_.packing == fft::Packing::vec2) {
            std::vector<float2> fields(4 * texels_);
            launch_on_cpu(groups(), threads, evolve_planar, parameters, input.data(), omega, fields.data());
            for (std::size_t index = 0; index < fields.size(); ++index) {
                fields_[2 * index] = fields[index].x;
                fields_[2 * index + 1] = fields[index].y;
            }
        } else {
            std::vector<float4> fields(2 * texels_);
            launch_on_cpu(groups(), threads, evolve_interleaved, parameters, input.data(), omega, fields.data());
            for (std::size_t index = 0; index < fields.size(); ++index) {
                const float4 value = fields[index];
                const float parts[] = {value.x, value.y, value.z, value.w};
                std::copy(std::begin(parts), std::end(parts), fields_.begin() + static_cast<std::ptrdiff_t>(4 * index));
            }
        }
    }

    void transform() {
        const fft::TransformDesc transform = transform_desc(desc_);
        const int lanes = fft::complex_per_texel(desc_.packing);
        transformed_ = fft::reference::transform_batch(fields_, transform);
        for (int layer = 0; layer < transform.layers; ++layer)
            for (int lane = 0; lane < lanes; ++lane)
                fft::reference::insert_field(fields_, transform, layer, lane,
                                             transformed_[static_cast<std::size_t>(layer * lanes + lane)]);
    }

    void assemble(float foam_decay) {
        const AssembleFactors factors = assemble_factors(desc_.sea, initial_);
        const cuda::AssembleParameters parameters{log2_size_,
                                                  factors.choppiness,
                                                  factors.foam_threshold,
                                                  factors.foam_strength,
                                                  foam_decay,
                                                  static_cast<float>(Simulation::smallest_jacobian),
                                                  static_cast<float>(Simulation::largest_slope)};
        if (desc_.packing == fft::Packing::vec2) {
            std::vector<float2> fields(4 * texels_);
            for (std::size_t index = 0; index < fields.size(); ++index)
                fields[index] = {fields_[2 * index], fields_[2 * index + 1]};
            launch_on_cpu(groups(), threads, assemble_planar, parameters, fields.data(), displacement.data(),
                          derivatives.data(), foam.data());
        } else {
            std::vector<float4> fields(2 * texels_);
            for (std::size_t index = 0; index < fields.size(); ++index)
                fields[index] = {fields_[4 * index], fields_[4 * index + 1], fields_[4 * index + 2],
                                 fields_[4 * index + 3]};
            launch_on_cpu(groups(), threads, assemble_interleaved, parameters, fields.data(), displacement.data(),
                          derivatives.data(), foam.data());
        }
    }

    SimulationDesc desc_;
    int log2_size_;
    std::size_t texels_;
    InitialSpectrum initial_;
    std::vector<float> fields_;
    std::vector<std::vector<fft::reference::Complex>> transformed_;

public:
    std::vector<float4> displacement, derivatives;
    std::vector<float> foam;
};

class CudaStepKernels : public ::testing::TestWithParam<fft::Packing> {};

TEST_P(CudaStepKernels, EvolveMakesTheFieldsOfTheReference) {
    StepOnCpu sea(GetParam(), 6);
    sea.step(time_of_tests);
    const ReferenceFields expected = reference_fields(sea.initial(), time_of_tests);
    ASSERT_EQ(sea.transformed().size(), field_count / 2U);
    for (std::size_t field = 0; field < field_count; ++field) {
        double difference = 0, norm = 0;
        for (std::size_t texel = 0; texel < expected[field].size(); ++texel) {
            const fft::reference::Complex pair = sea.transformed()[field / 2][texel];
            const double off = (field % 2 == 0 ? pair.real() : pair.imag()) - expected[field][texel];
            difference += off * off;
            norm += expected[field][texel] * expected[field][texel];
        }
        EXPECT_LT(std::sqrt(difference / norm), 1e-6) << field_names[field];
    }
}

TEST_P(CudaStepKernels, AssembleMakesThePointsOfTheReference) {
    StepOnCpu sea(GetParam(), 6);
    sea.step(time_of_tests);
    const ReferenceFields fields = reference_fields(sea.initial(), time_of_tests);
    double difference = 0, norm = 0;
    int exact = 0;
    for (std::size_t texel = 0; texel < sea.displacement.size(); ++texel) {
        const ReferencePoint point = reference_point(fields, texel, sea.desc().sea.choppiness);
        const float4 shown = sea.displacement[texel], derived = sea.derivatives[texel];
        const double expected[] = {point.x, point.height, point.z, point.jacobian};
        const float values[] = {shown.x, shown.y, shown.z, shown.w};
        for (int part = 0; part < 4; ++part) {
            const double off = static_cast<double>(values[part]) - expected[part];
            difference += off * off;
            norm += expected[part] * expected[part];
        }
        const double steepness = std::hypot(point.slope_x, point.slope_z);
        EXPECT_LE(std::hypot(derived.x, derived.y), Simulation::largest_slope * 1.001);
        EXPECT_NEAR(derived.w, derived.x * derived.x + derived.y * derived.y, 1e-5);
        EXPECT_EQ(derived.z, sea.foam[texel]);
        if (point.jacobian < Simulation::smallest_jacobian || steepness > Simulation::largest_slope) continue;
        ++exact;
        EXPECT_NEAR(derived.x, point.slope_x, 1e-4) << texel;
        EXPECT_NEAR(derived.y, point.slope_z, 1e-4) << texel;
    }
    EXPECT_LT(std::sqrt(difference / norm), 1e-6);
    EXPECT_GT(exact, 2000);
    EXPECT_LT(exact, 4096) << "a sea that folds nowhere does not test the bounds";
}

TEST_P(CudaStepKernels, FoamFadesAndIsMadeAnew) {
    StepOnCpu sea(GetParam(), 6);
    sea.step(time_of_tests);
    const std::vector<float> made = sea.foam; // nothing was there before
    EXPECT_GT(std::ranges::count_if(made, [](float value) { return value > 0.125F; }), 10);
    EXPECT_GT(std::ranges::count(made, 0.0F), 1000);
    std::fill(sea.foam.begin(), sea.foam.end(), 0.5F);
    sea.step(time_of_tests, 0.25F);
    for (std::size_t texel = 0; texel < made.size(); ++texel) {
        EXPECT_FLOAT_EQ(sea.foam[texel], std::max(0.125F, made[texel])) << texel;
        EXPECT_LE(sea.foam[texel], 1.0F);
    }
}

INSTANTIATE_TEST_SUITE_P(Layouts, CudaStepKernels, ::testing::ValuesIn(fft::all_packings),
                         [](const auto& layout) { return std::string(fft::to_string(layout.param)); });

TEST(CudaStep, OccupyEnds) {
    launch_on_cpu(1, 1, occupy, 100'000LL);
}

TEST(CudaStep, TheImageHasEveryKernel) {
    const std::string_view image = cuda_step_kernels();
    if (image.empty()) GTEST_SKIP() << "this build has no CUDA kernels: CMake found no nvcc";
    EXPECT_NE(image.find(".target sm_75"), std::string_view::npos) << "the oldest that CUDA 13 knows";
    for (const char* name :
         {"evolve_planar", "evolve_interleaved", "assemble_planar", "assemble_interleaved", "occupy"})
        EXPECT_NE(image.find(std::string(".entry ") + name + "("), std::string_view::npos) << name;
    EXPECT_EQ(image.data()[image.size()], '\0') << "the driver reads to the zero";
}

TEST(CudaStep, SaysWhyItCannotRun) {
    const SimulationDesc desc{
        .algorithm = fft::Algorithm::cufft, .packing = fft::Packing::vec2, .storage = fft::Storage::buffer};
    gl::DeviceLimits limits;
    limits.cuda.reason = "no NVIDIA driver with CUDA: libcuda.so.1 was not found";
    EXPECT_EQ(CudaStep::why_unavailable(desc, limits), limits.cuda.reason);
    limits.cuda = {
        .available = true, .reason = {}, .device = "GPU", .driver = "13.0", .runtime = "13.0", .cufft = "12000"};
    EXPECT_EQ(CudaStep::why_unavailable(desc, limits).has_value(), cuda_step_kernels().empty());
    if (const auto reason = CudaStep::why_unavailable(desc, limits)) {
        EXPECT_NE(reason->find("nvcc"), std::string::npos);
    }
    EXPECT_THROW(CudaStep{desc}, Error) << "nothing is connected here";
}

TEST(StepInput, HasBothWavesOfACell) {
    const SeaState sea;
    const InitialSpectrum initial = make_initial_spectrum(sea, 16);
    std::vector<float> input;
    write_evolve_input(initial, input);
    ASSERT_EQ(input.size(), 4U * 256U);
    const std::size_t cell = 3 * 16 + 14, opposite = 13 * 16 + 2; // (-2, 3) and (2, -3)
    EXPECT_EQ(input[4 * cell], static_cast<float>(initial.h0[cell].real()));
    EXPECT_EQ(input[4 * cell + 1], static_cast<float>(initial.h0[cell].imag()));
    EXPECT_EQ(input[4 * cell + 2], static_cast<float>(initial.h0[opposite].real()));
    EXPECT_EQ(input[4 * cell + 3], static_cast<float>(-initial.h0[opposite].imag()));
}

TEST(StepInput, WithoutChoppinessThereIsNoFoam) {
    SeaState sea{.choppiness = 0};
    EXPECT_EQ(assemble_factors(sea, make_initial_spectrum(sea, 16)).foam_strength, 0.0F);
    sea.choppiness = 1;
    EXPECT_GT(assemble_factors(sea, make_initial_spectrum(sea, 16)).foam_strength, 0.0F);
}

} // namespace
} // namespace spindrift::ocean
