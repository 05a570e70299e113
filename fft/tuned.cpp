#include "fft/tuned.h"

#include "fft/planner.h"
#include "fft/twiddles.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <fmt/format.h>
#include <type_traits>

namespace spindrift::fft {
namespace {

static_assert(std::has_unique_object_representations_v<KernelParameters>, "hashed by its bytes");
static_assert(std::has_unique_object_representations_v<TunedSchedule>, "hashed by its bytes");

constexpr int banks = 32; ///< of shared memory, a float wide each

bool is_radix(int value) {
    return value == 2 || value == 4 || value == 8 || value == 16;
}

int texel_floats(Packing packing) {
    return 2 * complex_per_texel(packing);
}

/// Floats of the value that an invocation exchanges in one layer.
int width(const KernelParameters& parameters) {
    return texel_floats(parameters.packing) / parameters.lanes;
}

int exchange_rounds(const KernelParameters& parameters) {
    return parameters.layers * width(parameters) / parameters.exchange_components;
}

/// Invocations that share an element.
int sharers(const KernelParameters& parameters) {
    return parameters.lanes * parameters.layer_lanes;
}

/// Elements of shared memory that a line takes, so that each of its exchanges fits.
int line_slots(const KernelParameters& parameters) {
    const int size = parameters.size();
    int most = size;
    for (int stage = 0; stage + 1 < parameters.stages(); ++stage) {
        const ExchangePadding exchange = exchange_padding(parameters, stage);
        most = std::max(most, size + size / exchange.period * exchange.padding);
    }
    return most;
}

/// What is wrong with the radices, or with the points that must hold them.
std::optional<std::string> why_no_line(const KernelParameters& parameters) {
    int product = 1;
    bool ended = false;
    for (const int radix : parameters.radices) {
        if (radix == 0) {
            ended = true;
            continue;
        }
        if (ended) return "radices: a radix after the last one";
        if (!is_radix(radix)) return fmt::format("radices: {} is none of 2, 4, 8, 16", radix);
        if (radix > parameters.points)
            return fmt::format("points is {}; a stage of radix {} needs at least as many", parameters.points, radix);
        product *= radix;
        if (product > largest_size)
            return fmt::format("radices: their product is {} or more; the limit is {}", product, largest_size);
    }
    if (product < min_size) return fmt::format("radices: their product is {}; the least is {}", product, min_size);
    if (!is_radix(parameters.points)) return fmt::format("points is {}; it must be 2, 4, 8 or 16", parameters.points);
    if (parameters.points > product)
        return fmt::format("points is {}; a line has {} elements only", parameters.points, product);
    return std::nullopt;
}

std::optional<std::string> why_no_group(const KernelParameters& parameters) {
    if (!is_power_of_two(parameters.lines) || parameters.lines > parameters.size())
        return fmt::format("lines is {}; it must be a power of two up to the size", parameters.lines);
    if (!is_power_of_two(parameters.turns) || parameters.turns * parameters.lines > parameters.size())
        return fmt::format("turns is {} with {} lines each; it must be a power of two, and the lines at most the size",
                           parameters.turns, parameters.lines);
    const int most_layers = parameters.packing == Packing::vec2 ? 4 : 2;
    if (!is_power_of_two(parameters.layers) || parameters.layers > most_layers)
        return fmt::format("layers is {}; with packing {} it must be a power of two up to {}", parameters.layers,
                           fft::to_string(parameters.packing), most_layers);
    if (parameters.layer_lanes != 1 && parameters.layer_lanes != 2 && parameters.layer_lanes != 4)
        return fmt::format("layer_lanes is {}; it must be 1, 2 or 4", parameters.layer_lanes);
    if (parameters.lanes != 1 && parameters.lanes != 2)
        return fmt::format("lanes is {}; it must be 1 or 2", parameters.lanes);
    if (parameters.lanes == 2) {
        if (parameters.packing != Packing::vec4) return "lanes is 2; vec2 has one complex number only";
        if (parameters.source.storage == Storage::image || parameters.target.storage == Storage::image)
            return "lanes is 2; an image's texel cannot be written by two invocations";
    }
    return std::nullopt;
}

std::optional<std::string> why_no_exchange(const KernelParameters& parameters) {
    if (!is_power_of_two(parameters.exchange_components) || parameters.exchange_components > width(parameters))
        return fmt::format("exchange_components is {}; it must be 1, 2 or 4, and at most {}",
                           parameters.exchange_components, width(parameters));
    if (parameters.exchange_buffers != 1 && parameters.exchange_buffers != 2)
        return fmt::format("exchange_buffers is {}; it must be 1 or 2", parameters.exchange_buffers);
    if (parameters.padded > 1) return fmt::format("padded is {}; it must be 0 or 1", parameters.padded);
    if (parameters.slot_offsets > 1)
        return fmt::format("slot_offsets is {}; it must be 0 or 1", parameters.slot_offsets);
    if (parameters.early_twiddles > 1)
        return fmt::format("early_twiddles is {}; it must be 0 or 1", parameters.early_twiddles);
    if (parameters.placement == Placement::in_place && parameters.source != parameters.target)
        return "placement is in_place, but source and target are different";
    return std::nullopt;
}

/// Stages and exchanges as the macros of shaders/fft/tuned_kernel.glsl.
std::string schedule_text(const KernelParameters& parameters) {
    std::string text;
    int stride = 1;
    int table = 0;
    for (int stage = 0; stage < parameters.stages(); ++stage) {
        const int radix = parameters.radices[static_cast<std::size_t>(stage)];
        text += stage == 0 ? fmt::format("FIRST_{}", radix) : fmt::format(" STAGE_{}", radix);
        if (stage + 1 == parameters.stages()) break;
        const int next_radix = parameters.radices[static_cast<std::size_t>(stage) + 1];
        const std::string exchange = fmt::format(" EXCHANGE_{}({}, {})", radix, stride, stage);
        stride *= radix;
        const std::string twiddles = fmt::format(" TWIDDLES_{}({}, {})", next_radix, stride, table);
        text += parameters.early_twiddles != 0 ? twiddles + exchange : exchange + twiddles;
        table += (next_radix - 1) * stride;
    }
    return text;
}

/// Of every exchange, as the lists of shaders/fft/tuned_kernel.glsl; a kernel without exchanges has one nobody asks
/// for.
void add_paddings(const KernelParameters& parameters, gl::Defines& defines) {
    std::string paddings, periods;
    for (int stage = 0; stage < std::max(1, parameters.stages() - 1); ++stage) {
        const ExchangePadding exchange =
            parameters.stages() < 2 ? ExchangePadding{} : exchange_padding(parameters, stage);
        paddings += fmt::format("{}{}", stage == 0 ? "" : ", ", exchange.padding);
        periods += fmt::format("{}{}", stage == 0 ? "" : ", ", log2_exact(exchange.period));
    }
    defines.emplace_back("EXCHANGE_PADDINGS", std::move(paddings));
    defines.emplace_back("EXCHANGE_PERIODS", std::move(periods));
}

} // namespace

int KernelParameters::size() const noexcept {
    int product = 1;
    for (const int radix : radices) product *= std::max(radix, 1);
    return product;
}

int KernelParameters::group_layers() const noexcept {
    return layers * layer_lanes;
}

int KernelParameters::stages() const noexcept {
    return static_cast<int>(std::count_if(radices.begin(), radices.end(), [](int radix) { return radix != 0; }));
}

int KernelParameters::invocations() const noexcept {
    return size() / points * lines * sharers(*this);
}

int KernelParameters::barriers() const noexcept {
    const int rounds = (stages() - 1) * exchange_rounds(*this);
    const int in_a_turn = exchange_buffers == 2 ? rounds : std::max(0, 2 * rounds - 1);
    return turns == 1 ? in_a_turn : turns * (in_a_turn + 1);
}

std::size_t KernelParameters::shared_memory_bytes() const noexcept {
    if (stages() < 2) return 0;
    const auto slots = static_cast<std::size_t>(line_slots(*this)) * lines * static_cast<std::size_t>(sharers(*this));
    return slots * exchange_components * sizeof(float) * exchange_buffers;
}

std::string KernelParameters::to_string() const {
    std::string text;
    for (int stage = 0; stage < stages(); ++stage)
        text += fmt::format("{}{}", stage == 0 ? "" : ".", radices[static_cast<std::size_t>(stage)]);
    text += fmt::format(" points {} lines {} layers {}", points, lines, layers);
    if (lanes == 2) text += " lanes 2";
    if (layer_lanes != 1) text += fmt::format(" layer lanes {}", layer_lanes);
    text += fmt::format(" exchange {}", exchange_components);
    if (exchange_buffers == 2) text += "x2";
    if (padded != 0) text += " padded";
    if (slot_offsets == 0) text += " slots computed";
    if (twiddles == Twiddles::products) text += " products";
    if (early_twiddles != 0) text += " early";
    if (turns != 1) text += fmt::format(" turns {}", turns);
    const auto end = [](const KernelEnd& place) {
        return fmt::format("{}{}", fft::to_string(place.storage), place.precision == Precision::fp16 ? " fp16" : "");
    };
    text += placement == Placement::in_place ? fmt::format(" {} in place", end(source))
                                             : fmt::format(" {} to {}", end(source), end(target));
    return text;
}

std::size_t KernelParameters::hash() const noexcept {
    // FNV-1a over the bytes.
    std::uint64_t hash = 0xCBF29CE484222325U;
    for (const std::uint8_t byte : std::bit_cast<std::array<std::uint8_t, sizeof(KernelParameters)>>(*this))
        hash = (hash ^ byte) * 0x100000001B3U;
    return hash;
}

ExchangePadding exchange_padding(const KernelParameters& parameters, int stage) noexcept {
    int stride = 1;
    for (int before = 0; before < stage; ++before) stride *= parameters.radices[static_cast<std::size_t>(before)];
    const int block = stride * parameters.radices[static_cast<std::size_t>(stage)];
    const int together = sharers(parameters) * (parameters.axis == Axis::horizontal ? 1 : parameters.lines);
    const int elements_of_banks = std::max(1, banks / (parameters.exchange_components * together));
    const int period = std::max(block, elements_of_banks);
    // What is written side by side needs no room.
    const bool needed = parameters.padded != 0 && stride < elements_of_banks;
    return {.period = period, .padding = needed ? stride : 0};
}

std::optional<std::string> why_no_kernel(const KernelParameters& parameters, const gl::DeviceLimits& limits) {
    if (auto reason = why_no_line(parameters)) return reason;
    if (auto reason = why_no_group(parameters)) return reason;
    if (auto reason = why_no_exchange(parameters)) return reason;
    if (parameters.invocations() > max_line_invocations(limits))
        return fmt::format("a work group of {} invocations; this device's limit is {}", parameters.invocations(),
                           max_line_invocations(limits));
    if (parameters.shared_memory_bytes() > static_cast<std::size_t>(limits.max_shared_memory_bytes))
        return fmt::format("{} bytes of shared memory; this device's limit is {}", parameters.shared_memory_bytes(),
                           limits.max_shared_memory_bytes);
    return std::nullopt;
}

gl::ProgramRecipe tuned_recipe(const KernelParameters& parameters, const std::string& scale, const std::string& file) {
    assert(!why_no_line(parameters) && !why_no_group(parameters) && !why_no_exchange(parameters));
    const auto number = [](int value) { return fmt::format("{}", value); };
    gl::Defines defines{{"SCHEDULE", schedule_text(parameters)},
                        {"LOG2_SIZE", number(log2_exact(parameters.size()))},
                        {"POINTS", number(parameters.points)},
                        {"LINES", number(parameters.lines)},
                        {"TURNS", number(parameters.turns)},
                        {"LAYERS", number(parameters.layers)},
                        {"LANES", number(parameters.lanes)},
                        {"LAYER_LANES", number(parameters.layer_lanes)},
                        {"PACKING", number(texel_floats(parameters.packing))},
                        {"DIRECTION", parameters.direction == Direction::forward ? "(-1)" : "1"},
                        {"EXCHANGE_COMPONENTS", number(parameters.exchange_components)},
                        {"EXCHANGE_BUFFERS", number(parameters.exchange_buffers)},
                        {"LINE_SLOTS", number(line_slots(parameters))}};
    add_paddings(parameters, defines);
    const auto add_if = [&defines](bool condition, const char* name) {
        if (condition) defines.emplace_back(name, "");
    };
    add_if(parameters.axis == Axis::horizontal, "HORIZONTAL");
    add_if(parameters.slot_offsets != 0, "SLOT_OFFSETS");
    add_if(parameters.twiddles == Twiddles::products, "TWIDDLE_PRODUCTS");
    add_if(parameters.source.storage == Storage::image, "SOURCE_IMAGE");
    add_if(parameters.source.precision == Precision::fp16, "SOURCE_HALF");
    add_if(parameters.target.storage == Storage::image, "TARGET_IMAGE");
    add_if(parameters.target.precision == Precision::fp16, "TARGET_HALF");
    add_if(parameters.placement == Placement::in_place, "IN_PLACE");
    if (!scale.empty()) defines.emplace_back("RESULT_SCALE", scale);
    return gl::ProgramRecipe::compute(file, std::move(defines));
}

std::vector<float> tuned_twiddle_table(const KernelParameters& parameters) {
    std::vector<float> table;
    int stride = parameters.radices[0];
    for (int stage = 1; stage < parameters.stages(); ++stage) {
        const int radix = parameters.radices[static_cast<std::size_t>(stage)];
        for (int q = 1; q < radix; ++q)
            for (int k = 0; k < stride; ++k) {
                std::complex<double> root = root_of_unity(q * k, radix * stride);
                if (parameters.direction == Direction::inverse) root = std::conj(root);
                table.push_back(static_cast<float>(root.real()));
                table.push_back(static_cast<float>(root.imag()));
            }
        stride *= radix;
    }
    if (table.empty()) table = {1.0F, 0.0F}; // a buffer cannot be empty
    return table;
}

std::string_view to_string(Intermediate intermediate) noexcept {
    switch (intermediate) {
    case Intermediate::in_place:
        return "in place";
    case Intermediate::buffer:
        return "buffer";
    case Intermediate::image:
        return "image";
    }
    return "unknown";
}

Intermediate TunedSchedule::intermediate() const noexcept {
    if (rows.placement == Placement::in_place) return Intermediate::in_place;
    return rows.target.storage == Storage::image ? Intermediate::image : Intermediate::buffer;
}

std::size_t TunedSchedule::scratch_bytes(const TransformDesc& desc) const noexcept {
    if (intermediate() == Intermediate::in_place) return 0;
    return byte_count(desc) / (rows.target.precision == Precision::fp16 ? 2 : 1);
}

std::string TunedSchedule::to_string() const {
    return fmt::format("rows {}; columns {}", rows.to_string(), columns.to_string());
}

KernelEnd data_end(const TransformDesc& desc) noexcept {
    return {desc.storage, Precision::fp32};
}

KernelParameters kernel_for(const TransformDesc& desc, Axis axis, KernelEnd source, KernelEnd target) {
    KernelParameters parameters;
    parameters.axis = axis;
    parameters.direction = desc.direction;
    parameters.packing = desc.packing;
    parameters.source = source;
    parameters.target = target;
    return parameters;
}

std::optional<std::string> why_no_schedule(const TunedSchedule& schedule, const TransformDesc& desc,
                                           const gl::DeviceLimits& limits) {
    for (const KernelParameters* kernel : {&schedule.rows, &schedule.columns}) {
        const Axis axis = kernel == &schedule.rows ? Axis::horizontal : Axis::vertical;
        if (auto reason = why_no_kernel(*kernel, limits)) return fmt::format("{} kernel: {}", to_string(axis), *reason);
        if (kernel->size() != desc.size || kernel->axis != axis || kernel->direction != desc.direction ||
            kernel->packing != desc.packing)
            return fmt::format("{} kernel: it is one of another size, axis, direction or packing", to_string(axis));
        if (desc.layers % kernel->group_layers() != 0)
            return fmt::format("{} kernel: it transforms {} layers at once; layers is {}", to_string(axis),
                               kernel->group_layers(), desc.layers);
    }
    if (schedule.rows.source != data_end(desc) || schedule.columns.target != data_end(desc))
        return "the schedule's ends are not what the description's storage is";
    if (schedule.rows.target != schedule.columns.source || schedule.rows.placement != schedule.columns.placement)
        return "the row kernel does not write what the column kernel reads";
    if (schedule.rows.target.precision != desc.intermediate)
        return fmt::format("the schedule keeps the intermediate values in {}; intermediate is {}",
                           to_string(schedule.rows.target.precision), to_string(desc.intermediate));
    return std::nullopt;
}

gl::TextureDesc intermediate_texture_desc(const TransformDesc& desc, Precision precision) {
    const bool half = precision == Precision::fp16;
    const gl::PixelFormat two = half ? gl::PixelFormat::rg16f : gl::PixelFormat::rg32f;
    const gl::PixelFormat four = half ? gl::PixelFormat::rgba16f : gl::PixelFormat::rgba32f;
    return {.target = gl::TextureTarget::texture_2d_array,
            .format = desc.packing == Packing::vec4 ? four : two,
            .width = desc.size,
            .height = desc.size,
            .layers = desc.layers};
}

std::array<int, 3> tuned_work_groups(const KernelParameters& parameters, int layers) noexcept {
    return {parameters.size() / (parameters.lines * parameters.turns), 1, layers / parameters.group_layers()};
}

} // namespace spindrift::fft
