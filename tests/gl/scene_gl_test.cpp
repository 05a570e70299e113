// The whole frame, off screen: passes, pictures, and nothing left behind when things are switched.
#include "tests/gl/context_fixture.h"

#include "app/scene.h"
#include "fft/registry.h"

#include <algorithm>
#include <cstdlib>
#include <random>
#include <vector>

namespace spindrift {
namespace {

constexpr platform::Extent picture_size{160, 90};
constexpr double picture_time = 12.5;

Settings small_settings() {
    Settings settings;
    settings.size = 64;
    settings.vertices = 20'000;
    settings.sea.wind_speed = 15.0; // with foam in the picture
    return settings;
}

using Picture = std::vector<std::uint8_t>;

class SceneGl : public test::ContextTest {
protected:
    Picture picture_of(Scene& scene) {
        const render::OffscreenTarget target(picture_size.width, picture_size.height);
        scene.draw(picture_time, 0.0, picture_size, target.framebuffer(), nullptr);
        return target.read_rgb8();
    }

    Picture fresh_picture(const Settings& settings, gl::ProgramLibrary& programs) {
        Scene scene(settings, programs, device());
        return picture_of(scene);
    }
};

int largest_difference(const Picture& a, const Picture& b) {
    int largest = 0;
    for (std::size_t index = 0; index < a.size(); ++index)
        largest = std::max(largest, std::abs(int{a[index]} - int{b[index]}));
    return largest;
}

/// Sky above, darker water below, and neither of one colour.
TEST_F(SceneGl, PictureHasSkyAndSea) {
    gl::ProgramLibrary programs = make_library();
    const Picture picture = fresh_picture(small_settings(), programs);
    const auto mean_of_rows = [&](int first, int last) {
        double sum = 0.0;
        const std::size_t row = std::size_t{picture_size.width} * 3;
        for (std::size_t index = first * row; index < last * row; ++index) sum += picture[index];
        return sum / static_cast<double>((last - first) * row);
    };
    EXPECT_GT(mean_of_rows(0, 40), mean_of_rows(50, 90) + 20.0);
    EXPECT_GT(*std::max_element(picture.begin(), picture.end()), 240);
    EXPECT_LT(*std::min_element(picture.begin(), picture.end()), 80);
}

TEST_F(SceneGl, EveryAlgorithmShowsTheSameSea) {
    gl::ProgramLibrary programs = make_library();
    Settings settings = small_settings();
    const Picture reference = fresh_picture(settings, programs);
    for (const fft::Algorithm algorithm : fft::glsl_algorithms) {
        for (const fft::Packing packing : {fft::Packing::vec2, fft::Packing::vec4}) {
            settings.algorithm = algorithm;
            settings.packing = packing;
            EXPECT_LE(largest_difference(fresh_picture(settings, programs), reference), 2) << to_string(algorithm);
        }
    }
    settings.sea.seed = 2;
    EXPECT_GT(largest_difference(fresh_picture(settings, programs), reference), 20) << "another sea looks the same";
}

/// Random switches of algorithm, size, packing and storage: when the first choice is back, so are the counts of GL
/// objects and bytes, and the picture is that of a fresh start.
TEST_F(SceneGl, TwoHundredSwitchesLeaveNothingBehind) {
    gl::ProgramLibrary programs = make_library();
    const Settings first = small_settings();
    Scene scene(first, programs, device());
    const Picture fresh = picture_of(scene);
    const auto switch_to = [&](std::size_t choice) {
        Settings settings = first;
        settings.algorithm = fft::glsl_algorithms[choice % 4];
        settings.size = 16 << (choice / 4 % 3);
        settings.packing = choice / 12 % 2 == 0 ? fft::Packing::vec2 : fft::Packing::vec4;
        settings.storage = choice / 24 % 2 == 0 ? fft::Storage::image : fft::Storage::buffer;
        scene.apply(settings);
        picture_of(scene);
    };
    constexpr std::size_t choices = 48;
    for (std::size_t choice = 0; choice < choices; ++choice) switch_to(choice); // every program is built once
    scene.apply(first);
    picture_of(scene);
    const std::size_t objects = gl::live_objects();
    const std::size_t bytes = gl::live_bytes();
    const std::uint64_t compiled = programs.compile_count();

    std::mt19937 random(7); // NOLINT: the same switches in every run
    for (int count = 0; count < 200; ++count) switch_to(random() % choices);
    scene.apply(first);
    EXPECT_EQ(largest_difference(picture_of(scene), fresh), 0);
    EXPECT_EQ(gl::live_objects(), objects);
    EXPECT_EQ(gl::live_bytes(), bytes);
    EXPECT_EQ(programs.compile_count(), compiled);
    EXPECT_EQ(gl::drain_errors(), "");
}

TEST_F(SceneGl, RefusedChangeLeavesTheSceneAsItWas) {
    gl::ProgramLibrary programs = make_library();
    const Settings settings = small_settings();
    Scene scene(settings, programs, device());
    const Picture before = picture_of(scene);
    Settings wrong = settings;
    wrong.size = 500;
    EXPECT_THROW(scene.apply(wrong), Error);
    EXPECT_EQ(scene.simulation().desc().size, settings.size);
    EXPECT_EQ(largest_difference(picture_of(scene), before), 0);
}

TEST_F(SceneGl, PicturesOfAnySizeHaveNoErrors) {
    gl::ProgramLibrary programs = make_library();
    Scene scene(small_settings(), programs, device());
    for (const platform::Extent size : {platform::Extent{1, 1}, {2, 700}, {701, 3}, {64, 64}, {1, 1}}) {
        const render::OffscreenTarget target(size.width, size.height);
        scene.draw(1.0, 0.0, size, target.framebuffer(), nullptr);
        EXPECT_EQ(gl::drain_errors(), "") << size.width << " x " << size.height;
    }
}

} // namespace
} // namespace spindrift
