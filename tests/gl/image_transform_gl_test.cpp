// Pictures there and back on the GPU.
#include "tests/gl/fft_fixture.h"

#include "app/image_transform.h"

#include <numbers>

namespace spindrift::test {
namespace {

class ImageTransformTest : public FftTest {
protected:
    static ImageTransform make(const ImageTransform::Desc& desc) { return {desc, library(), device().limits}; }

    static void SetUpTestSuite() { FftTest::SetUpTestSuite(); }

    /// The project's own picture, a sea.
    static const render::Image& sample() {
        static const render::Image image = render::read_image(source_path("assets/sample.png"));
        return image;
    }
};

TEST_F(ImageTransformTest, RoundTripsKeepMoreThan100Decibels) {
    for (const int size : {256, 512, 1024}) {
        const FittedImage fitted = fit_image(sample(), ImageFit::resample, ImageChannels::rgb, size);
        for (const fft::Algorithm algorithm : fft::glsl_algorithms) {
            ImageTransform transform = make({.algorithm = algorithm, .size = size, .planes = 3});
            transform.transform(fitted.planes);
            transform.apply({});
            const ImageDifference difference = compare_planes(fitted.planes, transform.restored());
            EXPECT_GE(difference.psnr_db, required_psnr_db) << to_string(algorithm) << " " << size;
            EXPECT_GT(difference.rms, 0.0) << "no transform in floats is exact";
            EXPECT_LT(difference.maximum, 1e-5);
        }
    }
}

TEST_F(ImageTransformTest, EveryPackingAndStorageAgrees) {
    for (const ImageChannels channels : all_image_channels) {
        const FittedImage fitted = fit_image(sample(), ImageFit::resample, channels, 64);
        for (const fft::Algorithm algorithm : fft::glsl_algorithms)
            for (const fft::Packing packing : fft::all_packings)
                for (const fft::Storage storage : fft::all_storages) {
                    ImageTransform transform = make({.algorithm = algorithm,
                                                     .packing = packing,
                                                     .storage = storage,
                                                     .size = 64,
                                                     .planes = fitted.planes.size()});
                    transform.transform(fitted.planes);
                    transform.apply({});
                    EXPECT_GE(compare_planes(fitted.planes, transform.restored()).psnr_db, required_psnr_db)
                        << describe(transform.forward_desc());
                }
    }
}

TEST_F(ImageTransformTest, RestoredPictureIsTheFileAgain) {
    const FittedImage fitted = fit_image(sample(), ImageFit::resample, ImageChannels::rgb, 256);
    ImageTransform transform = make({.size = 256, .planes = 3});
    transform.transform(fitted.planes);
    transform.apply({});
    const render::RgbImage back = picture_of(transform.restored(), 256, fitted.region);
    for (std::size_t index = 0; index < back.pixels.size(); ++index)
        ASSERT_EQ(back.pixels[index] * 257, sample().samples[index]) << index;
}

TEST_F(ImageTransformTest, FiltersTakeWaves) {
    constexpr int size = 64;
    const auto wave = [](int kx, int ky, float strength) {
        Plane plane;
        for (int row = 0; row < size; ++row)
            for (int column = 0; column < size; ++column)
                plane.push_back(strength *
                                static_cast<float>(std::cos(2.0 * std::numbers::pi * (kx * column + ky * row) / size)));
        return plane;
    };
    const auto sum = [](const std::vector<Plane>& parts) {
        Plane total(static_cast<std::size_t>(size) * size, 0.4F);
        for (const Plane& part : parts)
            for (std::size_t texel = 0; texel < total.size(); ++texel) total[texel] += part[texel];
        return total;
    };
    // Radial frequencies 0.125, 0.3125 and 0.75.
    const Plane slow = wave(4, 0, 0.1F), middle = wave(6, 8, 0.1F), fast = wave(0, 24, 0.1F);
    // Three channels with other contents, so that a leak from one to another would show.
    const std::vector<Plane> input{sum({slow, middle, fast}), sum({fast}), sum({slow})};
    ImageTransform transform = make({.packing = fft::Packing::vec4, .size = size, .planes = 3});
    transform.transform(input);
    const auto expect = [&](const BandFilter& filter, const std::vector<Plane>& expected) {
        transform.apply(filter);
        EXPECT_LT(compare_planes(expected, transform.restored()).maximum, 1e-5);
    };
    expect({.low_pass = 0.2, .high_pass = {}}, {sum({slow}), sum({}), sum({slow})});
    expect({.low_pass = {}, .high_pass = 0.5}, {sum({fast}), sum({fast}), sum({})});
    expect({.low_pass = 0.5, .high_pass = 0.2}, {sum({middle}), sum({}), sum({})});
    expect({}, input); // the spectrum was kept
}

TEST_F(ImageTransformTest, SpectraBelongToTheirChannels) {
    const FittedImage fitted = fit_image(sample(), ImageFit::resample, ImageChannels::rgb, 64);
    ImageTransform together = make({.size = 64, .planes = 3});
    together.transform(fitted.planes);
    together.apply({});
    const std::vector<SpectrumPlane> spectra = together.spectra();
    for (std::size_t plane = 0; plane < 3; ++plane) {
        ImageTransform alone = make({.packing = fft::Packing::vec2, .size = 64, .planes = 1});
        alone.transform(std::span(fitted.planes).subspan(plane, 1));
        alone.apply({});
        const SpectrumPlane expected = alone.spectra().front();
        double error = 0.0, power = 0.0;
        for (std::size_t index = 0; index < expected.size(); ++index) {
            error += std::norm(spectra[plane][index] - expected[index]);
            power += std::norm(expected[index]);
        }
        EXPECT_LT(std::sqrt(error / power), 3e-7);
    }
}

TEST_F(ImageTransformTest, SaysWhyADeviceCannot) {
    try {
        make({.size = 4096});
        FAIL() << "accepted";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("4096"), std::string::npos);
    }
}

} // namespace
} // namespace spindrift::test
