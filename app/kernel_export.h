// A transform written out for other programs: shaders that need no include, what to bind and dispatch as JSON, the
// twiddle tables, and a C program that runs them.
#pragma once

#include "engine/gl/device.h"
#include "engine/gl/shader_source.h"
#include "fft/planner.h"
#include "fft/transform.h"

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace spindrift {

/// What a pass binds at one place.
struct ExportedBinding {
    unsigned binding = 0;
    std::string resource; ///< "data", "scratch", or a table: "twiddles" and, where columns have their own,
                          ///< "twiddles_2"
    bool image = false;   ///< an image unit; else a shader storage buffer
};

struct ExportedPass {
    std::string name;                               ///< "horizontal", "vertical", with the stage where it has one
    std::string file;                               ///< of the shader
    std::string shader;                             ///< its text
    std::array<int, 3> work_group{}, work_groups{}; ///< local size; arguments of glDispatchCompute
    std::vector<ExportedBinding> bindings;
    std::vector<std::pair<int, std::string>> uniforms; ///< location and value: "3" is an int, "1.0" is a float
    bool image_barrier = false;                        ///< after the pass: image and texture bits; else buffer bits
};

struct ExportedTransform {
    fft::TransformDesc desc;
    std::string schedule;         ///< of `tuned`, for people
    std::vector<float> tables[2]; ///< twiddles; the second is empty where both axes share one
    bool has_scratch = false, scratch_is_image = false, scratch_is_half = false;
    std::size_t scratch_bytes = 0;
    std::vector<ExportedPass> passes;
};

/// Throws Error when the transform is unavailable with these limits.
ExportedTransform export_transform(const fft::TransformDesc& desc, const gl::ShaderSources& sources,
                                   const gl::DeviceLimits& limits);

/// Schema "spindrift.export/1".
nlohmann::ordered_json export_json(const ExportedTransform& transform);
/// A C program of some 60 lines: OpenGL 4.5 by EGL, no library but these.
std::string export_example(const ExportedTransform& transform);

} // namespace spindrift
