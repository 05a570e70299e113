// The panel's window "Picture": a file of the user there and back, with the panel's own kernel.
#pragma once

#include "app/panel/picture_view.h"

#include <array>
#include <string>

namespace spindrift {

class PanelLayout;
struct PanelFrame;
struct Settings;

class ImageTab {
public:
    /// Reads a picture and shows the window; a file that is no good is explained in it.
    void open(const std::string& path);
    /// The picture that comes with the program (assets/sample.png).
    void open_sample();

    bool& visible() noexcept { return visible_; }
    void draw(const PanelFrame& frame, PanelLayout& layout);

private:
    void update(const PanelFrame& frame);
    void path_controls();
    void choice_controls(const PanelFrame& frame);
    void figures() const;
    void pictures() const;
    PictureChoices choices(const Settings& settings) const;

    bool visible_ = false;
    std::array<char, 4096> path_{}; ///< as typed
    ImageFit fit_ = ImageFit::resample;
    ImageChannels channels_ = ImageChannels::rgb;
    float high_pass_ = 0.0F, low_pass_ = 1.0F; ///< at these ends: no filter
    PictureView view_;
    std::string error_;
};

} // namespace spindrift
