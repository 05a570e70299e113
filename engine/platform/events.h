// What a window reports, as plain values: the program above never includes GLFW.
#pragma once

#include <string>
#include <variant>
#include <vector>

namespace spindrift::platform {

/// The values are GLFW's key tokens (US layout positions), so that ImGui 1.86 can be asked with the same numbers.
enum class Key : int {
    unknown = -1,
    space = 32,
    apostrophe = 39,
    comma = 44,
    minus = 45,
    period = 46,
    slash = 47,
    digit_0 = 48,
    digit_1,
    digit_2,
    digit_3,
    digit_4,
    digit_5,
    digit_6,
    digit_7,
    digit_8,
    digit_9,
    semicolon = 59,
    equal = 61,
    a = 65,
    b,
    c,
    d,
    e,
    f,
    g,
    h,
    i,
    j,
    k,
    l,
    m,
    n,
    o,
    p,
    q,
    r,
    s,
    t,
    u,
    v,
    w,
    x,
    y,
    z,
    left_bracket = 91,
    backslash = 92,
    right_bracket = 93,
    escape = 256,
    enter = 257,
    tab = 258,
    backspace = 259,
    insert = 260,
    del = 261,
    right = 262,
    left = 263,
    down = 264,
    up = 265,
    page_up = 266,
    page_down = 267,
    home = 268,
    end = 269,
    f1 = 290,
    f2,
    f3,
    f4,
    f5,
    f6,
    f7,
    f8,
    f9,
    f10,
    f11,
    f12,
    keypad_subtract = 333,
    keypad_add = 334,
    keypad_enter = 335,
    left_shift = 340,
    left_control = 341,
    left_alt = 342,
    right_shift = 344,
    right_control = 345,
    right_alt = 346,
};

enum class MouseButton : int { left = 0, right = 1, middle = 2 };
enum class Action : int { release = 0, press = 1, repeat = 2 };

struct Modifiers {
    bool shift = false, control = false, alt = false;
};

struct KeyEvent {
    Key key;
    Action action;
    Modifiers modifiers;
};
/// Positions are window points from the top left corner; multiply by framebuffer / window size for pixels.
struct MouseButtonEvent {
    MouseButton button;
    Action action; ///< never repeat
    Modifiers modifiers;
    double x, y;
};
struct MouseMoveEvent {
    double x, y;
};
struct ScrollEvent {
    double x, y; ///< y is positive away from the user
};
struct DropEvent {
    std::vector<std::string> paths; ///< UTF-8
};
struct FramebufferResizeEvent {
    int width, height; ///< pixels; zeros while minimised on some systems
};
struct ContentScaleEvent {
    float scale; ///< the new Window::content_scale()
};
struct FocusEvent {
    bool focused;
};
struct CloseEvent {};

using Event = std::variant<KeyEvent, MouseButtonEvent, MouseMoveEvent, ScrollEvent, DropEvent, FramebufferResizeEvent,
                           ContentScaleEvent, FocusEvent, CloseEvent>;

} // namespace spindrift::platform
