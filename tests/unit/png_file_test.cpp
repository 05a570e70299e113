// PNG round trip and what is said about files that are no good.
#include "engine/error.h"
#include "engine/files.h"
#include "engine/render/png_file.h"

#include <gtest/gtest.h>

namespace spindrift::render {
namespace {

std::vector<std::uint8_t> pattern(int width, int height) {
    std::vector<std::uint8_t> pixels;
    std::uint32_t state = 1;
    for (int index = 0; index < width * height * 3; ++index) {
        state = state * 1664525u + 1013904223u;
        pixels.push_back(static_cast<std::uint8_t>(state >> 24));
    }
    return pixels;
}

std::string refusal(std::span<const std::uint8_t> bytes) {
    try {
        decode_png(bytes, "wave.png");
    } catch (const Error& error) {
        EXPECT_EQ(error.exit_code(), ExitCode::runtime_failure);
        return error.what();
    }
    return "accepted";
}

TEST(PngFile, ReturnsWhatWasWritten) {
    const std::string path = ::testing::TempDir() + "spindrift zwei Wörter.png";
    for (const auto& [width, height] : {std::pair{1, 1}, {7, 3}, {64, 1}, {33, 65}}) {
        const std::vector<std::uint8_t> pixels = pattern(width, height);
        write_png(path, width, height, pixels);
        const RgbImage image = read_png(path);
        EXPECT_EQ(image.width, width);
        EXPECT_EQ(image.height, height);
        EXPECT_EQ(image.pixels, pixels);
    }
    std::filesystem::remove(path);
}

TEST(PngFile, RefusesWhatIsNoPng) {
    EXPECT_NE(refusal({}).find("wave.png: the file is empty"), std::string::npos);
    const std::string text = "P6 640 480 255 and so on, certainly no PNG";
    EXPECT_NE(refusal({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}).find("not a PNG"),
              std::string::npos);
}

TEST(PngFile, RefusesEveryTruncation) {
    const std::vector<std::uint8_t> file = encode_png(16, 16, pattern(16, 16));
    for (std::size_t size = 0; size < file.size(); ++size)
        EXPECT_NE(refusal(std::span(file).first(size)), "accepted") << size << " of " << file.size() << " bytes";
    EXPECT_EQ(refusal(file), "accepted");
}

TEST(PngFile, RefusesSizesAndDepthsBeyondTheLimitAndNamesThem) {
    std::vector<std::uint8_t> file = encode_png(16, 16, pattern(16, 16));
    file[18] = 0x80; // width 0x8010
    EXPECT_NE(refusal(file).find("32784 x 16 pixels; each side may have 1 to 16384"), std::string::npos);
    file[18] = 0;
    file[19] = 0;
    EXPECT_NE(refusal(file).find("0 x 16"), std::string::npos);
    file[19] = 16;
    file[24] = 16;
    EXPECT_NE(refusal(file).find("16 bits per channel; 8 are supported"), std::string::npos);
}

TEST(PngFile, DamagedFilesNeverCrash) {
    const std::vector<std::uint8_t> whole = encode_png(24, 24, pattern(24, 24));
    std::uint32_t state = 7;
    for (int round = 0; round < 2000; ++round) {
        std::vector<std::uint8_t> file = whole;
        for (int change = 0; change < 4; ++change) {
            state = state * 1664525u + 1013904223u;
            file[(state >> 8) % file.size()] = static_cast<std::uint8_t>(state);
        }
        try {
            const RgbImage image = decode_png(file, "damaged");
            EXPECT_EQ(image.pixels.size(), std::size_t{3} * static_cast<std::size_t>(image.width * image.height));
        } catch (const Error&) { // as it should be
        }
    }
}

TEST(PngFile, AFileThatCannotBeReadIsNamed) {
    try {
        read_png("/nonexistent/wave.png");
        FAIL() << "accepted";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("/nonexistent/wave.png: No such file"), std::string::npos);
    }
}

} // namespace
} // namespace spindrift::render
