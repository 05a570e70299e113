// The demo's window: frames, events, panel.
#pragma once

#include "app/settings.h"

namespace spindrift {

/// Shows the sea until the window closes, or for settings.frames frames. Returns the exit code; throws Error.
int run_window(const Settings& settings);

} // namespace spindrift
