// What a run of the demo leaves behind: screenshot, report and trace, as the settings ask.
#pragma once

#include "app/report/report.h"
#include "app/scene.h"

#include <string_view>

namespace spindrift {

/// Refuses output paths that cannot be written, before a long run instead of after it. Throws Error.
void check_outputs(const Settings& settings);

/// The report of what `profiler` recorded.
report::Report make_report(const Settings& settings, const Scene& scene, const platform::Context& context,
                           const profiler::Profiler& profiler, std::string_view vsync);

/// Writes settings.report, settings.html and settings.trace where they are set.
void write_reports(const Settings& settings, const report::Report& report);

} // namespace spindrift
