// The panel's part of tuning: its button, how far a search is, and what came of it.
#pragma once

#include "app/panel/panel.h"

namespace spindrift {

/// Only while the algorithm is `tuned`.
void tuning_controls(const PanelFrame& frame);

} // namespace spindrift
