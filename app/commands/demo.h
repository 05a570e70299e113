// The demo: the moving sea in a window, or the same frames without one.
#pragma once

#include "app/settings.h"

namespace spindrift {

/// Runs until the window closes, or for settings.frames frames; returns the exit code. Throws Error.
int run_demo(const Settings& settings);

} // namespace spindrift
