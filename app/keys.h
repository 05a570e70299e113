// The keys of the demo, in one table: the window, the help overlay, `--keys` and the README read it from here.
#pragma once

#include "engine/platform/events.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace spindrift {

enum class KeyAction {
    toggle_panel,
    toggle_pause,
    single_step,
    previous_sea,
    next_sea,
    reset_camera,
    toggle_help,
    toggle_recording,
    toggle_fullscreen,
    take_screenshot,
    reload_shaders,
    close_or_quit, ///< closes the panel when it is open, else ends the program
    look,          ///< while the right mouse button is held
    move_forward,
    move_left,
    move_back,
    move_right,
    move_down,
    move_up,
    move_fast,
};

struct KeyBinding {
    KeyAction action;
    platform::Key key;     ///< Key::unknown for the right mouse button
    bool held;             ///< true: acts for as long as it is held; false: acts once for each press
    std::string_view keys; ///< what is printed, for all the bindings of one line of the table: "H or F1"
    std::string_view what; ///< what it does; empty: the binding shares the line of the one above
};

/// Every binding, in the order in which it is shown.
std::span<const KeyBinding> key_bindings();

/// The action that a press of `key` starts; nullopt when the key does nothing (or is one that is held).
std::optional<KeyAction> action_of_key(platform::Key key);

/// The table as `--keys` prints it: a Markdown table, so that the README holds the same text.
std::string key_table();

} // namespace spindrift
