#include "app/demo_state.h"

#include "app/assets.h"
#include "app/parameters.h"

#include <fmt/format.h>

namespace spindrift {

void choose_sea(DemoState& state, const std::string& name) {
    apply_sea(state.settings, name);
    state.reference = settings_of_sea(name);
    state.tell(fmt::format("Sea: {}", name));
}

void choose_next_sea(DemoState& state, int steps) {
    const auto seas = named_seas();
    if (seas.empty()) return;
    const int count = static_cast<int>(seas.size());
    int current = steps > 0 ? -1 : 0;
    for (int index = 0; index < count; ++index)
        if (seas[static_cast<std::size_t>(index)].name == state.settings.sea_name) current = index;
    const int next = ((current + steps) % count + count) % count;
    choose_sea(state, std::string(seas[static_cast<std::size_t>(next)].name));
}

} // namespace spindrift
