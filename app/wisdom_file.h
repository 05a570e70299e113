// Where the wisdom of this GPU is kept: one file for each GPU and driver in the cache folder.
#pragma once

#include "engine/gl/device.h"
#include "engine/gl/shader_source.h"
#include "fft/wisdom.h"

#include <filesystem>
#include <memory>
#include <string>

namespace spindrift {

struct LoadedWisdom {
    std::shared_ptr<const fft::Wisdom> wisdom; ///< empty wisdom when there is none that can be used
    std::filesystem::path file;                ///< empty = there is no cache folder
    bool refused = false;                      ///< there is a file, and it cannot be used
    std::string state; ///< a sentence for doctor and verify: "3 schedules from ...", "none yet", "... refused: why"
};

/// The default file of this device; empty without a home.
std::filesystem::path wisdom_path(const gl::DeviceInfo& device);

/// Reads `file`, or the default one when it is empty. What cannot be used is refused, and `state` says so; a file that
/// the user named and that does not exist is no error: it is to be written.
LoadedWisdom load_wisdom(const gl::DeviceInfo& device, const gl::ShaderSources& sources,
                         const std::filesystem::path& file = {});

/// A warning in the log when a file was refused, for callers that do not show `state`: one for each file and reason,
/// however often a run reads it.
void warn_of_refusal(const LoadedWisdom& loaded);

/// load_wisdom() with warn_of_refusal() into fft::set_active_wisdom(), so that plans of `tuned` use it.
LoadedWisdom use_wisdom(const gl::DeviceInfo& device, const gl::ShaderSources& sources,
                        const std::filesystem::path& file = {});

/// Writes beside the target and renames; makes the cache folder. Throws Error.
void save_wisdom(const fft::Wisdom& wisdom, const std::filesystem::path& file);

struct KeptWisdom {
    std::filesystem::path file;  ///< empty = there is no cache folder
    std::string why_not_written; ///< empty = it is in the file
};

/// Adds an entry to the active wisdom, so that plans made from now on use it, and to the default file of this device,
/// beside what other runs have put there meanwhile.
KeptWisdom keep_wisdom(const fft::WisdomEntry& entry, const gl::DeviceInfo& device, const gl::ShaderSources& sources);

} // namespace spindrift
