// The runs of a sweep: headless, one after the other, each written as soon as it is complete.
#pragma once

#include "app/settings.h"

#include <filesystem>
#include <string>
#include <vector>

namespace spindrift {

struct SweepSettings {
    std::vector<std::string> axes; ///< as typed: "size=256,512"
    int repeats = 1;
    std::filesystem::path folder; ///< made when missing; see app/sweep.h for what it holds
};

/// Checks everything before anything runs. Runs that are there from before are kept, so the same command goes on after
/// an interruption; repeats of one combination take turns with the others. SIGINT, SIGTERM and SIGHUP end it between
/// two frames and throw Error, with the index written. What the device cannot run is listed with its reason and is no
/// failure. Throws Error(usage) when the folder holds something else.
int run_sweep(const Settings& base, const SweepSettings& sweep);

} // namespace spindrift
