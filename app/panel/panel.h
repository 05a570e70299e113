// The panel over the sea: every parameter, the passes with their times, and what runs here.
#pragma once

#include "app/demo_state.h"
#include "app/panel/layout.h"
#include "app/transform_tuning.h"
#include "engine/gl/program.h"
#include "engine/profiler/profiler.h"

#include <filesystem>
#include <memory>
#include <string>

namespace spindrift::platform {
class Window;
}

namespace spindrift {

class ImageTab;
class MeasurementsView;
class Scene;

/// What one frame of the panel reads, and the state that it edits.
struct PanelFrame {
    DemoState& state;
    const Scene& scene;
    const profiler::Profiler& profiler;
    const TuningStatus& tuning; ///< the present search or the last one
    platform::Window& window;
    gl::ProgramLibrary& programs;
};

/// Owns Dear ImGui's context and its GLFW and OpenGL backends.
class Panel {
public:
    /// `ui_scale` multiplies all sizes; 0 = the monitor's content scale. What a hand
    /// has changed of the layout is kept in the configuration folder.
    Panel(platform::Window& window, float ui_scale);
    ~Panel();
    Panel(const Panel&) = delete;
    Panel& operator=(const Panel&) = delete;

    /// After the window moved to a monitor with another content scale.
    void set_scale(platform::Window& window);

    /// A picture to take there and back, such as one that was dropped onto the window.
    void open_picture(const std::string& path);

    /// Builds and draws one frame into the window's framebuffer.
    void draw(const PanelFrame& frame);

    bool wants_keyboard() const; ///< a text field has the keyboard
    bool wants_mouse() const;    ///< the pointer is over a window of the panel

private:
    void apply_scale(float scale);

    float ui_scale_;
    float scale_ = 0.0F;
    std::filesystem::path layout_file_; ///< empty = it is not kept
    PanelLayout layout_;
    std::unique_ptr<ImageTab> image_tab_;
    std::unique_ptr<MeasurementsView> measurements_;
};

} // namespace spindrift
