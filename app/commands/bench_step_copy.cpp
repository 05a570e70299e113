#include "app/commands/bench_step_copy.h"

#include "fft/plan.h"
#include "fft/verification.h"

namespace spindrift {
namespace {

constexpr unsigned source_binding = 0; // `data` and `scratch` of shaders/fft/storage.glsl
constexpr unsigned target_binding = 1;
/// A driver may keep constant memory in a compressed form, whose copy is no floor.
constexpr std::uint64_t seed_of_content = 1;

} // namespace

std::vector<ocean::SimulationDesc> bench_step_copy_candidates(int size) {
    std::vector<ocean::SimulationDesc> candidates;
    for (const fft::Storage storage : fft::all_storages) candidates.push_back({.size = size, .storage = storage});
    return candidates;
}

FieldCopy::FieldCopy(const ocean::SimulationDesc& desc, gl::ProgramLibrary& programs)
    : desc_(ocean::transform_desc(desc)), program_(&programs.get(fft::copy_recipe(desc_))) {
    const std::vector<float> content = fft::random_input(desc_, seed_of_content);
    if (desc_.storage == fft::Storage::image) {
        source_texture_ = gl::Texture(fft::data_texture_desc(desc_), "copied fields");
        source_texture_.upload(content);
        target_texture_ = gl::Texture(fft::data_texture_desc(desc_), "copy of fields");
    } else {
        source_buffer_ = gl::Buffer::from(std::span<const float>(content), "copied fields");
        target_buffer_ = gl::Buffer(fft::byte_count(desc_), gl::BufferUsage::gpu_only, "copy of fields");
    }
}

void FieldCopy::run() {
    if (desc_.storage == fft::Storage::image) {
        source_texture_.bind_image(source_binding, gl::Access::read_write);
        target_texture_.bind_image(target_binding, gl::Access::read_write);
    } else {
        source_buffer_.bind(gl::BufferTarget::shader_storage, source_binding);
        target_buffer_.bind(gl::BufferTarget::shader_storage, target_binding);
    }
    program_->dispatch(desc_.size, desc_.size, desc_.layers);
    gl::memory_barrier(gl::Visibility::image | gl::Visibility::storage_buffer);
}

} // namespace spindrift
