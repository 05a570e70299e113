#include "app/ocean/simulation.h"

#include "app/ocean/step_input.h"
#include "engine/error.h"
#include "fft/planner.h"

#include <cassert>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <string>

namespace spindrift::ocean {
namespace {

// Binding points and uniform locations of shaders/ocean.
constexpr unsigned field_binding = 0; // image, texture or buffer
constexpr unsigned initial_spectrum_unit = 0;
constexpr unsigned omega_buffer_binding = 1;
constexpr unsigned fused_omega_binding = 3; // behind those of the transform
constexpr unsigned displacement_image_unit = 1;
constexpr unsigned derivative_image_unit = 2;
constexpr unsigned foam_image_unit = 3;
constexpr int size_location = 0;
constexpr int loop_fraction_location = 1;
constexpr int wave_number_step_location = 2;
constexpr int evolve_first_layer_location = 3;
constexpr int choppiness_location = 1;
constexpr int foam_threshold_location = 2;
constexpr int foam_strength_location = 3;
constexpr int foam_decay_location = 4;
constexpr int assemble_first_layer_location = 5;

constexpr int field_pairs = field_count / 2;

// Six seconds: foam that is older has faded to a few percent at the usual rates. A software renderer would need many
// seconds for so many steps; its sea starts with less old foam.
constexpr double warm_up_interval = 0.25;
constexpr int warm_up_steps_on_gpu = 24;
constexpr int warm_up_steps_on_software = 6;

gl::ProgramRecipe recipe(const char* path, const SimulationDesc& desc) {
    gl::Defines defines{{"PACKING", desc.packing == fft::Packing::vec4 ? "4" : "2"}};
    if (desc.storage == fft::Storage::image) defines.emplace_back("STORAGE_IMAGE", "");
    return gl::ProgramRecipe::compute(path, std::move(defines));
}

gl::Defines evolve_defines(const SimulationDesc& desc, unsigned omega_binding) {
    gl::Defines defines{{"OMEGA_BINDING", fmt::format("{}", omega_binding)}};
    if (desc.first_of_pairs_only) defines.emplace_back("FIRST_OF_PAIRS_ONLY", "");
    return defines;
}

gl::Defines assemble_defines() {
    return {{"SMALLEST_JACOBIAN", fmt::format("{:.8f}", Simulation::smallest_jacobian)},
            {"LARGEST_SLOPE", fmt::format("{:.8f}", Simulation::largest_slope)}};
}

gl::ProgramRecipe evolve_recipe(const SimulationDesc& desc) {
    gl::ProgramRecipe result = recipe("ocean/evolve.comp", desc);
    for (auto& define : evolve_defines(desc, omega_buffer_binding)) result.defines.push_back(std::move(define));
    return result;
}

gl::ProgramRecipe assemble_recipe(const SimulationDesc& desc) {
    gl::ProgramRecipe result = recipe("ocean/assemble.comp", desc);
    for (auto& define : assemble_defines()) result.defines.push_back(std::move(define));
    return result;
}

std::optional<fft::FusedPlan> make_fused_plan(const SimulationDesc& desc, gl::ProgramLibrary& library,
                                              const gl::DeviceLimits& limits) {
    if (!desc.fused || desc.algorithm != fft::Algorithm::tuned) return std::nullopt;
    const fft::TransformDesc transform = transform_desc(desc);
    const auto schedule = fft::fused_schedule_for(transform, limits);
    if (!schedule)
        throw Error(
            fmt::format("fused: no kernel whose work groups hold all fields fits this device: size is {}", desc.size));
    return fft::FusedPlan(transform, *schedule, fused_shaders(desc), library, limits);
}

gl::TextureDesc map_desc(int size, gl::PixelFormat format) {
    return {.format = format,
            .width = size,
            .height = size,
            .levels = 0,
            .filter = gl::Filter::trilinear,
            .wrap = gl::Wrap::repeat};
}

gl::TextureDesc plain_desc(int size, gl::PixelFormat format) {
    return {.format = format, .width = size, .height = size};
}

std::size_t cell_count(int size) {
    return static_cast<std::size_t>(size) * static_cast<std::size_t>(size);
}

/// For the mips and the surface that read the maps, and for the next step, which reads the foam and overwrites all.
void make_maps_visible() {
    gl::memory_barrier(gl::Visibility::image | gl::Visibility::texture_fetch | gl::Visibility::texture_update |
                       gl::Visibility::framebuffer | gl::Visibility::storage_buffer);
}

/// The part of a sea that h0 and the frequencies depend on; the rest is put to the defaults.
SeaState spectral_part(SeaState sea) {
    const SeaState defaults;
    sea.choppiness = defaults.choppiness;
    sea.foam_amount = defaults.foam_amount;
    sea.foam_strength = defaults.foam_strength;
    sea.foam_fade_rate = defaults.foam_fade_rate;
    return sea;
}

/// Frames whose fields are in memory at once.
int frames_ahead(const SimulationDesc& desc) {
    return desc.algorithm == fft::Algorithm::cufft ? desc.interop_frames : 1;
}

int layers_per_frame(const SimulationDesc& desc) {
    return field_pairs / fft::complex_per_texel(desc.packing);
}

SimulationDesc checked(const SimulationDesc& desc) {
    assert(desc.interop_frames >= 1);
    validate(desc.sea);
    return desc;
}

} // namespace

fft::TransformDesc transform_desc(const SimulationDesc& desc) {
    return {.size = desc.size,
            .direction = fft::Direction::inverse,
            .algorithm = desc.algorithm,
            .packing = desc.packing,
            .layers = frames_ahead(desc) * layers_per_frame(desc),
            .storage = desc.storage,
            .scaling = fft::Scaling::none,
            .intermediate = desc.intermediate};
}

fft::FusedShaders fused_shaders(const SimulationDesc& desc) {
    return {.rows = "ocean/evolve_rows.comp",
            .row_defines = evolve_defines(desc, fused_omega_binding),
            .columns = "ocean/assemble_columns.comp",
            .column_defines = assemble_defines()};
}

std::uint32_t loop_fraction(double time, double period) noexcept {
    double phase = std::fmod(time, period) / period; // fmod is exact
    if (phase < 0) phase += 1;
    return static_cast<std::uint32_t>(static_cast<std::uint64_t>(std::llround(phase * 4294967296.0)));
}

Simulation::Simulation(const SimulationDesc& desc, gl::ProgramLibrary& library, const gl::DeviceInfo& device,
                       const InitialSpectrum* initial)
    : desc_(checked(desc)), warm_up_steps_(device.software_renderer ? warm_up_steps_on_software : warm_up_steps_on_gpu),
      fused_(make_fused_plan(desc, library, device.limits)), evolve_program_(&library.get(evolve_recipe(desc))),
      assemble_program_(&library.get(assemble_recipe(desc))),
      initial_texture_(plain_desc(desc.size, gl::PixelFormat::rgba32f), "ocean initial spectrum"),
      omega_buffer_(cell_count(desc.size) * sizeof(std::uint32_t), gl::BufferUsage::dynamic, "ocean frequencies"),
      displacement_(map_desc(desc.size, gl::PixelFormat::rgba32f), "ocean displacement"),
      derivatives_(map_desc(desc.size, gl::PixelFormat::rgba32f), "ocean derivatives"),
      foam_(plain_desc(desc.size, gl::PixelFormat::r32f), "ocean foam"),
      plan_(transform_desc(desc), library, device.limits), mipmaps_(desc.size, library) {
    if (!fused_) make_field_storage();
    assert(initial == nullptr || initial->size == desc_.size);
    if (initial != nullptr)
        initial_ = *initial;
    else
        make_initial_spectrum(desc_.sea, desc_.size, initial_);
    upload_spectrum();
}

bool Simulation::prepare(const SimulationDesc& desc, gl::ProgramLibrary& library, const gl::DeviceLimits& limits) {
    assert(!desc.fused && desc.algorithm == fft::Algorithm::stockham_radix4);
    const fft::TransformDesc transform = transform_desc(desc);
    const fft::LaunchPlan launch = fft::plan_launch(transform, limits);
    constexpr bool scaled = false;
    std::vector<gl::ProgramRecipe> recipes{
        evolve_recipe(desc), assemble_recipe(desc),
        fft::kernel_recipe(transform, launch, fft::Axis::horizontal, 0, scaled),
        fft::kernel_recipe(transform, launch, fft::Axis::vertical, launch.stages_per_axis % 2, scaled)};
    for (gl::ProgramRecipe& kernel : render::BoxMipmaps::recipes(desc.size)) recipes.push_back(std::move(kernel));
    bool ready = true;
    for (const gl::ProgramRecipe& one : recipes) ready = library.prepare(one) && ready;
    return ready;
}

void Simulation::make_field_storage() {
    if (desc_.storage == fft::Storage::image) {
        field_texture_ = gl::Texture(fft::data_texture_desc(plan_.desc()), "ocean fields");
        plan_.attach(field_texture_);
    } else {
        field_buffer_ = gl::Buffer(fft::byte_count(plan_.desc()), gl::BufferUsage::gpu_only, "ocean fields");
        plan_.attach(field_buffer_);
    }
}

void Simulation::set_sea(const SeaState& sea, FoamHistory history) {
    validate(sea);
    const bool same_spectrum = spectral_part(sea) == spectral_part(desc_.sea);
    desc_.sea = sea;
    if (!same_spectrum) {
        make_initial_spectrum(desc_.sea, desc_.size, initial_);
        upload_spectrum();
    }
    if (history == FoamHistory::restart) foam_is_warm_ = false;
}

void Simulation::remake_plan(gl::ProgramLibrary& library, const gl::DeviceLimits& limits) {
    assert(desc_.algorithm != fft::Algorithm::cufft);
    auto fused = make_fused_plan(desc_, library, limits);
    plan_ = fft::Plan(plan_.desc(), library, limits);
    fused_ = std::move(fused);
}

void Simulation::replace_spectrum(InitialSpectrum spectrum) {
    assert(spectrum.size == desc_.size && spectrum.h0.size() == cell_count(desc_.size));
    assert(spectrum.tile_length == desc_.sea.tile_length && spectrum.loop_period == desc_.sea.loop_period);
    initial_ = std::move(spectrum);
    upload_spectrum();
    foam_is_warm_ = false;
}

float Simulation::significant_height() const noexcept {
    return static_cast<float>(initial_.significant_height());
}

void Simulation::upload_spectrum() {
    write_evolve_input(initial_, upload_);
    prepared_ = {};
    initial_texture_.upload(upload_);
    omega_buffer_.upload(std::as_bytes(std::span<const std::uint32_t>(initial_.omega_index)));
}

void Simulation::step(double time, double dt, profiler::Profiler* profiler) {
    assert(dt >= 0);
    if (!foam_is_warm_) {
        foam_.clear({0, 0, 0, 0});
        dt = warm_up_interval;
        const double decay = std::exp(-desc_.sea.foam_fade_rate * dt);
        for (int index = warm_up_steps_; index > 0; --index)
            run(time - index * warm_up_interval, warm_up_interval, decay, nullptr);
        foam_is_warm_ = true;
    }
    run(time, dt, std::exp(-desc_.sea.foam_fade_rate * dt), profiler);
    if (desc_.mips) make_mips(profiler);
}

void Simulation::make_mips(profiler::Profiler* profiler) {
    const auto scope = profiler::scope(profiler, "mips");
    mipmaps_.generate({&displacement_, &derivatives_});
    make_maps_visible();
}

void Simulation::run(double time, double dt, double decay, profiler::Profiler* profiler) {
    last_time_ = time;
    if (fused_) {
        run_fused(time, decay, profiler);
        return;
    }
    if (shown_frame_ = prepared_frame(time, dt); shown_frame_ < 0) {
        prepare(time, dt, profiler);
        shown_frame_ = 0;
    }
    const auto scope = profiler::scope(profiler, "assemble");
    assemble(decay, shown_frame_);
}

int Simulation::prepared_frame(double time, double dt) const noexcept {
    // One frame ahead is no frame ahead: its fields may be those of another sea by now.
    if (frames_ahead(desc_) == 1 || prepared_.count == 0) return -1;
    const double ahead = time - prepared_.first_time;
    const double position = prepared_.count > 1 ? std::round(ahead / prepared_.interval) : 0.0;
    if (!(position >= 0 && position < prepared_.count)) return -1;
    constexpr double rounding = 1e-9; // seconds: of the sum that makes a frame's time
    const bool near = std::abs(ahead - position * prepared_.interval) <= 0.5 * dt + rounding;
    return near ? static_cast<int>(position) : -1;
}

void Simulation::prepare(double time, double dt, profiler::Profiler* profiler) {
    prepared_ = {.first_time = time, .interval = dt, .count = dt > 0 ? frames_ahead(desc_) : 1};
    {
        const auto scope = profiler::scope(profiler, "evolve");
        for (int frame = 0; frame < prepared_.count; ++frame) evolve(time + frame * dt, frame);
        gl::memory_barrier(desc_.storage == fft::Storage::image ? gl::Visibility::image
                                                                : gl::Visibility::storage_buffer);
    }
    transform(profiler);
}

void Simulation::run_fused(double time, double decay, profiler::Profiler* profiler) {
    {
        const auto scope = profiler::scope(profiler, "fft.horizontal");
        bind_evolve_input(fused_->rows(), time, fused_omega_binding);
        fused_->execute_rows();
    }
    const auto scope = profiler::scope(profiler, "fft.vertical");
    bind_assemble_output(fused_->columns(), decay);
    fused_->execute_columns();
    make_maps_visible();
}

void Simulation::bind_evolve_input(const gl::Program& program, double time, unsigned omega_binding) const {
    program.set(loop_fraction_location, unsigned{loop_fraction(time, desc_.sea.loop_period)});
    program.set(wave_number_step_location, wave_number_step(desc_.sea));
    initial_texture_.bind(initial_spectrum_unit);
    omega_buffer_.bind(gl::BufferTarget::shader_storage, omega_binding);
}

void Simulation::evolve(double time, int frame) {
    const bool image = desc_.storage == fft::Storage::image;
    evolve_program_->set(size_location, desc_.size);
    evolve_program_->set(evolve_first_layer_location, frame * layers_per_frame(desc_));
    bind_evolve_input(*evolve_program_, time, omega_buffer_binding);
    if (image)
        field_texture_.bind_image(field_binding, gl::Access::write_only);
    else
        field_buffer_.bind(gl::BufferTarget::shader_storage, field_binding);
    evolve_program_->dispatch(desc_.size, desc_.size);
}

void Simulation::transform(profiler::Profiler* profiler) {
    if (desc_.storage == fft::Storage::image)
        plan_.execute(field_texture_, profiler);
    else
        plan_.execute(field_buffer_, profiler);
}

void Simulation::bind_assemble_output(const gl::Program& program, double decay) const {
    const AssembleFactors factors = assemble_factors(desc_.sea, initial_);
    program.set(choppiness_location, factors.choppiness);
    program.set(foam_threshold_location, factors.foam_threshold);
    program.set(foam_strength_location, factors.foam_strength);
    program.set(foam_decay_location, static_cast<float>(decay));
    displacement_.bind_image(displacement_image_unit, gl::Access::write_only);
    derivatives_.bind_image(derivative_image_unit, gl::Access::write_only);
    foam_.bind_image(foam_image_unit, gl::Access::read_write);
}

void Simulation::assemble(double decay, int frame) {
    assemble_program_->set(size_location, desc_.size);
    assemble_program_->set(assemble_first_layer_location, frame * layers_per_frame(desc_));
    bind_assemble_output(*assemble_program_, decay);
    if (desc_.storage == fft::Storage::image)
        field_texture_.bind(field_binding);
    else
        field_buffer_.bind(gl::BufferTarget::shader_storage, field_binding);
    assemble_program_->dispatch(desc_.size, desc_.size);
    make_maps_visible();
}

void Simulation::fill_scratch(float value) {
    if (fused_)
        fused_->fill_scratch(value);
    else
        plan_.fill_scratch(value);
}

void Simulation::bind_fused_rows(const gl::Program& rows, double time) const {
    bind_evolve_input(rows, time, fused_omega_binding);
}

void Simulation::bind_fused_columns(const gl::Program& columns) const {
    constexpr double no_decay = 1;
    bind_assemble_output(columns, no_decay);
}

void Simulation::poison_maps() {
    constexpr float nan = std::numeric_limits<float>::quiet_NaN();
    displacement_.clear({nan, nan, nan, nan});
    derivatives_.clear({nan, nan, nan, nan});
    foam_.clear({0, 0, 0, 0});
}

void Simulation::run_without_history(double time) {
    foam_.clear({0, 0, 0, 0});
    foam_is_warm_ = false;
    constexpr double no_decay = 1;
    run(time, 0, no_decay, nullptr);
}

std::array<std::vector<float>, field_count> Simulation::download_fields() {
    if (fused_) {
        if (field_texture_.name() == 0 && field_buffer_.name() == 0) make_field_storage();
        prepare(last_time_, 0, nullptr);
    }
    const fft::TransformDesc& transform = plan_.desc();
    std::vector<float> texels(fft::float_count(transform));
    if (desc_.storage == fft::Storage::image)
        field_texture_.download(texels);
    else
        field_buffer_.download(std::as_writable_bytes(std::span<float>(texels)));
    const std::size_t cells = cell_count(desc_.size);
    const std::size_t floats_per_texel = 2 * static_cast<std::size_t>(fft::complex_per_texel(transform.packing));
    const auto first_layer = static_cast<std::size_t>(shown_frame_ * layers_per_frame(desc_));
    std::array<std::vector<float>, field_count> fields;
    for (std::size_t field = 0; field < field_count; ++field) {
        const std::size_t layer = first_layer + field / floats_per_texel;
        const std::size_t component = field % floats_per_texel;
        fields[field].resize(cells);
        for (std::size_t cell = 0; cell < cells; ++cell)
            fields[field][cell] = texels[(layer * cells + cell) * floats_per_texel + component];
    }
    return fields;
}

} // namespace spindrift::ocean
