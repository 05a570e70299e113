#include "app/keys.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace spindrift {

std::span<const KeyBinding> key_bindings() {
    using enum KeyAction;
    using platform::Key;
    static constexpr std::array bindings{
        KeyBinding{toggle_panel, Key::tab, false, "Tab", "shows or hides the panel"},
        KeyBinding{toggle_pause, Key::space, false, "Space", "pauses the sea, or lets it run on"},
        KeyBinding{single_step, Key::period, false, ".", "pauses and advances by one step"},
        KeyBinding{previous_sea, Key::left_bracket, false, "[ and ]", "previous and next sea"},
        KeyBinding{next_sea, Key::right_bracket, false, "", ""},
        KeyBinding{look, Key::unknown, true, "Right mouse button", "held: look around"},
        KeyBinding{move_forward, Key::w, true, "W A S D", "with the right mouse button: move"},
        KeyBinding{move_left, Key::a, true, "", ""},
        KeyBinding{move_back, Key::s, true, "", ""},
        KeyBinding{move_right, Key::d, true, "", ""},
        KeyBinding{move_down, Key::q, true, "Q and E", "with the right mouse button: move down and up"},
        KeyBinding{move_up, Key::e, true, "", ""},
        KeyBinding{move_fast, Key::left_shift, true, "Shift", "held: move faster"},
        KeyBinding{reset_camera, Key::home, false, "Home", "puts the camera back"},
        KeyBinding{toggle_help, Key::h, false, "H or F1", "shows or hides this help"},
        KeyBinding{toggle_help, Key::f1, false, "", ""},
        KeyBinding{toggle_recording, Key::f9, false, "F9", "records frame times, or ends the recording"},
        KeyBinding{toggle_fullscreen, Key::f11, false, "F11", "full screen, or back to the window"},
        KeyBinding{take_screenshot, Key::f12, false, "F12", "saves a screenshot; with Shift, the panel too"},
        KeyBinding{reload_shaders, Key::r, false, "R", "reloads the shaders"},
        KeyBinding{close_or_quit, Key::escape, false, "Esc", "closes the panel, then quits"},
    };
    return bindings;
}

std::optional<KeyAction> action_of_key(platform::Key key) {
    const auto bindings = key_bindings();
    const auto found =
        std::find_if(bindings.begin(), bindings.end(), [key](const KeyBinding& binding) { return binding.key == key; });
    if (found == bindings.end() || found->held || key == platform::Key::unknown) return std::nullopt;
    return found->action;
}

std::string key_table() {
    std::size_t key_width = 0;
    std::size_t what_width = 0;
    for (const KeyBinding& binding : key_bindings()) {
        key_width = std::max(key_width, binding.keys.size());
        what_width = std::max(what_width, binding.what.size());
    }
    std::string text = fmt::format("| {:<{}} | {:<{}} |\n|-{:-<{}}-|-{:-<{}}-|\n", "Key", key_width, "What it does",
                                   what_width, "", key_width, "", what_width);
    for (const KeyBinding& binding : key_bindings()) {
        if (binding.what.empty()) continue;
        text += fmt::format("| {:<{}} | {:<{}} |\n", binding.keys, key_width, binding.what, what_width);
    }
    return text;
}

} // namespace spindrift
