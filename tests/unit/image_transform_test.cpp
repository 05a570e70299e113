// The parts of the image transform that need no GPU; the double-precision reference stands in for it.
#include "app/image_transform.h"
#include "engine/error.h"
#include "fft/reference.h"

#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

namespace spindrift {
namespace {

render::Image picture(int width, int height, int channels, const std::vector<int>& eight_bit_samples) {
    render::Image image{width, height, channels, 8, {}};
    for (const int sample : eight_bit_samples) image.samples.push_back(static_cast<std::uint16_t>(sample * 257));
    return image;
}

render::Image noise(int width, int height, int channels) {
    std::vector<int> samples;
    std::uint32_t state = 3;
    for (int index = 0; index < width * height * channels; ++index)
        samples.push_back(static_cast<int>((state = state * 1664525U + 1013904223U) >> 24U));
    return picture(width, height, channels, samples);
}

double mean(const Plane& plane) {
    double sum = 0.0;
    for (const float value : plane) sum += static_cast<double>(value);
    return sum / static_cast<double>(plane.size());
}

TEST(ImageTransform, LuminanceOfLinearLight) {
    const render::Image primaries = picture(16, 1, 3, [] {
        std::vector<int> samples(48, 0);
        samples[0] = 255, samples[4] = 255, samples[8] = 255; // red, green, blue
        samples[9] = samples[10] = samples[11] = 255;         // white
        samples[12] = samples[13] = samples[14] = 188;        // a middle grey
        return samples;
    }());
    const FittedImage fitted = fit_image(primaries, ImageFit::pad, ImageChannels::luminance, 16);
    ASSERT_EQ(fitted.planes.size(), 1U);
    const float* row = fitted.planes[0].data() + static_cast<std::ptrdiff_t>(16) * fitted.region.top;
    EXPECT_FLOAT_EQ(row[0], 0.2126F);
    EXPECT_FLOAT_EQ(row[1], 0.7152F);
    EXPECT_FLOAT_EQ(row[2], 0.0722F);
    EXPECT_FLOAT_EQ(row[3], 1.0F);
    // ((188 / 255 + 0.055) / 1.055)^2.4: half the light needs 188 of 255, not 128.
    EXPECT_NEAR(row[4], 0.502886, 1e-5);
    EXPECT_FALSE(fitted.was_transparent);
}

TEST(ImageTransform, TransparentPixelsLieOverBlack) {
    const FittedImage fitted = fit_image(picture(2, 1, 2, {255, 51, 255, 255}), ImageFit::pad, ImageChannels::rgb, 16);
    ASSERT_EQ(fitted.planes.size(), 3U);
    EXPECT_TRUE(fitted.was_transparent);
    const auto first = static_cast<std::size_t>(fitted.region.top * 16 + fitted.region.left);
    for (const Plane& plane : fitted.planes) {
        EXPECT_FLOAT_EQ(plane[first], 0.2F);
        EXPECT_FLOAT_EQ(plane[first + 1], 1.0F);
    }
}

TEST(ImageTransform, SamePixelsWhenNothingHasToFit) {
    const render::Image image = noise(32, 32, 3);
    for (const ImageFit fit : all_image_fits) {
        const FittedImage fitted = fit_image(image, fit, ImageChannels::rgb, 32);
        EXPECT_EQ(fitted.region, (ImageRegion{0, 0, 32, 32}));
        const render::RgbImage back = picture_of(fitted.planes, 32, fitted.region);
        for (std::size_t index = 0; index < back.pixels.size(); ++index)
            ASSERT_EQ(back.pixels[index] * 257, image.samples[index]) << to_string(fit) << " " << index;
    }
}

TEST(ImageTransform, ShrinkingKeepsTheMeanLight) {
    for (const auto& [width, height] : {std::pair{64, 48}, {37, 101}, {33, 16}}) {
        const render::Image image = noise(width, height, 1);
        double light = 0.0;
        for (const std::uint16_t sample : image.samples)
            light += std::pow((sample / 65535.0 + 0.055) / 1.055, 2.4); // all but the darkest; see the tolerance
        light /= width * height;
        const FittedImage fitted = fit_image(image, ImageFit::resample, ImageChannels::luminance, 16);
        EXPECT_NEAR(mean(fitted.planes[0]), light, 1e-3) << width << " x " << height;
    }
    // Exact: pairs of columns.
    std::vector<int> stripes;
    for (int pixel = 0; pixel < 32 * 16; ++pixel) stripes.push_back(pixel % 2 * 255);
    const FittedImage fitted = fit_image(picture(32, 16, 1, stripes), ImageFit::resample, ImageChannels::luminance, 16);
    for (const float value : fitted.planes[0]) EXPECT_FLOAT_EQ(value, 0.5F);
}

TEST(ImageTransform, EnlargingIsBilinearBetweenCentres) {
    const FittedImage fitted = fit_image(picture(2, 1, 1, {0, 255}), ImageFit::resample, ImageChannels::luminance, 16);
    for (int row = 0; row < 16; ++row)
        for (int column = 0; column < 16; ++column) {
            const double expected = std::clamp((column + 0.5) / 8.0 - 0.5, 0.0, 1.0);
            EXPECT_NEAR(fitted.planes[0][static_cast<std::size_t>(row * 16 + column)], expected, 1e-6);
        }
    const FittedImage one = fit_image(picture(1, 1, 1, {255}), ImageFit::resample, ImageChannels::luminance, 16);
    EXPECT_EQ(one.planes[0], Plane(256, 1.0F));
}

TEST(ImageTransform, PaddingSurroundsThePicture) {
    const render::Image white = picture(4, 6, 1, std::vector<int>(24, 255));
    const FittedImage black = fit_image(white, ImageFit::pad, ImageChannels::luminance, 16);
    EXPECT_EQ(black.region, (ImageRegion{6, 5, 4, 6}));
    EXPECT_NEAR(mean(black.planes[0]), 24.0 / 256.0, 1e-7);
    EXPECT_EQ(black.planes[0][5 * 16 + 6], 1.0F);
    EXPECT_EQ(black.planes[0][5 * 16 + 5], 0.0F);
    const FittedImage edge = fit_image(white, ImageFit::pad_edge, ImageChannels::luminance, 16);
    EXPECT_EQ(edge.planes[0], Plane(256, 1.0F));
    const FittedImage corners =
        fit_image(picture(2, 2, 1, {0, 255, 255, 0}), ImageFit::pad_edge, ImageChannels::luminance, 16);
    EXPECT_EQ(corners.planes[0][0], 0.0F);
    EXPECT_EQ(corners.planes[0][15], 1.0F);
    EXPECT_EQ(corners.planes[0][15 * 16], 1.0F);
    EXPECT_EQ(corners.planes[0][255], 0.0F);
    try {
        fit_image(noise(17, 3, 1), ImageFit::pad, ImageChannels::luminance, 16);
        FAIL() << "accepted";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("17 x 3 pixels cannot be padded to 16 x 16"), std::string::npos);
    }
}

TEST(ImageTransform, DefaultSizes) {
    EXPECT_EQ(default_image_size(4000, 3000, ImageFit::resample), 512);
    EXPECT_EQ(default_image_size(256, 200, ImageFit::pad), 256);
    EXPECT_EQ(default_image_size(257, 200, ImageFit::pad_edge), 512);
    EXPECT_EQ(default_image_size(3, 2, ImageFit::pad), 16);
    EXPECT_EQ(default_image_size(16384, 1, ImageFit::pad), 16384);
}

TEST(ImageTransform, FilterGains) {
    const BandFilter low{.low_pass = 0.5, .high_pass = {}}, high{.low_pass = {}, .high_pass = 0.25};
    const BandFilter band{.low_pass = 0.5, .high_pass = 0.25};
    EXPECT_TRUE(BandFilter{}.passes_all());
    EXPECT_FALSE(band.passes_all());
    for (const double frequency : {0.0, 0.1, 0.5, 1.0, 1.4}) EXPECT_EQ(BandFilter{}.gain(frequency), 1.0);
    EXPECT_EQ(low.gain(0.45), 1.0);
    EXPECT_NEAR(low.gain(0.5), 0.5, 1e-12);
    EXPECT_NEAR(low.gain(0.475), 0.853553, 1e-6); // (1 + cos(pi / 4)) / 2
    EXPECT_NEAR(low.gain(0.56), 0.0, 1e-12);
    EXPECT_EQ(high.gain(0.0), 1.0) << "the mean always passes";
    EXPECT_NEAR(high.gain(0.01), 0.0, 1e-12);
    EXPECT_NEAR(high.gain(0.25), 0.5, 1e-12);
    EXPECT_NEAR(high.gain(0.3), 1.0, 1e-12);
    for (double frequency = 0.0; frequency < 1.5; frequency += 0.01) {
        EXPECT_NEAR(band.gain(frequency), low.gain(frequency) * high.gain(frequency), 1e-12);
        EXPECT_LE(low.gain(frequency + 0.01), low.gain(frequency) + 1e-12);
    }
}

TEST(ImageTransform, RadialFrequencies) {
    EXPECT_EQ(radial_frequency(0, 0, 64), 0.0);
    EXPECT_EQ(radial_frequency(32, 0, 64), 1.0);
    EXPECT_EQ(radial_frequency(0, 63, 64), 1.0 / 32.0);
    EXPECT_NEAR(radial_frequency(32, 32, 64), std::numbers::sqrt2, 1e-12);
    for (int index = 1; index < 64; ++index) // the same for k and -k, or a filtered picture would not be real
        EXPECT_EQ(radial_frequency(index, 5, 64), radial_frequency(64 - index, 59, 64));
}

TEST(ImageTransform, PlanesRideInPairs) {
    EXPECT_EQ(layers_for(1, fft::Packing::vec2), 1);
    EXPECT_EQ(layers_for(3, fft::Packing::vec2), 2);
    EXPECT_EQ(layers_for(3, fft::Packing::vec4), 1);
    std::vector<Plane> planes(3, Plane(256));
    for (std::size_t plane = 0; plane < 3; ++plane)
        for (std::size_t texel = 0; texel < 256; ++texel)
            planes[plane][texel] = static_cast<float>(1000 * plane + texel);
    const fft::TransformDesc four{.size = 16, .packing = fft::Packing::vec4, .layers = 1};
    const fft::TransformDesc two{.size = 16, .packing = fft::Packing::vec2, .layers = 2};
    const std::vector<float> in_four = pack_planes(planes, four), in_two = pack_planes(planes, two);
    EXPECT_EQ(std::vector<float>(in_four.begin() + 20, in_four.begin() + 24), (std::vector<float>{5, 1005, 2005, 0}));
    EXPECT_EQ(std::vector<float>(in_two.begin() + 10, in_two.begin() + 12), (std::vector<float>{5, 1005}));
    EXPECT_EQ(std::vector<float>(in_two.begin() + 522, in_two.begin() + 524), (std::vector<float>{2005, 0}));
    EXPECT_EQ(unpack_planes(in_four, four, 3), planes);
    EXPECT_EQ(unpack_planes(in_two, two, 3), planes);
}

TEST(ImageTransform, SpectraComeApart) {
    for (const fft::Packing packing : fft::all_packings) {
        fft::TransformDesc desc{.size = 16, .direction = fft::Direction::forward, .packing = packing};
        desc.layers = layers_for(3, packing);
        const FittedImage fitted = fit_image(noise(16, 16, 3), ImageFit::resample, ImageChannels::rgb, 16);
        std::vector<float> texels;
        std::vector<std::vector<fft::reference::Complex>> fields =
            fft::reference::transform_batch(pack_planes(fitted.planes, desc), desc);
        const auto lanes = static_cast<std::size_t>(fft::complex_per_texel(packing));
        for (std::size_t layer = 0; layer < fields.size() / lanes; ++layer)
            for (std::size_t texel = 0; texel < 256; ++texel)
                for (std::size_t lane = 0; lane < lanes; ++lane) {
                    texels.push_back(static_cast<float>(fields[layer * lanes + lane][texel].real()));
                    texels.push_back(static_cast<float>(fields[layer * lanes + lane][texel].imag()));
                }
        const std::vector<SpectrumPlane> spectra = unpack_spectra(texels, desc, 3);
        ASSERT_EQ(spectra.size(), 3U);
        for (std::size_t plane = 0; plane < 3; ++plane) {
            const fft::TransformDesc alone{
                .size = 16, .direction = fft::Direction::forward, .packing = fft::Packing::vec2};
            const auto expected =
                fft::reference::transform_batch(pack_planes(std::span(fitted.planes).subspan(plane, 1), alone), alone);
            for (std::size_t texel = 0; texel < 256; ++texel)
                ASSERT_NEAR(std::abs(spectra[plane][texel] - expected[0][texel]), 0.0, 2e-5) << plane << " " << texel;
        }
    }
}

TEST(ImageTransform, SpectrumOfASinusoidHasTwoPointsAroundTheMiddle) {
    constexpr int size = 32, kx = 5, ky = -3;
    const fft::TransformDesc desc{.size = size, .direction = fft::Direction::forward, .packing = fft::Packing::vec2};
    Plane wave;
    for (int row = 0; row < size; ++row)
        for (int column = 0; column < size; ++column)
            wave.push_back(
                static_cast<float>(0.5 + 0.5 * std::cos(2.0 * std::numbers::pi * (kx * column + ky * row) / size)));
    const auto fields = fft::reference::transform_batch(pack_planes(std::vector<Plane>{wave}, desc), desc);
    const render::RgbImage shown = spectrum_picture(fields, size);
    ASSERT_EQ(shown.pixels.size(), std::size_t{3} * size * size);
    const auto level = [&shown](int column, int row) {
        return static_cast<int>(shown.pixels[static_cast<std::size_t>(3 * (row * size + column))]);
    };
    EXPECT_EQ(level(16, 16), 255) << "the mean stands in the middle";
    // Half of the mean: 255 (1 - log(1/2) / log(1e-6)).
    EXPECT_EQ(level(16 + kx, 16 + ky), 242);
    EXPECT_EQ(level(16 - kx, 16 - ky), 242);
    int lit = 0;
    for (int row = 0; row < size; ++row)
        for (int column = 0; column < size; ++column) lit += level(column, row) > 0 ? 1 : 0;
    EXPECT_EQ(lit, 3);
    EXPECT_EQ(spectrum_picture(std::vector<SpectrumPlane>{SpectrumPlane(256)}, 16).pixels,
              std::vector<std::uint8_t>(768, 0));
}

TEST(ImageTransform, Differences) {
    const std::vector<Plane> a{Plane(256, 0.5F)};
    std::vector<Plane> b = a;
    EXPECT_TRUE(std::isinf(compare_planes(a, b).psnr_db));
    b[0][7] = 0.75F;
    const ImageDifference one = compare_planes(a, b);
    EXPECT_EQ(one.maximum, 0.25);
    EXPECT_DOUBLE_EQ(one.rms, 0.25 / 16.0);
    EXPECT_NEAR(one.psnr_db, 36.1236, 1e-4); // 20 log10(64)
    b[0][9] = std::nanf("");
    EXPECT_TRUE(std::isnan(compare_planes(a, b).maximum));
    EXPECT_FALSE(compare_planes(a, b).psnr_db >= required_psnr_db);
}

TEST(ImageTransform, Names) {
    for (const ImageFit fit : all_image_fits) EXPECT_EQ(parse_image_fit(to_string(fit)), fit);
    for (const ImageChannels channels : all_image_channels)
        EXPECT_EQ(parse_image_channels(to_string(channels)), channels);
    EXPECT_FALSE(parse_image_fit("stretch"));
}

} // namespace
} // namespace spindrift
