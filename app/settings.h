// Everything a user can set for a run, as one plain struct. parameters.h declares name, unit, range and help of each
// field; the defaults are the initialisers here and in the structs it contains.
#pragma once

#include "app/camera_path.h"
#include "app/ocean/sea_state.h"
#include "engine/render/camera.h"
#include "engine/render/sky.h"
#include "engine/render/surface.h"
#include "fft/effort.h"
#include "fft/transform.h"

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

namespace spindrift {

struct Settings {
    // The transform.
    fft::Algorithm algorithm = fft::Algorithm::stockham_radix4;
    int size = 512; ///< N; the tile has N x N texels
    fft::Packing packing = fft::Packing::vec4;
    fft::Storage storage = fft::Storage::image;
    bool fused = true; ///< `tuned` only: evolve and assemble inside the transform's kernels
    fft::Precision intermediate = fft::Precision::fp32; ///< `tuned` only: numbers between rows and columns
    fft::Effort effort = fft::Effort::estimate;         ///< `tuned` only: what is measured where wisdom is missing
    int interop_frames = 1;                             ///< of cufft: see ocean::SimulationDesc
    int cascades = 1;

    // The sea.
    std::string sea_name; ///< the named sea or file that `sea` started from; empty = none
    ocean::SeaState sea;

    // What is drawn.
    std::int64_t vertices = 2'000'000; ///< the mesh has at least as many
    render::Camera camera;
    CameraPath camera_path = CameraPath::still; ///< of measured frames, from `camera` on
    render::SkyDesc sky;
    render::SurfaceLook look;
    float exposure = 0.0F; ///< stops; 0 = neutral

    // How it runs.
    double time = 0.0;    ///< seconds at the first frame
    double dt = 1.0 / 60; ///< seconds from frame to frame; a window follows the clock unless was_given("dt")
    int frames = 0;       ///< measured frames; 0 = until the window closes, and 60 in a headless run
    double seconds = 0.0; ///< to measure; 0 = `frames` alone decides
    // Before them, frames that are drawn but not measured: at least `warmup` and `warmup_seconds`, until frame times
    // have settled. Where only "warmup" was given, exactly so many.
    int warmup = 8;
    double warmup_seconds = 2.0;
    double warmup_stable = 2.0; ///< percent between the medians of 30 frames; 0 = they are not looked at
    double warmup_limit = 10.0; ///< seconds after which measuring begins in any case; 0 = no limit
    // A recording that is started in the window.
    std::int64_t record_frames = 0; ///< 0 = `record_seconds` alone decides
    double record_seconds = 10.0;
    bool vsync = true;
    int width = 1280; ///< of the window or the headless picture, in pixels
    int height = 720;
    bool fullscreen = false;
    float ui_scale = 0.0F; ///< 0 = the monitor's scale
    bool headless = false;

    // What comes out.
    std::string screenshot; ///< PNG of the last frame; empty = none
    std::string report;     ///< JSON, CSV or HTML, by the file's ending
    std::string html;       ///< the report as a page, beside `report`
    std::string trace;      ///< JSON for a trace viewer

    // For developers.
    bool gl_debug = false;
    std::string shader_dir;   ///< empty = the embedded shaders
    std::string shader_cache; ///< folder; "off" = none; empty = the cache folder for a window, none for a headless run

    /// Ids of the parameters that a configuration file or the command line has set, whatever the value. What a user
    /// asked for is never replaced by a choice of ours (a smaller mesh on a software renderer).
    std::set<std::string, std::less<>> given;
    bool was_given(std::string_view id) const { return given.contains(id); }
};

/// What cuFFT works on fastest, where the user has not chosen: planar fields in a buffer. Returns a sentence that says
/// what was changed; empty when nothing was, and for every other algorithm.
std::string choose_layout_of_cufft(Settings& settings);

} // namespace spindrift
