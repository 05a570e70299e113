// The panel's instruments: times of the passes, frame times, and what the machine is.
#pragma once

#include "app/panel/panel.h"
#include "engine/gl/device.h"

#include <string>

namespace spindrift {

/// A window with the frame-time graph and the table of passes.
void measurements_window(const PanelFrame& frame);

/// Moves the current ImGui window back onto a framebuffer that has become too small for it; call behind Begin().
void keep_inside();

/// Renderer, driver and the limits that decide what can run.
void machine_facts(const gl::DeviceInfo& device, const std::string& platform);

} // namespace spindrift
