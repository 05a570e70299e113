// The copy floor of `bench step`: one pass over the fields of a step, which every pass of a transform has to make, too.
#pragma once

#include "app/commands/bench_step.h"
#include "engine/gl/buffer.h"
#include "engine/gl/texture.h"

namespace spindrift {

/// The fields of one step in a texture and in a buffer, two complex numbers to an element: the fastest layout of each.
std::vector<ocean::SimulationDesc> bench_step_copy_candidates(int size);

/// Reads all fields of a step from one store and writes them to another, with the copy kernel of `bench fft`.
class FieldCopy {
public:
    /// Throws Error when memory runs out.
    FieldCopy(const ocean::SimulationDesc& desc, gl::ProgramLibrary& programs);

    void run();

private:
    fft::TransformDesc desc_;
    gl::Program* program_;
    gl::Texture source_texture_{gl::no_create}, target_texture_{gl::no_create}; ///< or the buffers
    gl::Buffer source_buffer_{gl::no_create}, target_buffer_{gl::no_create};
};

} // namespace spindrift
