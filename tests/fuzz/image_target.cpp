// Pictures: PNG, JPEG and BMP.
#include "tests/fuzz/target.h"

#include "engine/error.h"
#include "engine/render/image_file.h"
#include "engine/render/png_file.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace spindrift;
    // One input in 64 may be as large as any picture: the others would wait for it.
    const std::int64_t most_pixels = size % 64 == 0 ? render::max_image_pixels : std::int64_t{1} << 18;
    try {
        const render::Image image = render::decode_image({data, size}, "input", most_pixels);
        const bool is_sound = image.width >= 1 && image.height >= 1 && image.width <= render::max_image_dimension &&
                              image.height <= render::max_image_dimension && image.channels >= 1 &&
                              image.channels <= 4 && std::int64_t{image.width} * image.height <= most_pixels &&
                              image.samples.size() == std::size_t{1} * static_cast<std::size_t>(image.width) *
                                                          static_cast<std::size_t>(image.height) *
                                                          static_cast<std::size_t>(image.channels);
        if (!is_sound) fuzz::fail("an image was accepted whose size is not what it says");
    } catch (const Error&) { // refused, as damaged files should be
        return 0;
    }
    if (size % 16 != 0) return 0;
    try {
        render::decode_png({data, size}, "input");
    } catch (const Error&) { // no PNG, or one of 16 bits
        return 0;
    }
    return 0;
}
