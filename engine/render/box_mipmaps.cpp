#include "engine/render/box_mipmaps.h"

#include "engine/gl/device.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <fmt/format.h>

namespace spindrift::render {
namespace {

constexpr int tile_size = 1 << BoxMipmaps::levels_per_dispatch; // texels of the source along an edge of a work group
constexpr unsigned source_unit = 0;
constexpr unsigned first_target_unit = 0;
constexpr int source_level_location = 0;

} // namespace

gl::ProgramRecipe BoxMipmaps::recipe(int levels) {
    assert(levels >= 1 && levels <= levels_per_dispatch);
    return gl::ProgramRecipe::compute("render/box_mipmaps.comp", {{"LEVELS", fmt::format("{}", levels)}});
}

std::vector<gl::ProgramRecipe> BoxMipmaps::recipes(int size) {
    std::vector<gl::ProgramRecipe> found;
    const int last_level = std::countr_zero(static_cast<unsigned>(size));
    for (int level = 0; level < last_level; level += levels_per_dispatch)
        found.push_back(recipe(std::min(last_level - level, levels_per_dispatch)));
    return found;
}

BoxMipmaps::BoxMipmaps(int size, gl::ProgramLibrary& programs) : size_(size) {
    assert(size >= 1 && size <= largest_size && std::has_single_bit(static_cast<unsigned>(size)));
    const int last_level = std::countr_zero(static_cast<unsigned>(size));
    for (int level = 0; level < last_level; level += levels_per_dispatch) {
        const int levels = std::min(last_level - level, levels_per_dispatch);
        parts_.push_back({.program = &programs.get(recipe(levels)), .source_level = level, .levels = levels});
    }
}

void BoxMipmaps::generate(std::initializer_list<const gl::Texture*> maps) const {
    for (const Part& part : parts_) {
        // What the part before stored is this part's source.
        if (part.source_level > 0) gl::memory_barrier(gl::Visibility::texture_fetch | gl::Visibility::image);
        for (const gl::Texture* map : maps) dispatch(part, *map);
    }
}

void BoxMipmaps::dispatch(const Part& part, const gl::Texture& map) const {
    assert(map.width() == size_ && map.height() == size_ && map.desc().format == gl::PixelFormat::rgba32f);
    assert(map.desc().target == gl::TextureTarget::texture_2d);
    assert(map.desc().levels == 1 + std::countr_zero(static_cast<unsigned>(size_)));
    map.bind(source_unit);
    for (int target = 0; target < part.levels; ++target)
        map.bind_image(first_target_unit + static_cast<unsigned>(target), gl::Access::write_only,
                       part.source_level + 1 + target);
    part.program->set(source_level_location, part.source_level);
    const int tiles = std::max((size_ >> part.source_level) / tile_size, 1);
    part.program->dispatch_groups(tiles, tiles);
}

} // namespace spindrift::render
