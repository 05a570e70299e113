#include "fft/fused_plan.h"

#include "engine/error.h"
#include "fft/tuned_shapes.h"
#include "fft/wisdom.h"

#include <algorithm>
#include <fmt/format.h>

namespace spindrift::fft {
namespace {

constexpr unsigned source_binding = 0; // of shaders/fft/tuned_*.glsl
constexpr unsigned target_binding = 1;
constexpr unsigned twiddle_binding = 2;

gl::Buffer twiddle_buffer(const KernelParameters& kernel) {
    return gl::Buffer::from(std::span<const float>(tuned_twiddle_table(kernel)), "fused twiddles");
}

/// Of the store, through which the sharers of an element give each other their parts (shaders/fft/tuned_kernel.glsl).
std::size_t gathering_bytes(const KernelParameters& kernel) {
    const std::size_t sharers = std::size_t{1} * kernel.lanes * kernel.layer_lanes;
    if (sharers == 1) return 0;
    const std::size_t value_floats = std::size_t{2} * complex_per_texel(kernel.packing) / kernel.lanes * kernel.layers;
    return sharers * (static_cast<std::size_t>(kernel.invocations()) + 1) * value_floats * sizeof(float);
}

std::optional<std::string> why_no_columns(const KernelParameters& kernel, const gl::DeviceLimits& limits) {
    if (kernel.points < kernel.lanes * kernel.layer_lanes)
        return fmt::format("points is {}; {} invocations share an element and need as many", kernel.points,
                           kernel.lanes * kernel.layer_lanes);
    const std::size_t bytes = kernel.shared_memory_bytes() + gathering_bytes(kernel);
    if (bytes > static_cast<std::size_t>(limits.max_shared_memory_bytes))
        return fmt::format("{} bytes of shared memory; this device's limit is {}", bytes,
                           limits.max_shared_memory_bytes);
    return std::nullopt;
}

const TunedSchedule& checked(const TunedSchedule& schedule, const TransformDesc& desc, const gl::DeviceLimits& limits) {
    if (const auto reason = why_no_fused_schedule(schedule, desc, limits))
        throw Error(fmt::format("fused plan: {}", *reason));
    return schedule;
}

} // namespace

gl::ProgramRecipe fused_recipe(const KernelParameters& kernel, const TransformDesc& desc, const FusedShaders& shaders) {
    const bool rows = kernel.axis == Axis::horizontal;
    const bool scaled = !rows && desc.scaling == Scaling::by_n2;
    const double scale = 1.0 / (static_cast<double>(desc.size) * desc.size);
    gl::ProgramRecipe made = tuned_recipe(kernel, scaled ? fmt::format("{:.9e}", scale) : std::string(),
                                          rows ? shaders.rows : shaders.columns);
    const gl::Defines& defines = rows ? shaders.row_defines : shaders.column_defines;
    made.defines.insert(made.defines.end(), defines.begin(), defines.end());
    return made;
}

std::optional<std::string> why_no_fused_schedule(const TunedSchedule& schedule, const TransformDesc& desc,
                                                 const gl::DeviceLimits& limits) {
    for (const KernelParameters* kernel : {&schedule.rows, &schedule.columns}) {
        if (auto reason = why_no_kernel(*kernel, limits)) return reason;
        const Axis axis = kernel == &schedule.rows ? Axis::horizontal : Axis::vertical;
        if (kernel->size() != desc.size || kernel->packing != desc.packing || kernel->direction != desc.direction ||
            kernel->axis != axis)
            return fmt::format("the {} kernel is one of size {}, {}, {}, {}; it should be of size {}, {}, {}, {}",
                               to_string(axis), kernel->size(), to_string(kernel->packing),
                               to_string(kernel->direction), to_string(kernel->axis), desc.size,
                               to_string(desc.packing), to_string(desc.direction), to_string(axis));
        if (kernel->group_layers() != desc.layers)
            return fmt::format("a kernel's work groups hold {} layers; fused ones hold all {}", kernel->group_layers(),
                               desc.layers);
    }
    if (auto reason = why_no_columns(schedule.columns, limits)) return reason;
    if (schedule.rows.target != schedule.columns.source)
        return "the row kernel does not write what the column kernel reads";
    if (schedule.rows.target.precision != desc.intermediate)
        return fmt::format("the schedule keeps the values between the axes in {}; intermediate is {}",
                           to_string(schedule.rows.target.precision), to_string(desc.intermediate));
    if (schedule.rows.placement != Placement::out_of_place || schedule.columns.placement != Placement::out_of_place)
        return "a kernel works in place";
    return std::nullopt;
}

std::optional<TunedSchedule> fused_schedule_for(const TransformDesc& desc, const gl::DeviceLimits& limits) {
    if (const Wisdom* wisdom = active_wisdom())
        if (const WisdomEntry* entry = wisdom->find_fused(desc);
            entry && !why_no_fused_schedule(entry->schedule, desc, limits))
            return entry->schedule;
    return default_fused_schedule(desc, limits);
}

std::optional<TunedSchedule> default_fused_schedule(const TransformDesc& desc, const gl::DeviceLimits& limits) {
    const KernelEnd between{Storage::buffer, desc.intermediate};
    const auto fitting = [&](Axis axis, bool shared) {
        KernelParameters kernel = kernel_for(desc, axis, between, between);
        kernel.layers = static_cast<std::uint8_t>(shared ? 1 : std::clamp(desc.layers, 1, 255));
        kernel.layer_lanes = static_cast<std::uint8_t>(shared ? std::clamp(desc.layers, 1, 255) : 1);
        return default_kernel(kernel, desc.size, limits, shared ? 2 : 1);
    };
    // Small transforms have too few invocations to hide latency: several share a texel. In large ones each computes all
    // that a texel's fields have in common only once.
    const bool shares_rows = !limits.software_renderer && desc.layers > 1 && desc.size <= 512;
    const bool shares_columns = shares_rows && desc.size <= 256;
    for (const bool sharing : {true, false}) { // which takes more shared memory
        const auto rows = fitting(Axis::horizontal, sharing && shares_rows);
        const auto columns = fitting(Axis::vertical, sharing && shares_columns);
        if (!rows || !columns) continue;
        const TunedSchedule schedule{*rows, *columns};
        if (!why_no_fused_schedule(schedule, desc, limits)) return schedule;
    }
    return std::nullopt;
}

FusedPlan::FusedPlan(const TransformDesc& desc, const TunedSchedule& schedule, const FusedShaders& shaders,
                     gl::ProgramLibrary& library, const gl::DeviceLimits& limits)
    : desc_(desc), schedule_(checked(schedule, desc, limits)),
      rows_(&library.get(fused_recipe(schedule.rows, desc, shaders))),
      columns_(&library.get(fused_recipe(schedule.columns, desc, shaders))),
      row_twiddles_(twiddle_buffer(schedule.rows)), column_twiddles_(twiddle_buffer(schedule.columns)) {
    const KernelEnd between = schedule.rows.target;
    if (between.storage == Storage::image)
        between_texture_ = gl::Texture(intermediate_texture_desc(desc, between.precision), "fused intermediate");
    else
        between_buffer_ = gl::Buffer(byte_count(desc) / (between.precision == Precision::fp16 ? 2 : 1),
                                     gl::BufferUsage::gpu_only, "fused intermediate");
}

void FusedPlan::bind_between(unsigned binding, gl::Access access) const {
    if (schedule_.rows.target.storage == Storage::image)
        between_texture_.bind_image(binding, access);
    else
        between_buffer_.bind(gl::BufferTarget::shader_storage, binding);
}

void FusedPlan::execute_rows() const {
    bind_between(target_binding, gl::Access::write_only);
    row_twiddles_.bind(gl::BufferTarget::shader_storage, twiddle_binding);
    const auto groups = tuned_work_groups(schedule_.rows, desc_.layers);
    rows_->dispatch_groups(groups[0], groups[1], groups[2]);
    gl::memory_barrier(schedule_.rows.target.storage == Storage::image ? gl::Visibility::image
                                                                       : gl::Visibility::storage_buffer);
}

void FusedPlan::execute_columns() const {
    bind_between(source_binding, gl::Access::read_only);
    column_twiddles_.bind(gl::BufferTarget::shader_storage, twiddle_binding);
    const auto groups = tuned_work_groups(schedule_.columns, desc_.layers);
    columns_->dispatch_groups(groups[0], groups[1], groups[2]);
}

void FusedPlan::fill_scratch(float value) {
    if (schedule_.rows.target.storage == Storage::image)
        between_texture_.clear({value, value, value, value});
    else
        between_buffer_.clear(value);
}

KernelFacts FusedPlan::facts() const {
    const KernelParameters& rows = schedule_.rows;
    const int radix = *std::max_element(rows.radices.begin(), rows.radices.end());
    return {.radix = radix,
            .stages_per_axis = rows.stages(),
            .work_group = {rows.invocations(), 1, 1},
            .butterflies_per_invocation = rows.points / radix,
            .dispatches_per_transform = 2,
            .barriers_per_dispatch = rows.barriers(),
            .shared_memory_bytes =
                static_cast<int>(std::max(rows.shared_memory_bytes(), schedule_.columns.shared_memory_bytes() +
                                                                          gathering_bytes(schedule_.columns))),
            .scratch_bytes = byte_count(desc_) / (rows.target.precision == Precision::fp16 ? 2 : 1),
            .schedule = schedule_.to_string()};
}

} // namespace spindrift::fft
