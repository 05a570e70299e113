// What `spindrift verify` does without a GPU: its arguments and its input.
#include "app/commands/verify.h"
#include "engine/error.h"

#include <gtest/gtest.h>
#include <set>

namespace spindrift {
namespace {

TEST(VerifyArguments, SizesAreSortedAndUnique) {
    EXPECT_EQ(parse_sizes("64", "--sizes"), (std::vector<int>{64}));
    EXPECT_EQ(parse_sizes("512,16,64,16", "--sizes"), (std::vector<int>{16, 64, 512}));
}

TEST(VerifyArguments, WrongSizesAreNamedWithTheLimit) {
    for (const char* text : {"", "16,", ",16", "500", "8", "8192", "-64", "64x", "16;32", "1e3", " 64"}) {
        try {
            parse_sizes(text, "--sizes");
            ADD_FAILURE() << "accepted \"" << text << '"';
        } catch (const Error& error) {
            EXPECT_EQ(error.exit_code(), ExitCode::usage);
            EXPECT_NE(std::string(error.what()).find("--sizes"), std::string::npos);
            EXPECT_NE(std::string(error.what()).find("from 16 to 4096"), std::string::npos) << error.what();
        }
    }
}

TEST(VerificationInput, DependsOnTheSeedAndOnEveryPlace) {
    const fft::TransformDesc desc{.size = 16, .packing = fft::Packing::vec4, .layers = 3};
    const std::vector<float> input = fft::random_input(desc, 7);
    EXPECT_EQ(input, fft::random_input(desc, 7));
    EXPECT_NE(input, fft::random_input(desc, 8));
    EXPECT_EQ(std::set<float>(input.begin(), input.end()).size(), input.size()); // all different at this count
    double sum = 0;
    double squares = 0;
    for (const float value : input) {
        EXPECT_GE(value, -1.0F);
        EXPECT_LT(value, 1.0F);
        sum += value;
        squares += static_cast<double>(value) * value;
    }
    EXPECT_NEAR(sum / static_cast<double>(input.size()), 0.0, 0.05);
    EXPECT_NEAR(squares / static_cast<double>(input.size()), 1.0 / 3.0, 0.03);
}

} // namespace
} // namespace spindrift
