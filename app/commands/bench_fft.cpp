#include "app/commands/bench_fft.h"

#include "app/commands/bench_output.h"
#include "app/report/report.h"
#include "app/wisdom_file.h"
#include "engine/error.h"
#include "engine/platform/headless_context.h"
#include "fft/cuda_module.h"
#include "fft/registry.h"
#include "fft/verification.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <spdlog/spdlog.h>

namespace spindrift {
namespace {

using fft::Algorithm;
using fft::BenchmarkResult;
using fft::TransformDesc;
using Json = nlohmann::ordered_json;
using Row = std::vector<std::string>;

// Printed in the dissertation, section 4.2, milliseconds; measured there on a GeForce GTX 1050 Ti Max-Q.
constexpr std::array<int, 4> printed_sizes{128, 256, 512, 1024};
using Printed = std::array<double, 4>;
constexpr Printed printed_unique_cpu{0.06, 0.052, 0.049, 0.06};
constexpr Printed printed_unique_gpu{0.05, 0.15, 0.598, 2.698};
constexpr Printed printed_stages_cpu{0.383, 0.402, 0.444, 0.5};
constexpr Printed printed_stages_gpu{0.11, 0.199, 0.973, 3.899};
constexpr Printed printed_cufft{0.0359, 0.0494, 0.1335, 0.5609};
constexpr Printed printed_cooley_tukey{0.073, 0.257, 1.032, 2.646};
constexpr Printed printed_radix2{0.049, 0.135, 0.545, 2.341};
constexpr Printed printed_radix4{0.042, 0.087, 0.389, 1.363};
constexpr Printed printed_radix4_double{0.044, 0.132, 0.704, 2.702};
constexpr Printed printed_cufft_single{0.035, 0.049, 0.133, 0.560};
constexpr Printed printed_cufft_double{0.038, 0.098, 0.23, 1.032};

constexpr const char* no_time = "-";

std::string printed(const Printed& values, int size) {
    const auto found = std::find(printed_sizes.begin(), printed_sizes.end(), size);
    return found == printed_sizes.end()
               ? no_time
               : fmt::format("{:g}", values[static_cast<std::size_t>(found - printed_sizes.begin())]);
}

TransformDesc describe(int size, int fields, Algorithm algorithm, fft::Direction direction, fft::Storage storage) {
    return {.size = size,
            .direction = direction,
            .algorithm = algorithm,
            .packing = fields == 1 ? fft::Packing::vec2 : fft::Packing::vec4,
            .layers = fields == 4 ? 2 : 1,
            .storage = storage};
}

/// Each field by itself, one after the other: the layout that cuFFT's batched plans are made for.
TransformDesc describe_planar(int size, int fields, fft::Direction direction, fft::Storage storage) {
    return {.size = size,
            .direction = direction,
            .algorithm = Algorithm::cufft,
            .packing = fft::Packing::vec2,
            .layers = fields,
            .storage = storage};
}

int fields_of(const TransformDesc& desc) {
    return desc.layers * fft::complex_per_texel(desc.packing);
}

std::vector<TransformDesc> candidates_of_size(const BenchFftSettings& settings, int size) {
    // The dissertation's kernels work on images, forward; its cuFFT on buffers.
    const auto from_text = [size](Algorithm algorithm, int fields) {
        return describe(size, fields, algorithm, fft::Direction::forward, fft::Storage::image);
    };
    switch (settings.table) {
    case 1:
        return {from_text(Algorithm::cooley_tukey, 1), from_text(Algorithm::cooley_tukey_stages, 1)};
    case 2:
        return {from_text(Algorithm::cooley_tukey, 1), from_text(Algorithm::stockham_radix2, 1),
                from_text(Algorithm::stockham_radix4, 1),
                describe_planar(size, 1, fft::Direction::forward, fft::Storage::buffer)};
    case 3:
        return {from_text(Algorithm::stockham_radix4, 1), from_text(Algorithm::stockham_radix4, 2),
                describe_planar(size, 1, fft::Direction::forward, fft::Storage::buffer),
                describe_planar(size, 2, fft::Direction::forward, fft::Storage::buffer)};
    default:
        break;
    }
    std::vector<TransformDesc> candidates;
    for (const int fields : settings.fields)
        for (const fft::Storage storage : settings.storages)
            for (const Algorithm algorithm : settings.algorithms) {
                if (algorithm == Algorithm::cufft && fields > 1)
                    candidates.push_back(describe_planar(size, fields, settings.direction, storage));
                candidates.push_back(describe(size, fields, algorithm, settings.direction, storage));
            }
    return candidates;
}

const BenchmarkResult* find(const std::vector<BenchmarkResult>& results, int size, Algorithm algorithm, int fields) {
    for (const BenchmarkResult& result : results)
        if (result.desc.size == size && result.desc.algorithm == algorithm && fields_of(result.desc) == fields)
            return &result;
    return nullptr;
}

bool has_time(const BenchmarkResult* result) {
    return result != nullptr && result->ok && result->gpu.samples > 0;
}

/// Milliseconds, or why there are none: never the time of a wrong result.
std::string milliseconds(const BenchmarkResult* result, fft::BenchmarkTime BenchmarkResult::*time) {
    if (has_time(result)) return fmt::format("{:.4f}", (result->*time).median * 1e-3);
    if (result == nullptr || result->unavailable) return no_time;
    return "failed";
}

std::string gpu_with_range(const BenchmarkResult* result) {
    if (!has_time(result)) return milliseconds(result, &BenchmarkResult::gpu);
    return fmt::format("{:.4f} ({:.4f} to {:.4f})", result->gpu.median * 1e-3, result->gpu.p5 * 1e-3,
                       result->gpu.p95 * 1e-3);
}

std::string error_cell(const BenchmarkResult* result) {
    if (result == nullptr || result->unavailable || !std::isfinite(result->norms.relative_l2)) return no_time;
    return fmt::format("{:.1e}", result->norms.relative_l2);
}

std::vector<int> sizes_in(const std::vector<BenchmarkResult>& results) {
    std::vector<int> sizes;
    for (const BenchmarkResult& result : results)
        if (std::find(sizes.begin(), sizes.end(), result.desc.size) == sizes.end()) sizes.push_back(result.desc.size);
    return sizes;
}

TextTable table_1(const std::vector<BenchmarkResult>& results) {
    TextTable table{.title = "Table 1: Cooley-Tukey, forward 2D, one complex field, ms: unique pass and stage per pass",
                    .headings = {"size", "unique CPU", "unique GPU", "stages CPU", "stages GPU", "stages / unique",
                                 "printed unique CPU", "printed unique GPU", "printed stages CPU", "printed stages GPU",
                                 "printed stages / unique"},
                    .rows = {},
                    .note = "CPU: time to issue the transform. In the text it includes a Lua script for each stage."};
    for (const int size : sizes_in(results)) {
        const BenchmarkResult* unique = find(results, size, Algorithm::cooley_tukey, 1);
        const BenchmarkResult* stages = find(results, size, Algorithm::cooley_tukey_stages, 1);
        const auto index = std::find(printed_sizes.begin(), printed_sizes.end(), size) - printed_sizes.begin();
        table.rows.push_back(
            {fmt::format("{}", size), milliseconds(unique, &BenchmarkResult::cpu), gpu_with_range(unique),
             milliseconds(stages, &BenchmarkResult::cpu), gpu_with_range(stages),
             has_time(unique) && has_time(stages) ? fmt::format("{:.2f}", stages->gpu.median / unique->gpu.median)
                                                  : no_time,
             printed(printed_unique_cpu, size), printed(printed_unique_gpu, size), printed(printed_stages_cpu, size),
             printed(printed_stages_gpu, size),
             index == static_cast<std::ptrdiff_t>(printed_sizes.size())
                 ? no_time
                 : fmt::format("{:.2f}", printed_stages_gpu[index] / printed_unique_gpu[index])});
    }
    return table;
}

/// cuFFT alone, without what the way to CUDA and back costs: what the dissertation's cuFFT figures are.
std::string transform_alone(const BenchmarkResult* result) {
    if (has_time(result) && result->transform.samples == 0) return no_time;
    return milliseconds(result, &BenchmarkResult::transform);
}

/// What the frame pays for cuFFT: from OpenGL's queue to CUDA's and back.
constexpr const char* interop_note = "cuFFT: the transform alone, on CUDA's clock; \"with interop\" is what OpenGL's "
                                     "queue waits, map and unmap included.";

std::string cufft_note(const std::vector<BenchmarkResult>& results) {
    for (const BenchmarkResult& result : results)
        if (result.desc.algorithm == Algorithm::cufft && result.unavailable)
            return fmt::format("cuFFT is not available: {}.", result.failure);
    return interop_note;
}

TextTable table_2(const std::vector<BenchmarkResult>& results) {
    TextTable table{.title = "Table 2: forward 2D, one complex field, GPU ms: the unique-pass algorithms",
                    .headings = {"size", "cuFFT", "cuFFT with interop", "Cooley-Tukey", "Stockham radix 2",
                                 "Stockham radix 4", "worst rel L2", "printed cuFFT", "printed Cooley-Tukey",
                                 "printed radix 2", "printed radix 4"},
                    .rows = {},
                    .note = cufft_note(results)};
    for (const int size : sizes_in(results)) {
        const BenchmarkResult* cufft = find(results, size, Algorithm::cufft, 1);
        Row row{fmt::format("{}", size), transform_alone(cufft), gpu_with_range(cufft)};
        const BenchmarkResult* worst = cufft != nullptr && !cufft->unavailable ? cufft : nullptr;
        for (const Algorithm algorithm :
             {Algorithm::cooley_tukey, Algorithm::stockham_radix2, Algorithm::stockham_radix4}) {
            const BenchmarkResult* result = find(results, size, algorithm, 1);
            row.push_back(gpu_with_range(result));
            if (worst == nullptr || (result != nullptr && result->norms.relative_l2 > worst->norms.relative_l2))
                worst = result;
        }
        row.push_back(error_cell(worst));
        for (const Printed& values : {printed_cufft, printed_cooley_tukey, printed_radix2, printed_radix4})
            row.push_back(printed(values, size));
        table.rows.push_back(std::move(row));
    }
    return table;
}

std::string gain(double single, double both) {
    return fmt::format("{:.1f} %", 100.0 * (1.0 - both / (2.0 * single)));
}

TextTable table_3(const std::vector<BenchmarkResult>& results) {
    TextTable table{.title = "Table 3: Stockham radix 4, forward 2D, GPU ms: one field (vec2) and two in a pass (vec4)",
                    .headings = {"size", "single", "double", "gain per transform", "cuFFT single", "cuFFT double",
                                 "cuFFT gain", "printed single", "printed double", "printed gain",
                                 "printed cuFFT single", "printed cuFFT double", "printed cuFFT gain"},
                    .rows = {},
                    .note = "Gain: 1 - double / (2 single). " + cufft_note(results)};
    for (const int size : sizes_in(results)) {
        const BenchmarkResult* single = find(results, size, Algorithm::stockham_radix4, 1);
        const BenchmarkResult* both = find(results, size, Algorithm::stockham_radix4, 2);
        Row row{fmt::format("{}", size), gpu_with_range(single), gpu_with_range(both),
                has_time(single) && has_time(both) ? gain(single->gpu.median, both->gpu.median) : no_time};
        const BenchmarkResult* cufft = find(results, size, Algorithm::cufft, 1);
        const BenchmarkResult* cufft_both = find(results, size, Algorithm::cufft, 2);
        row.push_back(transform_alone(cufft));
        row.push_back(transform_alone(cufft_both));
        row.push_back(has_time(cufft) && has_time(cufft_both)
                          ? gain(cufft->transform.median, cufft_both->transform.median)
                          : no_time);
        const auto index = std::find(printed_sizes.begin(), printed_sizes.end(), size) - printed_sizes.begin();
        const bool is_printed = index < static_cast<std::ptrdiff_t>(printed_sizes.size());
        const auto add_printed = [&](const Printed& one, const Printed& two) {
            row.push_back(printed(one, size));
            row.push_back(printed(two, size));
            row.push_back(is_printed ? gain(one[index], two[index]) : no_time);
        };
        add_printed(printed_radix4, printed_radix4_double);
        add_printed(printed_cufft_single, printed_cufft_double);
        table.rows.push_back(std::move(row));
    }
    return table;
}

TextTable table_of_all(const BenchFftSettings& settings, const std::vector<BenchmarkResult>& results) {
    TextTable table{
        .title = fmt::format("2D transforms, {}, microseconds", to_string(settings.direction)),
        .headings = {"algorithm", "packing", "storage", "fields", "size", "GPU median", "p5", "p95", "CPU", "copy pass",
                     "GB/s of 2 passes", "over two copies", "cuFFT alone", "CPU in map", "CPU in unmap", "rel L2"},
        .rows = {},
        .note =
            "Two copies: two passes that read and write the same data, as each axis must, each between two stamps of "
            "its own and measured in the same run; what starting and stopping costs is in them twice, so that small "
            "transforms may be below 1. " +
            cufft_note(results)};
    for (const BenchmarkResult& result : results) {
        Row row{std::string(to_string(result.desc.algorithm)), std::string(to_string(result.desc.packing)),
                std::string(to_string(result.desc.storage)), fmt::format("{}", fields_of(result.desc)),
                fmt::format("{}", result.desc.size)};
        if (has_time(&result)) {
            const double gigabytes_per_second =
                2.0 * static_cast<double>(result.copy_bytes) / (result.gpu.median * 1e-6) * 1e-9;
            for (const double value : {result.gpu.median, result.gpu.p5, result.gpu.p95, result.cpu.median,
                                       result.copy.median, gigabytes_per_second})
                row.push_back(fmt::format("{:.2f}", value));
            row.push_back(fmt::format("{:.2f}", result.floor_ratio()));
            for (const fft::BenchmarkTime* time : {&result.transform, &result.map_cpu, &result.unmap_cpu})
                row.push_back(time->samples > 0 ? fmt::format("{:.2f}", time->median) : no_time);
        } else {
            row.emplace_back(result.unavailable ? no_time : "failed");
            row.resize(table.headings.size() - 1, no_time);
        }
        row.push_back(error_cell(&result));
        table.rows.push_back(std::move(row));
    }
    return table;
}

Json finite_or_null(double value) {
    return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json result_json(const BenchmarkResult& result) {
    const TransformDesc& desc = result.desc;
    Json json{{"algorithm", to_string(desc.algorithm)},
              {"packing", to_string(desc.packing)},
              {"storage", to_string(desc.storage)},
              {"direction", to_string(desc.direction)},
              {"size", desc.size},
              {"layers", desc.layers},
              {"fields", fields_of(desc)},
              {"ok", result.ok}};
    if (!result.schedule.empty()) json["schedule"] = result.schedule;
    if (!result.failure.empty()) json[result.unavailable ? "unavailable" : "failure"] = result.failure;
    json["rel_l2"] = result.unavailable ? Json(nullptr) : finite_or_null(result.norms.relative_l2);
    json["gate"] = fft::gate_of(desc);
    json["gpu_us"] = time_json(result.gpu);
    json["cpu_us"] = time_json(result.cpu);
    json["copy_us"] = time_json(result.copy);
    if (result.transform.samples > 0) {
        json["cufft_us"] = time_json(result.transform);
        json["map_cpu_us"] = time_json(result.map_cpu);
        json["unmap_cpu_us"] = time_json(result.unmap_cpu);
    }
    json["copy_bytes"] = result.copy_bytes;
    json["floor_ratio"] = has_time(&result) ? Json(result.floor_ratio()) : Json(nullptr);
    return json;
}

/// Everything that must be known about where the numbers come from.
std::string provenance(const gl::DeviceInfo& device, const BenchFftSettings& settings) {
    std::string text = fmt::format("{}, {}; {} repetitions", device.renderer, device.version, settings.repetitions);
    if (settings.transforms_per_sample > 1)
        text += fmt::format(" of {} transforms back to back", settings.transforms_per_sample);
    if (device.software_renderer || device.limits.timestamp_bits == 0)
        text += fmt::format("; timed on the CPU, from one wait to the next: {}",
                            device.software_renderer ? "a software renderer" : "no GPU timestamps");
    return text;
}

void fill_defaults(BenchFftSettings& settings, const gl::DeviceInfo& device) {
    const bool slow = device.software_renderer;
    if (slow && (settings.sizes.empty() || settings.repetitions == 0))
        spdlog::warn("{} is a software renderer: sizes and repetitions are small unless they are given",
                     device.renderer);
    if (settings.sizes.empty())
        settings.sizes = slow ? std::vector<int>{64, 128, 256} : std::vector<int>{128, 256, 512, 1024};
    if (settings.repetitions == 0) settings.repetitions = slow ? 5 : 200;
}

std::size_t width_of(const std::string& cell) {
    return cell.size(); // cells are ASCII
}

} // namespace

std::string TextTable::as_text() const {
    std::vector<std::size_t> widths;
    for (std::size_t column = 0; column < headings.size(); ++column) {
        widths.push_back(width_of(headings[column]));
        for (const Row& row : rows) widths.back() = std::max(widths.back(), width_of(row[column]));
    }
    const auto line = [&widths](const Row& cells) {
        std::string text;
        for (std::size_t column = 0; column < cells.size(); ++column)
            text += column == 0 ? fmt::format("{:<{}}", cells[column], widths[column])
                                : fmt::format("  {:>{}}", cells[column], widths[column]);
        return text + "\n";
    };
    std::string text = title + "\n" + line(headings);
    for (const Row& row : rows) text += line(row);
    return note.empty() ? text : text + note + "\n";
}

std::string TextTable::as_csv() const {
    const auto line = [](const Row& cells) {
        std::string text;
        for (std::size_t column = 0; column < cells.size(); ++column)
            text += fmt::format("{}{}", column == 0 ? "" : ",", report::csv_cell(cells[column]));
        return text + "\n";
    };
    std::string text = line(headings);
    for (const Row& row : rows) text += line(row);
    return text;
}

std::string TextTable::as_markdown() const {
    const auto line = [](const Row& cells) { return fmt::format("| {} |\n", fmt::join(cells, " | ")); };
    std::string text = fmt::format("**{}**\n\n", title) + line(headings) + "|---";
    for (std::size_t column = 1; column < headings.size(); ++column) text += "|--:";
    text += "|\n";
    for (const Row& row : rows) text += line(row);
    return note.empty() ? text : text + "\n" + note + "\n";
}

std::vector<std::vector<TransformDesc>> bench_candidates(const BenchFftSettings& settings) {
    std::vector<std::vector<TransformDesc>> rounds;
    for (const int size : settings.sizes) {
        rounds.push_back(candidates_of_size(settings, size));
        for (TransformDesc& desc : rounds.back()) desc.butterflies_per_invocation = settings.butterflies_per_invocation;
    }
    return rounds;
}

TextTable bench_table(const BenchFftSettings& settings, const std::vector<BenchmarkResult>& results) {
    switch (settings.table) {
    case 1:
        return table_1(results);
    case 2:
        return table_2(results);
    case 3:
        return table_3(results);
    default:
        return table_of_all(settings, results);
    }
}

Json bench_json(const BenchFftSettings& settings, const std::vector<BenchmarkResult>& results,
                const gl::DeviceInfo& device) {
    const report::AppFacts app = report::app_facts();
    Json json{{"schema", "spindrift.bench_fft/1"}};
    json["app"] = {{"version", app.version}, {"git", app.git}, {"build_type", app.build_type}};
    json["gpu"] = {{"vendor", device.vendor},
                   {"renderer", device.renderer},
                   {"gl", device.version},
                   {"software_renderer", device.software_renderer}};
    json["method"] = {{"clock", device.software_renderer || device.limits.timestamp_bits == 0 ? "cpu" : "gpu"},
                      {"repetitions", settings.repetitions},
                      {"transforms_per_sample", settings.transforms_per_sample},
                      {"butterflies_per_invocation", settings.butterflies_per_invocation},
                      {"table", settings.table}};
    json["results"] = Json::array();
    for (const BenchmarkResult& result : results) json["results"].push_back(result_json(result));
    return json;
}

int run_bench_fft(BenchFftSettings settings) {
    const BenchFiles files{.json = settings.json_file, .csv = settings.csv_file, .markdown = settings.markdown_file};
    check_bench(files, settings.force);
    platform::HeadlessContext context;
    fft::cuda::connect(context);
    const gl::DeviceInfo& device = context.device();
    fill_defaults(settings, device);
    gl::ProgramLibrary library(settings.shader_dir.empty() ? gl::ShaderSources::embedded()
                                                           : gl::ShaderSources::directory(settings.shader_dir));
    const LoadedWisdom wisdom = use_wisdom(device, library.sources());
    const fft::BenchmarkOptions options{.repetitions = settings.repetitions,
                                        .transforms_per_sample = settings.transforms_per_sample};
    std::vector<BenchmarkResult> results;
    for (const auto& candidates : bench_candidates(settings)) {
        std::vector<BenchmarkResult> round =
            fft::benchmark(candidates, options, library, device, [](const std::string& what) { spdlog::debug(what); });
        std::move(round.begin(), round.end(), std::back_inserter(results));
    }

    const TextTable table = bench_table(settings, results);
    std::string source = provenance(device, settings);
    if (std::find(settings.algorithms.begin(), settings.algorithms.end(), Algorithm::tuned) !=
        settings.algorithms.end())
        source += fmt::format("; wisdom of tuned: {}", wisdom.state);
    std::vector<BenchFailure> failures;
    for (const BenchmarkResult& result : results)
        if (!result.ok)
            failures.push_back(
                {fmt::format("{} {} {} {}", to_string(result.desc.algorithm), to_string(result.desc.packing),
                             to_string(result.desc.storage), result.desc.size),
                 result.failure, result.unavailable});
    return finish_bench(files, table, bench_json(settings, results, device), source, failures);
}

} // namespace spindrift
