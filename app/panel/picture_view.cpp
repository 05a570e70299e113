#include "app/panel/picture_view.h"

#include <utility>

namespace spindrift {
namespace {

void show(gl::Texture& texture, const render::RgbImage& picture, std::string_view label) {
    if (!texture || texture.width() != picture.width || texture.height() != picture.height)
        texture = gl::Texture({.format = gl::PixelFormat::rgba8,
                               .width = picture.width,
                               .height = picture.height,
                               .filter = gl::Filter::linear},
                              label);
    std::vector<std::uint8_t> texels;
    texels.reserve(picture.pixels.size() / 3 * 4);
    for (std::size_t index = 0; index < picture.pixels.size(); index += 3)
        texels.insert(texels.end(),
                      {picture.pixels[index], picture.pixels[index + 1], picture.pixels[index + 2], std::uint8_t{255}});
    texture.upload_bytes(texels);
}

} // namespace

void PictureView::open(const std::string& path) {
    image_ = render::read_image(path);
    path_ = path;
    refresh();
}

bool PictureView::update(const PictureChoices& choices, gl::ProgramLibrary& library, const gl::DeviceLimits& limits) {
    if (!has_picture() || current_ == choices) return false;
    PictureChoices with_old_filter = choices;
    if (current_) with_old_filter.filter = current_->filter;
    const bool only_filter = showing() && current_ == with_old_filter;
    current_ = choices; // before the work: what fails now fails the same way in the next frame
    if (!only_filter) fit_and_transform(library, limits);
    apply_filter();
    return !only_filter;
}

void PictureView::fit_and_transform(gl::ProgramLibrary& library, const gl::DeviceLimits& limits) {
    transform_.reset();
    fitted_ = fit_image(image_, current_->fit, current_->channels, current_->size);
    auto transform = std::make_unique<ImageTransform>(ImageTransform::Desc{.algorithm = current_->algorithm,
                                                                           .packing = current_->packing,
                                                                           .storage = current_->storage,
                                                                           .size = current_->size,
                                                                           .planes = fitted_.planes.size()},
                                                      library, limits);
    transform->transform(fitted_.planes);
    transform->apply({});
    round_trip_ = compare_planes(fitted_.planes, transform->restored());
    show(original_, picture_of(fitted_.planes, fitted_.size, fitted_.region), "picture: original");
    transform_ = std::move(transform);
}

void PictureView::apply_filter() {
    transform_->apply(current_->filter);
    filtered_.reset();
    if (!current_->filter.passes_all()) filtered_ = compare_planes(fitted_.planes, transform_->restored());
    show(spectrum_, spectrum_picture(transform_->spectra(), fitted_.size), "picture: spectrum");
    show(restored_, picture_of(transform_->restored(), fitted_.size, fitted_.region), "picture: restored");
}

} // namespace spindrift
