// The demo: the moving sea in a window, or the same frames without one.
#pragma once

#include "app/report/report.h"
#include "app/settings.h"
#include "engine/gl/program.h"
#include "engine/platform/context.h"

#include <functional>
#include <optional>

namespace spindrift {

/// Runs until the window closes, or for settings.frames frames; returns the exit code. Throws Error.
int run_demo(const Settings& settings);

/// What a headless run takes where nothing was said: the number of frames, and less work on a software renderer, which
/// it tells.
void fill_headless_defaults(Settings& settings, const gl::DeviceInfo& device);

/// Draws and measures the frames of a headless run and writes its screenshot; nothing else, but for the wisdom that
/// settings.effort asks for, which comes first. Nullopt when `stop` said so
/// between two frames. Throws Error.
std::optional<report::Report> measure_headless(const Settings& settings, const platform::Context& context,
                                               gl::ProgramLibrary& programs, const std::function<bool()>& stop = {});

} // namespace spindrift
