// Where the demo's shaders come from and where compiled ones are kept, as the settings say.
#pragma once

#include "app/settings.h"
#include "engine/gl/program.h"

namespace spindrift {

/// Embedded shaders or those of settings.shader_dir; with the cache of settings.shader_cache; plans of
/// `tuned` will use the wisdom of this device. A folder that the user
/// named is made at once. Throws Error when it cannot be; a window's own cache folder is never worth an error.
gl::ProgramLibrary make_program_library(const Settings& settings, const gl::DeviceInfo& device);

/// One debug line: how many programs were compiled, and how many came from the cache.
void tell_program_counts(const gl::ProgramLibrary& programs);

} // namespace spindrift
