// The panel's instruments: times of the passes, frame times, and what the machine is.
#pragma once

#include "app/panel/panel.h"
#include "engine/gl/device.h"

#include <string>

namespace spindrift {

/// A window with percentiles, graph and histogram of the frame times, the passes' history and table, and the recordings
/// in memory.
class MeasurementsView {
public:
    void draw(const PanelFrame& frame, PanelLayout& layout);
    /// The profiler's statistics of some moments ago: numbers that stand still long enough to be read.
    const profiler::Statistics& statistics(const profiler::Profiler& profiler);

private:
    profiler::Statistics statistics_;
    double next_update_ = 0.0; ///< seconds of ImGui's clock
};

/// Renderer, driver and the limits that decide what can run.
void machine_facts(const gl::DeviceInfo& device, const std::string& platform);

} // namespace spindrift
