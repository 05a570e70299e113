// The picture that the panel shows beside its spectrum: transformed anew whenever a choice changes. No user interface.
#pragma once

#include "app/image_transform.h"
#include "engine/gl/texture.h"

#include <memory>
#include <optional>
#include <string>

namespace spindrift {

struct PictureChoices {
    fft::Algorithm algorithm = fft::Algorithm::stockham_radix4;
    fft::Packing packing = fft::Packing::vec4;
    fft::Storage storage = fft::Storage::image;
    int size = 512;
    ImageFit fit = ImageFit::resample;
    ImageChannels channels = ImageChannels::rgb;
    BandFilter filter = {};

    bool operator==(const PictureChoices&) const = default;
};

class PictureView {
public:
    /// Reads the file. Throws Error; what was open before stays open then.
    void open(const std::string& path);
    bool has_picture() const noexcept { return !path_.empty(); }
    const std::string& path() const noexcept { return path_; }
    const render::Image& image() const noexcept { return image_; }

    /// Brings textures and figures up to date with the picture and `choices`, and does nothing when they are. True when
    /// there is a new round trip, more than another filter. Throws Error; then it shows nothing, and tries again when
    /// something has changed.
    bool update(const PictureChoices& choices, gl::ProgramLibrary& library, const gl::DeviceLimits& limits);
    /// The next update() computes everything anew, as after shaders were reloaded.
    void refresh() noexcept { current_.reset(); }

    bool showing() const noexcept { return transform_ != nullptr; }
    // Valid while showing(); rgba8, linear filter.
    const gl::Texture& original() const noexcept { return original_; }
    const gl::Texture& spectrum() const noexcept { return spectrum_; }
    const gl::Texture& restored() const noexcept { return restored_; }
    const ImageDifference& round_trip() const noexcept { return round_trip_; }            ///< without the filter
    const std::optional<ImageDifference>& filtered() const noexcept { return filtered_; } ///< with it, if there is one
    bool was_transparent() const noexcept { return fitted_.was_transparent; }

private:
    void fit_and_transform(gl::ProgramLibrary& library, const gl::DeviceLimits& limits);
    void apply_filter();

    std::string path_;
    render::Image image_;
    std::optional<PictureChoices> current_; ///< what was computed, or failed
    FittedImage fitted_;
    std::unique_ptr<ImageTransform> transform_;
    ImageDifference round_trip_;
    std::optional<ImageDifference> filtered_;
    gl::Texture original_{gl::no_create}, spectrum_{gl::no_create}, restored_{gl::no_create};
};

} // namespace spindrift
