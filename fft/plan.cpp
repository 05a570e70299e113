#include "fft/plan.h"

#include "engine/error.h"
#include "fft/cuda_plan.h"

#include <cassert>
#include <fmt/format.h>

namespace spindrift::fft {
namespace {

// Binding points and uniform locations of shaders/fft.
constexpr unsigned data_binding = 0;
constexpr unsigned scratch_binding = 1;
constexpr unsigned twiddle_binding = 2;
constexpr int log2_size_location = 0;
constexpr int stage_location = 1;
constexpr int source_location = 2;
constexpr int result_scale_location = 3;

constexpr float nothing_scaled = 1.0F;
constexpr int scale_tile = 16;

std::string_view kernel_file(Algorithm algorithm) {
    switch (algorithm) {
    case Algorithm::cooley_tukey_stages:
        return "fft/cooley_tukey_stage.comp";
    case Algorithm::cooley_tukey:
        return "fft/cooley_tukey.comp";
    case Algorithm::stockham_radix2:
        return "fft/stockham_radix2.comp";
    case Algorithm::stockham_radix4:
        return "fft/stockham_radix4.comp";
    case Algorithm::tuned:
        return "fft/tuned.comp";
    case Algorithm::cufft:
        break;
    }
    return {};
}

float scale_of(const TransformDesc& desc) {
    if (desc.scaling == Scaling::none) return nothing_scaled;
    const float size = static_cast<float>(desc.size);
    return 1.0F / (size * size);
}

std::string plan_label(const TransformDesc& desc, std::string_view part) {
    return fmt::format("fft {} {} {}", to_string(desc.algorithm), desc.size, part);
}

gl::Visibility between_passes(Storage storage) {
    return storage == Storage::image ? gl::Visibility::image : gl::Visibility::storage_buffer;
}

gl::Visibility after_last_pass(Storage storage) {
    if (storage == Storage::image)
        return gl::Visibility::image | gl::Visibility::texture_fetch | gl::Visibility::texture_update;
    return gl::Visibility::storage_buffer | gl::Visibility::buffer_update;
}

} // namespace

gl::TextureDesc data_texture_desc(const TransformDesc& desc) {
    return {.target = gl::TextureTarget::texture_2d_array,
            .format = desc.packing == Packing::vec4 ? gl::PixelFormat::rgba32f : gl::PixelFormat::rg32f,
            .width = desc.size,
            .height = desc.size,
            .layers = desc.layers};
}

gl::ProgramRecipe kernel_recipe(const TransformDesc& desc, const LaunchPlan& launch, Axis axis, int first_store,
                                bool scaled) {
    if (launch.schedule)
        return tuned_recipe(axis == Axis::horizontal ? launch.schedule->rows : launch.schedule->columns,
                            scaled ? fmt::format("{:.9e}", scale_of(desc)) : std::string());
    gl::Defines defines{{"PACKING", desc.packing == Packing::vec4 ? "4" : "2"},
                        {"DIRECTION", desc.direction == Direction::forward ? "(-1)" : "1"}};
    if (desc.storage == Storage::image) defines.emplace_back("STORAGE_IMAGE", "");
    if (axis == Axis::horizontal) defines.emplace_back("HORIZONTAL", "");
    if (desc.algorithm == Algorithm::cooley_tukey_stages) {
        defines.emplace_back("TILE", fmt::format("{}", launch.work_group[0]));
    } else {
        defines.emplace_back("LOG2_SIZE", fmt::format("{}", log2_exact(desc.size)));
        defines.emplace_back("INVOCATIONS", fmt::format("{}", launch.work_group[0]));
        defines.emplace_back("BUTTERFLIES", fmt::format("{}", launch.butterflies_per_invocation));
        defines.emplace_back("FIRST_STORE", fmt::format("{}", first_store));
        if (scaled) defines.emplace_back("RESULT_SCALE", fmt::format("{:.9e}", scale_of(desc)));
    }
    return gl::ProgramRecipe::compute(std::string(kernel_file(desc.algorithm)), std::move(defines));
}

gl::ProgramRecipe scale_recipe(const TransformDesc& desc) {
    gl::Defines defines{{"PACKING", desc.packing == Packing::vec4 ? "4" : "2"},
                        {"HORIZONTAL", ""},
                        {"SIZE", fmt::format("{}", desc.size)},
                        {"TILE", fmt::format("{}", scale_tile)},
                        {"FACTOR", fmt::format("{:.9e}", scale_of(desc))}};
    if (desc.storage == Storage::image) defines.emplace_back("STORAGE_IMAGE", "");
    return gl::ProgramRecipe::compute("fft/scale.comp", std::move(defines));
}

Plan::Plan(const TransformDesc& desc, gl::ProgramLibrary& library, const gl::DeviceLimits& limits)
    : Plan(desc, plan_launch(desc, limits), library) {}

Plan::Plan(const TransformDesc& desc, const TunedSchedule& schedule, gl::ProgramLibrary& library,
           const gl::DeviceLimits& limits)
    : Plan(desc, plan_launch(desc, schedule, limits), library) {}

Plan::Plan(const TransformDesc& desc, const LaunchPlan& launch, gl::ProgramLibrary& library)
    : desc_(desc), launch_(launch) {
    if (desc.algorithm == Algorithm::cufft) {
        cuda_ = std::make_unique<cuda::CudaPlan>(desc);
        if (desc.scaling != Scaling::none) scale_program_ = &library.get(scale_recipe(desc));
        return;
    }
    if (launch_.schedule) {
        build_tuned_passes(library);
        return;
    }
    twiddles_ = std::make_unique<gl::Buffer>(
        gl::Buffer::from(std::span<const float>(twiddle_table(desc.size)), plan_label(desc, "twiddles")));
    build_passes(library);
    if (desc.storage == Storage::image)
        scratch_texture_ = gl::Texture(data_texture_desc(desc), plan_label(desc, "scratch"));
    else
        scratch_buffer_ = gl::Buffer(byte_count(desc), gl::BufferUsage::gpu_only, plan_label(desc, "scratch"));
}

Plan::Plan(Plan&&) noexcept = default;
Plan& Plan::operator=(Plan&&) noexcept = default;
Plan::~Plan() = default;

void Plan::build_tuned_passes(gl::ProgramLibrary& library) {
    const TunedSchedule& schedule = *launch_.schedule;
    const auto make_table = [this](const std::vector<float>& table, const char* part) {
        return std::make_unique<gl::Buffer>(gl::Buffer::from(std::span(table), plan_label(desc_, part)));
    };
    const std::vector<float> row_table = tuned_twiddle_table(schedule.rows);
    const std::vector<float> column_table = tuned_twiddle_table(schedule.columns);
    twiddles_ = make_table(row_table, "row twiddles");
    if (column_table != row_table) column_twiddles_ = make_table(column_table, "column twiddles");
    for (const Axis axis : {Axis::horizontal, Axis::vertical}) {
        const bool rows = axis == Axis::horizontal;
        const bool scaled = !rows && desc_.scaling == Scaling::by_n2;
        passes_.push_back({std::string(to_string(axis)), axis, -1});
        steps_.push_back({&library.get(kernel_recipe(desc_, launch_, axis, 0, scaled)), 0, nothing_scaled,
                          tuned_work_groups(rows ? schedule.rows : schedule.columns, desc_.layers),
                          rows || column_twiddles_ == nullptr ? twiddles_.get() : column_twiddles_.get()});
    }
    const Precision precision = schedule.rows.target.precision;
    if (schedule.intermediate() == Intermediate::image)
        scratch_texture_ = gl::Texture(intermediate_texture_desc(desc_, precision), plan_label(desc_, "intermediate"));
    else if (schedule.intermediate() == Intermediate::buffer)
        scratch_buffer_ =
            gl::Buffer(schedule.scratch_bytes(desc_), gl::BufferUsage::gpu_only, plan_label(desc_, "intermediate"));
}

void Plan::build_passes(gl::ProgramLibrary& library) {
    const int axis_dispatches = launch_.dispatches_per_axis;
    const int stages_per_dispatch = launch_.stages_per_axis / axis_dispatches;
    int store = 0; // each stage reads one store and writes the other
    for (const Axis axis : {Axis::horizontal, Axis::vertical}) {
        for (int index = 0; index < axis_dispatches; ++index) {
            const bool last = axis == Axis::vertical && index == axis_dispatches - 1;
            const bool scaled = last && desc_.scaling == Scaling::by_n2;
            const bool one_stage = axis_dispatches > 1;
            passes_.push_back({one_stage ? fmt::format("{}.{}", to_string(axis), index) : std::string(to_string(axis)),
                               axis, one_stage ? index : -1});
            steps_.push_back({&library.get(kernel_recipe(desc_, launch_, axis, store, scaled)), store,
                              scaled ? scale_of(desc_) : nothing_scaled, launch_.work_groups, twiddles_.get()});
            store = (store + stages_per_dispatch) % 2;
        }
    }
    assert(store == 0 && "an even number of stages leaves the result in data");
}

KernelFacts Plan::facts() const {
    if (desc_.algorithm == Algorithm::cufft) {
        KernelFacts unknown; // cuFFT does not say
        unknown.radix = unknown.butterflies_per_invocation = 0;
        return unknown;
    }
    return {.radix = launch_.radix,
            .stages_per_axis = launch_.stages_per_axis,
            .work_group = launch_.work_group,
            .butterflies_per_invocation = launch_.butterflies_per_invocation,
            .dispatches_per_transform = static_cast<int>(passes_.size()),
            .barriers_per_dispatch = launch_.barriers_per_dispatch,
            .shared_memory_bytes =
                launch_.schedule ? static_cast<int>(launch_.schedule->rows.shared_memory_bytes()) : 0,
            .scratch_bytes = launch_.schedule ? launch_.schedule->scratch_bytes(desc_) : byte_count(desc_),
            .schedule = launch_.schedule ? launch_.schedule->to_string() : std::string()};
}

void Plan::check(const gl::Texture& data) const {
    if (desc_.storage != Storage::image)
        throw Error(
            fmt::format("fft plan: data is a texture; the description's storage is {}", to_string(desc_.storage)));
    const gl::TextureDesc wanted = data_texture_desc(desc_);
    const gl::TextureDesc& given = data.desc();
    if (given.target != wanted.target) throw Error("fft plan: data must be a 2D array texture, with one layer, too");
    if (given.format != wanted.format)
        throw Error(fmt::format("fft plan: data's format is {}; packing {} needs {}", gl::image_qualifier(given.format),
                                to_string(desc_.packing), gl::image_qualifier(wanted.format)));
    if (given.width != wanted.width || given.height != wanted.height || given.layers != wanted.layers)
        throw Error(fmt::format("fft plan: data is {} x {} x {} layers; the plan transforms {} x {} x {}", given.width,
                                given.height, given.layers, wanted.width, wanted.height, wanted.layers));
}

void Plan::check(const gl::Buffer& data) const {
    if (desc_.storage != Storage::buffer)
        throw Error(
            fmt::format("fft plan: data is a buffer; the description's storage is {}", to_string(desc_.storage)));
    if (data.byte_size() < byte_count(desc_))
        throw Error(fmt::format("fft plan: data has {} bytes; size {} with {} layers of {} needs {}", data.byte_size(),
                                desc_.size, desc_.layers, to_string(desc_.packing), byte_count(desc_)));
}

/// The other end of a tuned pass: rows read `data` and write the scratch, columns the other way round. In place there
/// is no other end.
void Plan::bind_tuned_scratch(std::size_t index) const {
    const unsigned binding = index == 0 ? scratch_binding : data_binding;
    if (launch_.schedule->intermediate() == Intermediate::image)
        scratch_texture_.bind_image(binding, index == 0 ? gl::Access::write_only : gl::Access::read_only);
    else if (launch_.schedule->intermediate() == Intermediate::buffer)
        scratch_buffer_.bind(gl::BufferTarget::shader_storage, binding);
}

unsigned Plan::binding_of_data(std::size_t index) const {
    const bool tuned_columns = launch_.schedule && index > 0;
    return tuned_columns && launch_.schedule->intermediate() != Intermediate::in_place ? scratch_binding : data_binding;
}

void Plan::bind(std::size_t index, gl::Texture& data) const {
    data.bind_image(binding_of_data(index), gl::Access::read_write);
    if (launch_.schedule)
        bind_tuned_scratch(index);
    else
        scratch_texture_.bind_image(scratch_binding, gl::Access::read_write);
}

void Plan::bind(std::size_t index, gl::Buffer& data) const {
    data.bind(gl::BufferTarget::shader_storage, binding_of_data(index));
    if (launch_.schedule)
        bind_tuned_scratch(index);
    else
        scratch_buffer_.bind(gl::BufferTarget::shader_storage, scratch_binding);
}

void Plan::dispatch(std::size_t index) const {
    const Step& step = steps_[index];
    if (passes_[index].stage >= 0) {
        // The program is shared by all sizes and plans, so each dispatch sets all of it.
        step.program->set(log2_size_location, log2_exact(desc_.size));
        step.program->set(stage_location, passes_[index].stage);
        step.program->set(source_location, step.first_store);
        step.program->set(result_scale_location, step.result_scale);
    }
    step.program->dispatch_groups(step.work_groups[0], step.work_groups[1], step.work_groups[2]);
}

template <class Data>
void Plan::run(std::size_t first, std::size_t last, Data& data) {
    assert(first < last && last <= passes_.size());
    check(data);
    for (std::size_t index = first; index < last; ++index) {
        // The older algorithms read and write the same two stores in every pass.
        if (index == first || launch_.schedule) bind(index, data);
        const gl::Buffer* twiddles = steps_[index].twiddles;
        if (index == first || twiddles != steps_[index - 1].twiddles)
            twiddles->bind(gl::BufferTarget::shader_storage, twiddle_binding);
        dispatch(index);
        gl::memory_barrier(index + 1 == passes_.size() ? after_last_pass(desc_.storage)
                                                       : between_passes(intermediate_storage()));
    }
}

template <class Data>
void Plan::execute_profiled(Data& data, profiler::Profiler* profiler) {
    if (cuda_ != nullptr) {
        execute_cufft(data, profiler);
        return;
    }
    {
        const auto scope = profiler::scope(profiler, "fft.horizontal");
        execute_axis(Axis::horizontal, data);
    }
    const auto scope = profiler::scope(profiler, "fft.vertical");
    execute_axis(Axis::vertical, data);
}

void Plan::execute(gl::Texture& data, profiler::Profiler* profiler) {
    execute_profiled(data, profiler);
}
void Plan::execute(gl::Buffer& data, profiler::Profiler* profiler) {
    execute_profiled(data, profiler);
}

template <class Data>
void Plan::execute_cufft(Data& data, profiler::Profiler* profiler) {
    check(data);
    cuda_->run(data.name(), profiler);
    if (scale_program_ != nullptr) scale(data);
    gl::memory_barrier(after_last_pass(desc_.storage) | between_passes(desc_.storage));
}

void Plan::attach(gl::Texture& data) {
    check(data);
    if (cuda_ != nullptr) cuda_->attach(data.name());
}
void Plan::attach(gl::Buffer& data) {
    check(data);
    if (cuda_ != nullptr) cuda_->attach(data.name());
}
void Plan::detach() noexcept {
    if (cuda_ != nullptr) cuda_->detach();
}

void Plan::scale(gl::Texture& data) const {
    data.bind_image(data_binding, gl::Access::read_write);
    scale_program_->dispatch(desc_.size, desc_.size, desc_.layers);
}
void Plan::scale(gl::Buffer& data) const {
    data.bind(gl::BufferTarget::shader_storage, data_binding);
    scale_program_->dispatch(desc_.size, desc_.size, desc_.layers);
}

void Plan::execute_axis(Axis axis, gl::Texture& data) {
    assert(cuda_ == nullptr && "cuFFT transforms both axes at once");
    const std::size_t half = passes_.size() / 2;
    run(axis == Axis::horizontal ? 0 : half, axis == Axis::horizontal ? half : passes_.size(), data);
}
void Plan::execute_axis(Axis axis, gl::Buffer& data) {
    assert(cuda_ == nullptr && "cuFFT transforms both axes at once");
    const std::size_t half = passes_.size() / 2;
    run(axis == Axis::horizontal ? 0 : half, axis == Axis::horizontal ? half : passes_.size(), data);
}

void Plan::execute_pass(std::size_t index, gl::Texture& data) {
    run(index, index + 1, data);
}
void Plan::execute_pass(std::size_t index, gl::Buffer& data) {
    run(index, index + 1, data);
}

Storage Plan::intermediate_storage() const {
    return launch_.schedule ? launch_.schedule->rows.target.storage : desc_.storage;
}

void Plan::fill_scratch(float value) {
    if (cuda_ != nullptr) return; // cuFFT's work area is its own
    if (launch_.schedule && launch_.schedule->intermediate() == Intermediate::in_place) return;
    if (intermediate_storage() == Storage::image)
        scratch_texture_.clear({value, value, value, value});
    else
        scratch_buffer_.clear(value);
}

} // namespace spindrift::fft
