// The picture in the panel: what is computed anew and when, and that an error leaves nothing stale on the screen.
#include "tests/gl/fft_fixture.h"

#include "app/panel/picture_view.h"

namespace spindrift::test {
namespace {

class PictureViewTest : public FftTest {
protected:
    inline static const std::string sample = source_path("assets/sample.png");

    static bool update(PictureView& view, const PictureChoices& choices) {
        return view.update(choices, library(), device().limits);
    }
    static std::vector<std::uint8_t> texels(const gl::Texture& texture) {
        std::vector<std::uint8_t> bytes(texture.element_count());
        texture.download_bytes(bytes);
        return bytes;
    }
};

TEST_F(PictureViewTest, FollowsChoices) {
    PictureView view;
    PictureChoices choices{.size = 64};
    EXPECT_FALSE(update(view, choices)) << "nothing is open yet";
    EXPECT_FALSE(view.showing());
    view.open(sample);
    EXPECT_TRUE(update(view, choices));
    EXPECT_FALSE(update(view, choices)) << "nothing changed";
    EXPECT_GE(view.round_trip().psnr_db, required_psnr_db);
    EXPECT_FALSE(view.filtered());
    EXPECT_EQ(texels(view.original()), texels(view.restored()));

    const std::vector<std::uint8_t> whole = texels(view.spectrum());
    choices.filter.low_pass = 0.2;
    EXPECT_FALSE(update(view, choices)) << "only the filter";
    ASSERT_TRUE(view.filtered());
    EXPECT_GT(view.filtered()->rms, 0.01);
    EXPECT_NE(texels(view.spectrum()), whole);
    EXPECT_NE(texels(view.original()), texels(view.restored()));
    choices.filter = {};
    update(view, choices);
    EXPECT_EQ(texels(view.spectrum()), whole);

    for (const fft::Algorithm algorithm : fft::glsl_algorithms) {
        choices.algorithm = algorithm;
        update(view, choices);
        EXPECT_GE(view.round_trip().psnr_db, required_psnr_db) << to_string(algorithm);
    }
    choices.channels = ImageChannels::luminance;
    choices.size = 128;
    EXPECT_TRUE(update(view, choices));
    EXPECT_EQ(view.spectrum().width(), 128);
    view.refresh();
    EXPECT_TRUE(update(view, choices));
}

TEST_F(PictureViewTest, ErrorsLeaveNothingStale) {
    PictureView view;
    view.open(sample);
    PictureChoices choices{.size = 64};
    update(view, choices);
    EXPECT_THROW(view.open("/nonexistent.png"), Error);
    EXPECT_EQ(view.path(), sample) << "what was open stays open";
    EXPECT_TRUE(view.showing());
    choices.fit = ImageFit::pad; // 256 pixels do not fit into 64
    EXPECT_THROW(update(view, choices), Error);
    EXPECT_FALSE(view.showing());
    EXPECT_FALSE(update(view, choices)) << "not tried again in every frame";
    choices.filter.low_pass = 0.5;
    EXPECT_THROW(update(view, choices), Error);
    choices.size = 256;
    EXPECT_TRUE(update(view, choices));
    EXPECT_TRUE(view.showing());
}

} // namespace
} // namespace spindrift::test
