// `spindrift image`: a picture through a forward transform, a band filter and the inverse, and how well it came back.
#pragma once

#include "app/image_transform.h"
#include "engine/gl/device.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace spindrift {

struct ImageSettings {
    std::string input;
    std::string spectrum_file, restored_file, json_file; ///< empty = none
    std::string shader_dir;                              ///< empty = the embedded shaders
    fft::Algorithm algorithm = fft::Algorithm::stockham_radix4;
    fft::Packing packing = fft::Packing::vec4;
    fft::Storage storage = fft::Storage::image;
    int size = 0; ///< 0 = default_image_size()
    ImageFit fit = ImageFit::resample;
    ImageChannels channels = ImageChannels::luminance;
    BandFilter filter;
};

/// What a run found out.
struct ImageReport {
    int width = 0, height = 0, channels = 0, bits = 0; ///< of the file
    int size = 0;                                      ///< of the transform
    bool was_transparent = false;
    ImageDifference round_trip = {};              ///< between the transform's input and what came back without a filter
    std::optional<ImageDifference> filtered = {}; ///< the same with the filter, when there is one
    bool ok() const noexcept { return round_trip.psnr_db >= required_psnr_db; }
};

/// Runs in a headless context and prints to standard output. Every output is checked before the input is read. Returns
/// runtime_failure when the round trip misses required_psnr_db. Throws Error.
int run_image(const ImageSettings& settings);

/// Schema "spindrift.image/1": gpu, picture, transform, filter, round_trip, filtered. Numbers that are not finite are
/// null.
nlohmann::ordered_json image_json(const ImageSettings& settings, const ImageReport& report,
                                  const gl::DeviceInfo& device);

} // namespace spindrift
