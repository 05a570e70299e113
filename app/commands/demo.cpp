// Provisional: the window and the frame replace this file.
#include "app/commands/demo.h"

#include "engine/error.h"

namespace spindrift {

int run_demo(const Settings& /*settings*/) {
    throw Error("the demo's window is not built yet; `spindrift doctor` tells what this machine can run");
}

} // namespace spindrift
