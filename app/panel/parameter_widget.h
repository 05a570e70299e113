// ImGui controls that are made from the parameter table.
#pragma once

#include "app/demo_state.h"
#include "app/parameters.h"

namespace spindrift {

/// A slider, check box or list for one parameter, with its unit, range and help on hover, and a button that resets it
/// to `reference` when it differs. Returns true when the value changed.
bool parameter_widget(const Parameter& parameter, Settings& settings, const Settings& reference);

/// All parameters of a group, in the table's order, but those that have controls of their own.
void parameter_group(std::string_view group, DemoState& state);

} // namespace spindrift
