#include "engine/platform/window.h"

#include "engine/error.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <span>
#include <spdlog/spdlog.h>
#include <utility>

namespace spindrift::platform {
namespace {

static_assert(static_cast<int>(Key::space) == GLFW_KEY_SPACE && static_cast<int>(Key::digit_9) == GLFW_KEY_9 &&
              static_cast<int>(Key::a) == GLFW_KEY_A && static_cast<int>(Key::z) == GLFW_KEY_Z &&
              static_cast<int>(Key::escape) == GLFW_KEY_ESCAPE && static_cast<int>(Key::del) == GLFW_KEY_DELETE &&
              static_cast<int>(Key::home) == GLFW_KEY_HOME && static_cast<int>(Key::f1) == GLFW_KEY_F1 &&
              static_cast<int>(Key::f12) == GLFW_KEY_F12 && static_cast<int>(Key::keypad_add) == GLFW_KEY_KP_ADD &&
              static_cast<int>(Key::right_alt) == GLFW_KEY_RIGHT_ALT &&
              static_cast<int>(MouseButton::middle) == GLFW_MOUSE_BUTTON_MIDDLE &&
              static_cast<int>(Action::repeat) == GLFW_REPEAT);

std::string last_glfw_error = "no reason given";
int live_windows = 0;

/// GLFW has only a C callback for errors. Most are harmless (a position asked for on Wayland), so they are kept for the
/// message of a failure and otherwise only logged.
void on_glfw_error(int code, const char* description) {
    last_glfw_error = fmt::format("{} ({:#x})", description == nullptr ? "" : description, code);
    spdlog::debug("GLFW: {}", last_glfw_error);
}

void start_glfw(const std::string& without_display) {
    if (live_windows > 0) return;
    glfwSetErrorCallback(on_glfw_error);
    if (glfwInit() != GLFW_TRUE)
        throw Error(ExitCode::no_gpu,
                    fmt::format("no window: GLFW could not start: {}. {}", last_glfw_error, without_display));
}

void stop_glfw() {
    if (live_windows == 0) glfwTerminate();
}

/// The version that a window without any request gets, so that a refusal can name it; empty when it gets none.
template <typename Describe>
std::string offered_version(Describe describe) {
    glfwDefaultWindowHints();
    glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);
    GLFWwindow* window = glfwCreateWindow(64, 64, "", nullptr, nullptr);
    if (window == nullptr) return {};
    glfwMakeContextCurrent(window);
    std::string version = describe();
    glfwDestroyWindow(window);
    return version;
}

/// The monitor with the largest part of the rectangle; the primary one where positions are unknown (Wayland).
GLFWmonitor* monitor_of(int x, int y, Extent size) {
    int count = 0;
    GLFWmonitor** monitors = glfwGetMonitors(&count);
    GLFWmonitor* best = glfwGetPrimaryMonitor();
    long best_area = 0;
    for (GLFWmonitor* monitor : std::span(monitors, static_cast<std::size_t>(count))) {
        int left = 0, top = 0;
        glfwGetMonitorPos(monitor, &left, &top);
        const GLFWvidmode* mode = glfwGetVideoMode(monitor);
        if (mode == nullptr) continue;
        const long width = std::min(x + size.width, left + mode->width) - std::max(x, left);
        const long height = std::min(y + size.height, top + mode->height) - std::max(y, top);
        if (width > 0 && height > 0 && width * height > best_area) {
            best_area = width * height;
            best = monitor;
        }
    }
    return best;
}

Modifiers modifiers_of(int bits) {
    return {(bits & GLFW_MOD_SHIFT) != 0, (bits & GLFW_MOD_CONTROL) != 0, (bits & GLFW_MOD_ALT) != 0};
}

} // namespace

/// GLFW's C callbacks; the window's user pointer leads back to the Window.
struct Window::Callbacks {
    static void push(GLFWwindow* window, Event event) {
        static_cast<Window*>(glfwGetWindowUserPointer(window))->events_.push_back(std::move(event));
    }
    static void key(GLFWwindow* window, int key, int /*scancode*/, int action, int bits) {
        push(window, KeyEvent{static_cast<Key>(key), static_cast<Action>(action), modifiers_of(bits)});
    }
    static void button(GLFWwindow* window, int button, int action, int bits) {
        if (button > GLFW_MOUSE_BUTTON_MIDDLE) return;
        double x = 0.0, y = 0.0;
        glfwGetCursorPos(window, &x, &y);
        push(window,
             MouseButtonEvent{static_cast<MouseButton>(button), static_cast<Action>(action), modifiers_of(bits), x, y});
    }
    static void move(GLFWwindow* window, double x, double y) { push(window, MouseMoveEvent{x, y}); }
    static void scroll(GLFWwindow* window, double x, double y) { push(window, ScrollEvent{x, y}); }
    static void drop(GLFWwindow* window, int count, const char** paths) {
        DropEvent event;
        for (const char* path : std::span(paths, static_cast<std::size_t>(count))) event.paths.emplace_back(path);
        push(window, std::move(event));
    }
    static void framebuffer_size(GLFWwindow* window, int width, int height) {
        push(window, FramebufferResizeEvent{width, height});
    }
    static void content_scale(GLFWwindow* window, float x, float y) { push(window, ContentScaleEvent{std::max(x, y)}); }
    static void focus(GLFWwindow* window, int focused) { push(window, FocusEvent{focused == GLFW_TRUE}); }
    static void close(GLFWwindow* window) { push(window, CloseEvent{}); }

    static void install(GLFWwindow* window, Window* self) {
        glfwSetWindowUserPointer(window, self);
        glfwSetKeyCallback(window, key);
        glfwSetMouseButtonCallback(window, button);
        glfwSetCursorPosCallback(window, move);
        glfwSetScrollCallback(window, scroll);
        glfwSetDropCallback(window, drop);
        glfwSetFramebufferSizeCallback(window, framebuffer_size);
        glfwSetWindowContentScaleCallback(window, content_scale);
        glfwSetWindowFocusCallback(window, focus);
        glfwSetWindowCloseCallback(window, close);
    }
};

Window::Window(const WindowDesc& desc) : windowed_size_(desc.size) {
    start_glfw(desc.without_display);
    glfwDefaultWindowHints();
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 4);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 5);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_OPENGL_DEBUG_CONTEXT, desc.debug ? GLFW_TRUE : GLFW_FALSE);
    glfwWindowHint(GLFW_DEPTH_BITS, 0); // the scene has its own HDR and depth targets
    glfwWindowHint(GLFW_STENCIL_BITS, 0);
    glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);
    glfwWindowHint(GLFW_AUTO_ICONIFY, GLFW_FALSE); // a second monitor stays usable beside a full screen
    glfwWindowHint(GLFW_VISIBLE, desc.visible ? GLFW_TRUE : GLFW_FALSE);
    window_ = glfwCreateWindow(desc.size.width, desc.size.height, desc.title.c_str(), nullptr, nullptr);
    if (window_ == nullptr) {
        const std::string reason = last_glfw_error;
        const std::string offered = offered_version([] { return describe_current(glfwGetProcAddress); });
        stop_glfw();
        throw Error(ExitCode::no_gpu,
                    offered.empty()
                        ? fmt::format("no window with OpenGL: GLFW: {}. {}", reason, desc.without_display)
                        : fmt::format("no window: OpenGL 4.5 core is needed, found {} (GLFW: {})", offered, reason));
    }
    ++live_windows;
    try {
        make_current();
        adopt_current(glfwGetProcAddress, desc.debug, fmt::format("window (GLFW {})", glfwGetVersionString()));
        Callbacks::install(window_, this);
        set_vsync(desc.vsync);
        if (desc.fullscreen) set_fullscreen(true);
    } catch (...) {
        glfwDestroyWindow(window_);
        --live_windows;
        stop_glfw();
        throw;
    }
}

Window::~Window() {
    glfwDestroyWindow(window_);
    --live_windows;
    stop_glfw();
}

void Window::make_current() {
    glfwMakeContextCurrent(window_);
}

void Window::swap() {
    glfwSwapBuffers(window_);
}

Extent Window::framebuffer_size() const {
    Extent size;
    glfwGetFramebufferSize(window_, &size.width, &size.height);
    return size;
}

Extent Window::window_size() const {
    Extent size;
    glfwGetWindowSize(window_, &size.width, &size.height);
    return size;
}

float Window::content_scale() const {
    float x = 1.0f, y = 1.0f;
    glfwGetWindowContentScale(window_, &x, &y);
    const float scale = std::max(x, y);
    return std::isfinite(scale) && scale > 0.0f ? scale : 1.0f; // some X servers report no physical size
}

bool Window::minimised() const {
    return glfwGetWindowAttrib(window_, GLFW_ICONIFIED) == GLFW_TRUE || framebuffer_size().empty();
}

std::vector<Event> Window::take_events() {
    return std::exchange(events_, {});
}

std::vector<Event> Window::poll_events() {
    glfwPollEvents();
    return take_events();
}

std::vector<Event> Window::wait_events(double timeout_seconds) {
    glfwWaitEventsTimeout(timeout_seconds);
    return take_events();
}

bool Window::should_close() const {
    return glfwWindowShouldClose(window_) == GLFW_TRUE;
}

void Window::request_close(bool close) {
    glfwSetWindowShouldClose(window_, close ? GLFW_TRUE : GLFW_FALSE);
}

void Window::set_fullscreen(bool fullscreen) {
    if (fullscreen == fullscreen_) return;
    if (fullscreen) {
        windowed_size_ = window_size();
        glfwGetWindowPos(window_, &windowed_x_, &windowed_y_);
        GLFWmonitor* monitor = monitor_of(windowed_x_, windowed_y_, windowed_size_);
        const GLFWvidmode* mode = monitor == nullptr ? nullptr : glfwGetVideoMode(monitor);
        if (mode == nullptr) {
            spdlog::warn("full screen: no monitor found ({})", last_glfw_error);
            return;
        }
        // The desktop's own mode: nothing is switched, so leaving is instant and other windows keep their places.
        glfwSetWindowMonitor(window_, monitor, 0, 0, mode->width, mode->height, mode->refreshRate);
    } else {
        glfwSetWindowMonitor(window_, nullptr, windowed_x_, windowed_y_, windowed_size_.width, windowed_size_.height,
                             GLFW_DONT_CARE);
    }
    fullscreen_ = fullscreen;
    set_vsync(vsync_); // some drivers forget the interval when the window changes
}

void Window::set_vsync(Vsync vsync) {
    const bool can_tear = glfwExtensionSupported("GLX_EXT_swap_control_tear") == GLFW_TRUE ||
                          glfwExtensionSupported("WGL_EXT_swap_control_tear") == GLFW_TRUE;
    if (vsync == Vsync::adaptive && !can_tear) {
        spdlog::warn("vsync adaptive is not offered by this driver (*_EXT_swap_control_tear): using on");
        vsync = Vsync::on;
    }
    glfwSwapInterval(vsync == Vsync::off ? 0 : vsync == Vsync::on ? 1 : -1);
    vsync_ = vsync;
}

void Window::set_title(const std::string& title) {
    glfwSetWindowTitle(window_, title.c_str());
}

void Window::set_size(Extent points) {
    glfwSetWindowSize(window_, std::max(points.width, 1), std::max(points.height, 1));
}

void Window::minimise() {
    glfwIconifyWindow(window_);
}

void Window::restore() {
    glfwRestoreWindow(window_);
}

void Window::set_clipboard(const std::string& text) {
    glfwSetClipboardString(window_, text.c_str());
}

void Window::capture_pointer(bool capture) {
    glfwSetInputMode(window_, GLFW_CURSOR, capture ? GLFW_CURSOR_DISABLED : GLFW_CURSOR_NORMAL);
}

bool Window::key_down(Key key) const {
    return key != Key::unknown && glfwGetKey(window_, static_cast<int>(key)) == GLFW_PRESS;
}

bool Window::button_down(MouseButton button) const {
    return glfwGetMouseButton(window_, static_cast<int>(button)) == GLFW_PRESS;
}

} // namespace spindrift::platform
