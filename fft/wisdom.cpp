#include "fft/wisdom.h"

#include "engine/error.h"
#include "engine/sha256.h"
#include "fft/fused_plan.h"
#include "fft/planner.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace spindrift::fft {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view schema = "spindrift.wisdom/2";

std::shared_ptr<const Wisdom>& active() noexcept {
    static std::shared_ptr<const Wisdom> wisdom;
    return wisdom;
}

/// Fused ones keep their values in a store of their own kind.
bool same_transform(const TransformDesc& a, const TransformDesc& b, bool fused) noexcept {
    return a.size == b.size && a.direction == b.direction && a.packing == b.packing && a.layers == b.layers &&
           (fused || a.storage == b.storage) && a.intermediate == b.intermediate;
}

Json to_json(const KernelEnd& end) {
    return {{"storage", to_string(end.storage)}, {"precision", to_string(end.precision)}};
}

Json to_json(const KernelParameters& kernel) {
    Json radices = Json::array();
    for (int stage = 0; stage < kernel.stages(); ++stage)
        radices.push_back(int{kernel.radices[static_cast<std::size_t>(stage)]});
    return {{"radices", std::move(radices)},
            {"points", int{kernel.points}},
            {"lines", int{kernel.lines}},
            {"layers", int{kernel.layers}},
            {"lanes", int{kernel.lanes}},
            {"layer_lanes", int{kernel.layer_lanes}},
            {"exchange_components", int{kernel.exchange_components}},
            {"exchange_buffers", int{kernel.exchange_buffers}},
            {"padded", kernel.padded != 0},
            {"slot_offsets", kernel.slot_offsets != 0},
            {"twiddles", kernel.twiddles == Twiddles::products ? "products" : "table"},
            {"early_twiddles", kernel.early_twiddles != 0},
            {"turns", int{kernel.turns}},
            {"in_place", kernel.placement == Placement::in_place},
            {"source", to_json(kernel.source)},
            {"target", to_json(kernel.target)}};
}

/// Members of a JSON object, each of which must be there and be what it is asked for.
class Reader {
public:
    Reader(const Json& json, std::string place) : json_(json), place_(std::move(place)) {
        if (!json.is_object()) throw Error(fmt::format("{} is no object", place_));
    }

    const Json& member(const char* name) const {
        const auto found = json_.find(name);
        if (found == json_.end()) throw Error(fmt::format("{} has no {}", place_, name));
        return *found;
    }
    std::string text(const char* name) const {
        const Json& value = member(name);
        if (!value.is_string()) throw Error(fmt::format("{}: {} is no text", place_, name));
        return value.get<std::string>();
    }
    int integer(const char* name, int least, int most) const {
        const Json& value = member(name);
        if (!value.is_number_integer() || value.get<long long>() < least || value.get<long long>() > most)
            throw Error(fmt::format("{}: {} is no whole number from {} to {}", place_, name, least, most));
        return value.get<int>();
    }
    std::uint8_t byte(const char* name) const { return static_cast<std::uint8_t>(integer(name, 0, 255)); }
    double positive(const char* name) const {
        const Json& value = member(name);
        if (!value.is_number() || !std::isfinite(value.get<double>()) || value.get<double>() <= 0)
            throw Error(fmt::format("{}: {} is no positive number", place_, name));
        return value.get<double>();
    }
    double not_negative(const char* name) const {
        const Json& value = member(name);
        if (!value.is_number() || !std::isfinite(value.get<double>()) || value.get<double>() < 0)
            throw Error(fmt::format("{}: {} is no number from 0 on", place_, name));
        return value.get<double>();
    }
    bool boolean(const char* name) const {
        const Json& value = member(name);
        if (!value.is_boolean()) throw Error(fmt::format("{}: {} is neither true nor false", place_, name));
        return value.get<bool>();
    }
    template <class Choice>
    Choice choice(const char* name, std::optional<Choice> (*parse)(std::string_view)) const {
        const std::string value = text(name);
        if (const auto parsed = parse(value)) return *parsed;
        throw Error(fmt::format("{}: {} is \"{}\", which is no such thing", place_, name, value));
    }
    Reader object(const char* name) const { return {member(name), fmt::format("{}.{}", place_, name)}; }

private:
    const Json& json_;
    std::string place_;
};

std::optional<Twiddles> parse_twiddles(std::string_view name) {
    if (name == "table") return Twiddles::table;
    if (name == "products") return Twiddles::products;
    return std::nullopt;
}

KernelEnd read_end(const Reader& reader) {
    return {reader.choice<Storage>("storage", parse_storage), reader.choice<Precision>("precision", parse_precision)};
}

KernelParameters read_kernel(const Reader& reader, const TransformDesc& desc, Axis axis) {
    KernelParameters kernel =
        kernel_for(desc, axis, read_end(reader.object("source")), read_end(reader.object("target")));
    const Json& radices = reader.member("radices");
    if (!radices.is_array() || radices.size() > KernelParameters::most_stages)
        throw Error("radices is no list, or too long");
    for (std::size_t stage = 0; stage < radices.size(); ++stage) {
        if (!radices[stage].is_number_integer() || radices[stage].get<long long>() < 2 ||
            radices[stage].get<long long>() > 16)
            throw Error("radices: a stage is no number from 2 to 16");
        kernel.radices[stage] = static_cast<std::uint8_t>(radices[stage].get<int>());
    }
    kernel.points = reader.byte("points");
    kernel.lines = reader.byte("lines");
    kernel.layers = reader.byte("layers");
    kernel.lanes = reader.byte("lanes");
    kernel.layer_lanes = reader.byte("layer_lanes");
    kernel.exchange_components = reader.byte("exchange_components");
    kernel.exchange_buffers = reader.byte("exchange_buffers");
    kernel.padded = reader.boolean("padded") ? 1 : 0;
    kernel.slot_offsets = reader.boolean("slot_offsets") ? 1 : 0;
    kernel.twiddles = reader.choice<Twiddles>("twiddles", parse_twiddles);
    kernel.early_twiddles = reader.boolean("early_twiddles") ? 1 : 0;
    kernel.turns = reader.byte("turns");
    kernel.placement = reader.boolean("in_place") ? Placement::in_place : Placement::out_of_place;
    return kernel;
}

WisdomEntry read_entry(const Reader& reader, const gl::DeviceLimits& limits) {
    WisdomEntry entry;
    entry.desc = {.size = reader.integer("size", min_size, largest_size),
                  .direction = reader.choice<Direction>("direction", parse_direction),
                  .algorithm = Algorithm::tuned,
                  .packing = reader.choice<Packing>("packing", parse_packing),
                  .layers = reader.integer("layers", 1, 1 << 16),
                  .storage = reader.choice<Storage>("storage", parse_storage),
                  .intermediate = reader.choice<Precision>("intermediate", parse_precision)};
    entry.fused = reader.boolean("fused");
    entry.effort = reader.choice<Effort>("effort", parse_effort);
    entry.schedule.rows = read_kernel(reader.object("rows"), entry.desc, Axis::horizontal);
    entry.schedule.columns = read_kernel(reader.object("columns"), entry.desc, Axis::vertical);
    entry.microseconds = reader.positive("microseconds");
    // Two programs may round alike; but no program as the double reference does.
    entry.relative_l2 = entry.fused ? reader.not_negative("rel_l2") : reader.positive("rel_l2");
    const auto reason = entry.fused ? why_no_fused_schedule(entry.schedule, entry.desc, limits)
                                    : why_no_schedule(entry.schedule, entry.desc, limits);
    if (reason) throw Error(*reason);
    return entry;
}

void expect_same(const Reader& reader, const char* name, const std::string& here, const char* what) {
    if (const std::string there = reader.text(name); there != here)
        throw Error(fmt::format("it was measured with another {} ({})", what, there));
}

} // namespace

Wisdom::Wisdom(const gl::DeviceInfo& device, std::string shader_hash)
    : vendor_(device.vendor), renderer_(device.renderer), version_(device.version),
      shader_hash_(std::move(shader_hash)) {}

Wisdom Wisdom::parse(std::string_view text, const gl::DeviceInfo& device, const std::string& shader_hash) {
    const Json json = Json::parse(text, nullptr, false);
    if (json.is_discarded()) throw Error("it is damaged: no JSON");
    try {
        const Reader reader(json, "the file");
        if (reader.text("schema") != schema)
            throw Error(fmt::format("its schema is {}, not {}", reader.text("schema"), schema));
        const Reader gpu = reader.object("gpu");
        expect_same(gpu, "vendor", device.vendor, "vendor's GPU");
        expect_same(gpu, "renderer", device.renderer, "GPU");
        expect_same(gpu, "version", device.version, "driver");
        if (reader.text("shaders") != shader_hash) throw Error("it is of an older or newer text of the kernels");
        Wisdom wisdom(device, shader_hash);
        const Json& entries = reader.member("entries");
        if (!entries.is_array()) throw Error("entries is no list");
        for (const Json& entry : entries)
            wisdom.add(read_entry({entry, fmt::format("entry {}", wisdom.entries().size())}, device.limits));
        return wisdom;
    } catch (const Json::exception& error) {
        throw Error(fmt::format("it is damaged: {}", error.what()));
    }
}

std::string Wisdom::to_json() const {
    Json json{{"schema", schema},
              {"gpu", {{"vendor", vendor_}, {"renderer", renderer_}, {"version", version_}}},
              {"shaders", shader_hash_}};
    json["entries"] = Json::array();
    for (const WisdomEntry& entry : entries_) {
        const TransformDesc& desc = entry.desc;
        json["entries"].push_back({{"size", desc.size},
                                   {"direction", fft::to_string(desc.direction)},
                                   {"packing", fft::to_string(desc.packing)},
                                   {"layers", desc.layers},
                                   {"storage", fft::to_string(desc.storage)},
                                   {"intermediate", fft::to_string(desc.intermediate)},
                                   {"fused", entry.fused},
                                   {"effort", fft::to_string(entry.effort)},
                                   {"microseconds", entry.microseconds},
                                   {"rel_l2", entry.relative_l2},
                                   {"rows", fft::to_json(entry.schedule.rows)},
                                   {"columns", fft::to_json(entry.schedule.columns)}});
    }
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

const WisdomEntry* Wisdom::find(const TransformDesc& desc, Effort least) const noexcept {
    for (const WisdomEntry& entry : entries_)
        if (!entry.fused && same_transform(entry.desc, desc, false) && entry.effort >= least) return &entry;
    return nullptr;
}

const WisdomEntry* Wisdom::find_fused(const TransformDesc& desc, Effort least) const noexcept {
    for (const WisdomEntry& entry : entries_)
        if (entry.fused && same_transform(entry.desc, desc, true) && entry.effort >= least) return &entry;
    return nullptr;
}

void Wisdom::add(const WisdomEntry& entry) {
    for (WisdomEntry& known : entries_)
        if (known.fused == entry.fused && same_transform(known.desc, entry.desc, entry.fused)) {
            if (known.effort <= entry.effort) known = entry;
            return;
        }
    entries_.push_back(entry);
}

std::string tuned_shader_hash(const gl::ShaderSources& sources) {
    Sha256 hash;
    for (const char* file : {"fft/tuned.comp", "fft/tuned_settings.glsl", "fft/tuned_load.glsl", "fft/tuned_store.glsl",
                             "fft/tuned_kernel.glsl", "fft/butterflies.glsl", "common/complex.glsl",
                             "common/sincos.glsl", "ocean/evolve_rows.comp", "ocean/evolve.glsl",
                             "ocean/assemble_columns.comp", "ocean/assemble.glsl", "ocean/field_pairs.glsl"}) {
        const std::string text = sources.read(file);
        hash.update(fmt::format("{}:{}:", file, text.size()));
        hash.update(text);
    }
    return to_hex(hash.digest());
}

void set_active_wisdom(std::shared_ptr<const Wisdom> wisdom) noexcept {
    active() = std::move(wisdom);
}

const Wisdom* active_wisdom() noexcept {
    return active().get();
}

bool needs_measuring(const TransformDesc& desc, Effort effort, bool fused) noexcept {
    if (desc.algorithm != Algorithm::tuned || effort == Effort::estimate) return false;
    const Wisdom* wisdom = active_wisdom();
    if (wisdom == nullptr) return true;
    return (fused ? wisdom->find_fused(desc, effort) : wisdom->find(desc, effort)) == nullptr;
}

std::optional<TunedSchedule> schedule_for(const TransformDesc& desc, const gl::DeviceLimits& limits) {
    if (const Wisdom* wisdom = active_wisdom())
        if (const WisdomEntry* entry = wisdom->find(desc); entry && !why_no_schedule(entry->schedule, desc, limits))
            return entry->schedule;
    return default_schedule(desc, limits);
}

} // namespace spindrift::fft
