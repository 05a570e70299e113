// The demo's window: frames, events, panel.
#pragma once

#include "app/settings.h"
#include "engine/gl/shader_source.h"

namespace spindrift {

/// Shows the sea until the window closes, or for settings.frames frames. Returns the exit code; throws Error.
int run_window(const Settings& settings);

/// Embedded shaders, or the folder that the settings name.
gl::ShaderSources shader_sources(const Settings& settings);

} // namespace spindrift
