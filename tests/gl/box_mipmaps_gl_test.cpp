// Mip levels by compute: every texel of every level against a reduction on the CPU.
#include "tests/gl/context_fixture.h"

#include "engine/render/box_mipmaps.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

namespace spindrift::render {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

/// A map whose level 0 holds `texels` and whose other levels hold nothing that could pass for a result.
gl::Texture make_map(int size, const std::vector<float>& texels) {
    gl::Texture map({.format = gl::PixelFormat::rgba32f, .width = size, .height = size, .levels = 0}, "map");
    map.upload(texels);
    for (int level = 1; level < map.desc().levels; ++level) map.clear({nan, nan, nan, nan}, level);
    return map;
}

std::vector<float> random_texels(int size, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> value(-1.0F, 3.0F);
    std::vector<float> texels(std::size_t{4} * size * size);
    for (float& texel : texels) texel = value(random);
    return texels;
}

/// The level below `size` x `size` texels.
std::vector<float> reduced(const std::vector<float>& texels, int size) {
    const auto edge = static_cast<std::size_t>(size);
    std::vector<float> result;
    result.reserve(texels.size() / 4);
    for (std::size_t row = 0; row < edge; row += 2)
        for (std::size_t column = 0; column < edge; column += 2)
            for (std::size_t component = 0; component < 4; ++component) {
                const auto at = [&](std::size_t right, std::size_t down) {
                    return double{texels[4 * ((row + down) * edge + column + right) + component]};
                };
                result.push_back(static_cast<float>((at(0, 0) + at(1, 0) + at(0, 1) + at(1, 1)) / 4));
            }
    return result;
}

std::vector<float> level_of(const gl::Texture& map, int level) {
    std::vector<float> texels(map.element_count(level));
    map.download(texels, level);
    return texels;
}

/// Compares every level with the reduction of the one above, as far as that is right itself.
void expect_means(const gl::Texture& map, const std::vector<float>& texels) {
    std::vector<float> expected = texels;
    for (int level = 1; level < map.desc().levels; ++level) {
        expected = reduced(expected, map.width() >> (level - 1));
        const std::vector<float> actual = level_of(map, level);
        ASSERT_EQ(actual.size(), expected.size());
        std::size_t wrong = 0, first_wrong = 0;
        for (std::size_t index = 0; index < actual.size(); ++index) {
            // Not far from 0 to 3, each level off by a rounding or two more.
            if (std::abs(actual[index] - expected[index]) <= 5e-7F * static_cast<float>(level)) continue;
            if (wrong++ == 0) first_wrong = index;
        }
        EXPECT_EQ(wrong, 0U) << "size " << map.width() << ", level " << level << ": first at " << first_wrong << ", "
                             << actual[first_wrong] << " in place of " << expected[first_wrong];
    }
}

class BoxMipmapsGl : public test::ContextTest {
protected:
    static void make_visible() { gl::memory_barrier(gl::Visibility::texture_update | gl::Visibility::texture_fetch); }
};

TEST_F(BoxMipmapsGl, EveryTexelIsTheMeanOfTheFourBelow) {
    auto library = make_library();
    for (const int size : {16, 32, 64, 128, 256, 512, 1024, 2048}) {
        const BoxMipmaps mipmaps(size, library);
        const std::vector<float> one = random_texels(size, 1), other = random_texels(size, 2);
        const gl::Texture first = make_map(size, one), second = make_map(size, other);
        mipmaps.generate({&first, &second});
        make_visible();
        expect_means(first, one);
        expect_means(second, other);
        EXPECT_EQ(std::memcmp(level_of(first, 0).data(), one.data(), one.size() * sizeof(float)), 0) << size;
    }
}

TEST_F(BoxMipmapsGl, TheSmallestAndTheLargest) {
    auto library = make_library();
    for (const int size : {1, 2, 4, 8, BoxMipmaps::largest_size}) {
        const BoxMipmaps mipmaps(size, library);
        const std::vector<float> texels = random_texels(size, 3);
        const gl::Texture map = make_map(size, texels);
        mipmaps.generate({&map});
        make_visible();
        expect_means(map, texels);
    }
}

/// Periodic content has periodic levels, bit for bit, wherever in a work group or in which dispatch they were made.
TEST_F(BoxMipmapsGl, EqualTexelsHaveEqualMeans) {
    auto library = make_library();
    constexpr int period = 32, size = 512;
    const std::vector<float> tile = random_texels(period, 4);
    std::vector<float> texels;
    for (int row = 0; row < size; ++row)
        for (int column = 0; column < size; ++column)
            for (int component = 0; component < 4; ++component)
                texels.push_back(
                    tile[static_cast<std::size_t>(4 * (row % period * period + column % period) + component)]);
    const gl::Texture map = make_map(size, texels);
    BoxMipmaps(size, library).generate({&map});
    const gl::Texture small = make_map(period, tile);
    BoxMipmaps(period, library).generate({&small});
    make_visible();
    for (int level = 1; level < map.desc().levels; ++level) {
        // From the top of the small map's chain on, every texel is that one.
        const int small_level = std::min(level, small.desc().levels - 1);
        const std::vector<float> actual = level_of(map, level), expected = level_of(small, small_level);
        const int edge = size >> level, small_edge = period >> small_level;
        std::size_t different = 0;
        for (int row = 0; row < edge; ++row)
            for (int column = 0; column < edge; ++column)
                for (int component = 0; component < 4; ++component) {
                    const auto at = [component](int x, int y, int width) {
                        return static_cast<std::size_t>(4 * (y * width + x) + component);
                    };
                    different += actual[at(column, row, edge)] !=
                                 expected[at(column % small_edge, row % small_edge, small_edge)];
                }
        EXPECT_EQ(different, 0U) << "level " << level;
    }
}

} // namespace
} // namespace spindrift::render
