// "Verify now" as the window does it: what is checked is what the sea runs.
#include "tests/gl/broken_shaders.h"
#include "tests/gl/fft_fixture.h"

#include "app/ocean/simulation.h"
#include "app/transform_check.h"
#include "fft/fused_case.h"

#include <chrono>
#include <thread>

namespace spindrift {
namespace {

class TransformCheckGl : public test::FftTest {
protected:
    static ocean::SimulationDesc tuned(bool fused) {
        return {.algorithm = fft::Algorithm::tuned, .size = 32, .fused = fused};
    }

    /// Frame by frame until it ends.
    static fft::VerificationResult check(const ocean::Simulation& sea, gl::ProgramLibrary& programs) {
        TransformCheck check;
        check.start(sea);
        for (int frame = 0; frame < 100'000; ++frame) {
            EXPECT_TRUE(check.running());
            if (auto result = check.poll(programs, device())) {
                EXPECT_FALSE(check.running());
                return *result;
            }
            std::this_thread::sleep_for(std::chrono::microseconds(100));
        }
        ADD_FAILURE() << "the check has no end";
        return {};
    }
};

TEST_F(TransformCheckGl, AFusedSeaIsComparedWithTheUnfusedStep) {
    for (const auto precision : {fft::Precision::fp32, fft::Precision::fp16}) {
        ocean::SimulationDesc desc = tuned(true);
        desc.intermediate = precision;
        ocean::Simulation sea(desc, library(), device());
        ASSERT_TRUE(sea.is_fused());
        sea.step(3.0, 0.1);
        std::vector<float> before(sea.displacement().element_count()), after(before.size());
        sea.displacement().download(before);
        const fft::VerificationResult result = check(sea, library());
        EXPECT_TRUE(result.ok) << result.describe();
        EXPECT_EQ(result.variant(), "tuned vec4 image inverse 32 fused");
        EXPECT_GT(result.norms.relative_l2, 0.0);
        EXPECT_LT(result.norms.relative_l2, precision == fft::Precision::fp32 ? 1e-5 : 1e-3);
        EXPECT_GT(result.norms.max_over_rms, result.norms.relative_l2);
        sea.displacement().download(after);
        EXPECT_EQ(before, after) << "the check changed the sea that is shown";
    }
}

TEST_F(TransformCheckGl, AnUnfusedOneIsComparedWithTheReference) {
    const ocean::Simulation sea(tuned(false), library(), device());
    const fft::VerificationResult result = check(sea, library());
    EXPECT_TRUE(result.ok) << result.describe();
    EXPECT_EQ(result.variant(), "tuned vec4 image inverse 32");
    EXPECT_EQ(result.gate, fft::fp32_gate);
}

TEST_F(TransformCheckGl, AFusedStepThatIsWrongIsFound) {
    const std::string right = "    fields.pair[2] = pair_from(parts, 2);";
    const test::BrokenShaders shaders("ocean/assemble_columns.comp", right, right + " fields.pair[2].y *= 1.001;");
    gl::ProgramLibrary broken = shaders.library();
    const ocean::Simulation sea(tuned(true), broken, device());
    const fft::VerificationResult result = check(sea, broken);
    EXPECT_FALSE(result.ok);
    EXPECT_NE(result.describe().find("fused: relative L2 "), std::string::npos) << result.describe();
    EXPECT_NE(result.describe().find(" is above the gate 1e-05"), std::string::npos) << result.describe();
}

TEST_F(TransformCheckGl, WithoutUnfusedKernelsThereIsAReasonAndNoVerdict) {
    const std::string right = "void main() {";
    const test::BrokenShaders shaders("fft/stockham_radix4.comp", right, "void main() { no_such_function();");
    gl::ProgramLibrary broken = shaders.library();
    const ocean::Simulation sea(tuned(true), broken, device());
    const fft::VerificationResult result = check(sea, broken);
    EXPECT_FALSE(result.ok);
    EXPECT_TRUE(result.fused);
    EXPECT_NE(result.failure.find("not checked: "), std::string::npos) << result.failure;
    EXPECT_NE(result.failure.find("no_such_function"), std::string::npos) << result.failure;
}

} // namespace
} // namespace spindrift
