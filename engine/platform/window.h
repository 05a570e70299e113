// A GLFW window with an OpenGL 4.5 core context.
#pragma once

#include "engine/platform/context.h"
#include "engine/platform/events.h"

#include <memory>
#include <string>
#include <vector>

struct GLFWwindow;

namespace spindrift::platform {

enum class Vsync {
    off,
    on,
    adaptive, ///< a late frame is shown at once instead of waiting a whole refresh; needs *_EXT_swap_control_tear
};

struct WindowDesc {
    std::string title = "Spindrift";
    Extent size{1280, 720}; ///< points; GLFW scales them to the monitor's content scale where the system does not
    bool debug = false;     ///< debug context with synchronous messages
    Vsync vsync = Vsync::on;
    bool fullscreen = false;
    bool visible = true;
    /// What can be done where there is no display: the end of the message that there is none.
    std::string without_display = "`spindrift --headless` renders the same frames without a display";
};

/// Three sizes are kept apart: points of the window (mouse positions), pixels of the framebuffer (viewports), and the
/// content scale (fonts and widgets). On a scaled desktop they all differ.
/// One thread, the main one.
class Window final : public Context {
public:
    /// Throws Error(no_gpu) with GLFW's own words when there is no display, or with the version found when it is below
    /// OpenGL 4.5.
    explicit Window(const WindowDesc& desc);
    ~Window() override;

    void make_current() override;
    void swap() override;
    Extent framebuffer_size() const override;

    Extent window_size() const; ///< points
    float content_scale() const;
    /// Iconified, or nothing to draw into: skip rendering and call wait_events().
    bool minimised() const;

    /// Events since the last call, in order.
    std::vector<Event> poll_events();
    /// The same, but sleeps until something happens or the time is over.
    std::vector<Event> wait_events(double timeout_seconds);

    bool should_close() const;
    void request_close(bool close = true);

    /// Borderless on the monitor that shows most of the window, at the desktop's resolution; back to the remembered
    /// rectangle.
    void set_fullscreen(bool fullscreen);
    bool fullscreen() const noexcept { return fullscreen_; }

    /// Adaptive falls back to `on`, with a warning, where the driver cannot do it.
    void set_vsync(Vsync vsync);
    Vsync vsync() const noexcept { return vsync_; } ///< in effect

    void set_title(const std::string& title);
    void set_size(Extent points);
    void minimise();
    void restore();
    void set_clipboard(const std::string& text);
    /// Hides the pointer and lets it move without bounds, for looking around.
    void capture_pointer(bool capture);
    bool key_down(Key key) const;
    bool button_down(MouseButton button) const;

    /// For ImGui's GLFW backend, which chains to the callbacks that are installed already.
    GLFWwindow* native_handle() const noexcept { return window_; }

private:
    struct Callbacks;
    std::vector<Event> take_events();

    GLFWwindow* window_ = nullptr;
    std::vector<Event> events_;
    Vsync vsync_ = Vsync::on;
    bool fullscreen_ = false;
    Extent windowed_size_;
    int windowed_x_ = 0, windowed_y_ = 0;
};

} // namespace spindrift::platform
