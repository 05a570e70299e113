// Mip levels by a compute kernel. What a driver does for glGenerateMipmap is a draw for each level; this is two
// dispatches for a texture of up to 4096 x 4096 texels, and one up to 64 x 64.
#pragma once

#include "engine/gl/program.h"
#include "engine/gl/texture.h"

#include <initializer_list>
#include <vector>

namespace spindrift::render {

/// Fills the mip levels of square rgba32f textures from their level 0. Each texel is the mean of the four below it,
/// added in the same order everywhere, so equal contents have equal levels, bit for bit.
class BoxMipmaps {
public:
    static constexpr int levels_per_dispatch = 6; ///< as many image units as every device has, with two to spare
    static constexpr int largest_size = 1 << 2 * levels_per_dispatch;

    /// For textures of `size` x `size` texels, a power of two up to largest_size. Builds the programs, of which there
    /// is one for each number of levels in a dispatch. Throws Error when one cannot be built.
    BoxMipmaps(int size, gl::ProgramLibrary& programs);

    /// All levels of all `maps`, each of this size with its full chain. Level 0 must be visible to texture fetches; the
    /// levels are to image access and nothing else until the caller's memory_barrier(). Uses image units 0 to 5 and
    /// texture unit 0.
    void generate(std::initializer_list<const gl::Texture*> maps) const;

    /// The kernel that writes `levels` levels, 1 to levels_per_dispatch.
    static gl::ProgramRecipe recipe(int levels);
    /// All that the constructor needs.
    static std::vector<gl::ProgramRecipe> recipes(int size);

private:
    /// The same part of every map; the parts of one map depend on each other.
    struct Part {
        const gl::Program* program;
        int source_level, levels;
    };
    void dispatch(const Part& part, const gl::Texture& map) const;

    int size_;
    std::vector<Part> parts_;
};

} // namespace spindrift::render
