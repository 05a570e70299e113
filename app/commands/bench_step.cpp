#include "app/commands/bench_step.h"

#include "app/commands/bench_output.h"
#include "app/commands/bench_step_copy.h"
#include "app/commands/bench_step_cuda.h"
#include "app/report/report.h"
#include "app/wisdom_file.h"
#include "engine/error.h"
#include "engine/gl/query.h"
#include "engine/platform/headless_context.h"
#include "fft/cuda_module.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <memory>
#include <spdlog/spdlog.h>

namespace spindrift {
namespace {

using Clock = std::chrono::steady_clock;
using Json = nlohmann::ordered_json;

using namespace bench_step;

constexpr int frames_per_switch[] = {1, 2, 4, 8}; ///< all divide a block
constexpr double busy_ms = 50;
constexpr const char* no_value = "-";

/// Goes to CUDA and back.
bool is_interop(const BenchStepResult& result) {
    return result.kind == BenchStepKind::simulation && result.desc.algorithm == fft::Algorithm::cufft;
}

/// Rows whose displacement map is compared with the first one's.
bool has_sea(const BenchStepResult& result) {
    return result.kind == BenchStepKind::simulation || result.kind == BenchStepKind::cuda;
}

bool has_time(const BenchStepResult& result) {
    return result.failure.empty() && result.gpu.samples > 0;
}

std::string name_of(const BenchStepResult& result) {
    switch (result.kind) {
    case BenchStepKind::cuda:
        return fmt::format("{} without interop", to_string(result.desc.algorithm));
    case BenchStepKind::copy:
        return "copy (one pass)";
    case BenchStepKind::mips:
        return "mips";
    case BenchStepKind::simulation:
        break;
    }
    return std::string(to_string(result.desc.algorithm));
}

std::string layout_of(const ocean::SimulationDesc& desc) {
    return fmt::format("{} {}{}", to_string(desc.packing), to_string(desc.storage), desc.fused ? " fused" : "");
}

std::vector<float> displacement_of(const ocean::Simulation& sea) {
    std::vector<float> texels(sea.displacement().element_count());
    sea.displacement().download(texels);
    return texels;
}

/// The candidates of one size.
class StepBenchmark {
public:
    StepBenchmark(const BenchStepSettings& settings, gl::ProgramLibrary& programs, const gl::DeviceInfo& device)
        : settings_(settings), programs_(programs), device_(device),
          on_cpu_(device.software_renderer || device.limits.timestamp_bits == 0) {}

    std::vector<BenchStepResult> measure(int size) {
        runs_.clear();
        for (const ocean::SimulationDesc& desc : bench_step_candidates(settings_, size)) add(desc);
        add({.size = size}, BenchStepKind::mips);
        for (const ocean::SimulationDesc& desc : bench_step_copy_candidates(size)) add_copy(desc);
        BenchStepCuda cuda(settings_, size, programs_, device_);
        const Clock::time_point start = Clock::now();
        do {
            for (Run& run : runs_) block(run, false);
            cuda.block(false);
        } while (!on_cpu_ && Clock::now() - start < std::chrono::duration<double, std::milli>(busy_ms));
        for (int turn = 0; turn < settings_.blocks; ++turn) {
            for (Run& run : runs_) block(run, true);
            cuda.block(true);
        }
        for (Run& run : runs_) read_results(run);
        compare(cuda);
        return results_with(cuda.results());
    }

private:
    struct Run {
        BenchStepResult result;
        std::unique_ptr<ocean::Simulation> sea; ///< null when it is not available, or not a step
        std::unique_ptr<FieldCopy> copy;        ///< of a copy, in place of the sea
        int step = 0;
        std::vector<gl::TimestampQuery> stamps; ///< two a block
        std::vector<double> gpu, cpu;
    };

    void add(const ocean::SimulationDesc& desc, BenchStepKind kind = BenchStepKind::simulation) {
        Run& run = runs_.emplace_back();
        run.result.desc = desc;
        run.result.kind = kind;
        if (auto reason = fft::why_unavailable(ocean::transform_desc(desc), device_.limits)) {
            run.result.failure = std::move(*reason);
            run.result.unavailable = true;
            return;
        }
        try {
            run.sea = std::make_unique<ocean::Simulation>(desc, programs_, device_);
            if (kind == BenchStepKind::simulation) run.result.schedule = run.sea->kernel_facts().schedule;
            if (!on_cpu_) run.stamps = std::vector<gl::TimestampQuery>(2 * static_cast<std::size_t>(settings_.blocks));
        } catch (const Error& error) {
            run.result.failure = error.what();
        }
    }

    void add_copy(const ocean::SimulationDesc& desc) {
        Run& run = runs_.emplace_back();
        run.result.desc = desc;
        run.result.kind = BenchStepKind::copy;
        try {
            run.copy = std::make_unique<FieldCopy>(desc, programs_);
            if (!on_cpu_) run.stamps = std::vector<gl::TimestampQuery>(2 * static_cast<std::size_t>(settings_.blocks));
        } catch (const Error& error) {
            run.result.failure = error.what();
        }
    }

    static void steps(Run& run) {
        if (run.copy != nullptr) {
            for (int index = 0; index < steps_of_block; ++index) run.copy->run();
            return;
        }
        for (int index = 0; index < steps_of_block; ++index, ++run.step)
            if (run.result.kind == BenchStepKind::mips && run.step > 0) // the first fills the maps
                run.sea->make_mips();
            else
                run.sea->step(seconds_per_step * run.step, seconds_per_step);
    }

    void block(Run& run, bool measured) {
        if (run.sea == nullptr && run.copy == nullptr) return;
        try {
            if (on_cpu_) gl::finish();
            const std::size_t stamp = 2 * run.cpu.size();
            if (measured && !on_cpu_) run.stamps[stamp].record();
            const Clock::time_point start = Clock::now();
            steps(run);
            const auto since = [&] {
                return std::chrono::duration<double, std::micro>(Clock::now() - start).count() / steps_of_block;
            };
            const double issued = since();
            if (on_cpu_) gl::finish();
            if (!measured) return;
            run.cpu.push_back(issued);
            if (on_cpu_)
                run.gpu.push_back(since());
            else
                run.stamps[stamp + 1].record();
        } catch (const Error& error) {
            run.result.failure = error.what();
            run.sea.reset();
            run.copy.reset();
        }
    }

    static void read_results(Run& run) {
        for (std::size_t stamp = 0; stamp + 1 < run.stamps.size() && stamp / 2 < run.cpu.size(); stamp += 2) {
            const std::uint64_t begin = run.stamps[stamp].wait_result(), end = run.stamps[stamp + 1].wait_result();
            if (end > begin) run.gpu.push_back(static_cast<double>(end - begin) * 1e-3 / steps_of_block);
        }
        run.result.gpu = fft::summarize_samples(run.gpu);
        run.result.cpu = fft::summarize_samples(run.cpu);
    }

    /// A candidate that shows another sea has no time.
    void compare(BenchStepCuda& cuda) {
        std::vector<float> reference;
        const Run* reference_run = nullptr;
        for (Run& run : runs_) {
            if (run.sea == nullptr) continue;
            std::vector<float> displacement;
            try {
                run.sea->step(seconds_per_step * run.step, seconds_per_step);
                displacement = displacement_of(*run.sea);
            } catch (const Error& error) {
                run.result.failure = error.what();
                continue;
            }
            if (reference_run == nullptr) {
                reference = std::move(displacement);
                reference_run = &run;
                continue;
            }
            run.result.relative_l2 = relative_difference(displacement, reference);
            if (!(run.result.relative_l2 < largest_difference))
                run.result.failure = fmt::format("its displacement differs by {:.3g} from that of {}",
                                                 run.result.relative_l2, name_of(reference_run->result));
        }
        if (reference_run == nullptr)
            cuda.compare(0.0, {}, {});
        else
            cuda.compare(seconds_per_step * reference_run->step, reference, name_of(reference_run->result));
        if (const std::string errors = gl::drain_errors(); !errors.empty())
            for (Run& run : runs_)
                if (run.result.failure.empty()) run.result.failure = fmt::format("{} while measuring", errors);
    }

    /// Steps in front, then mip levels and copies.
    std::vector<BenchStepResult> results_with(std::vector<BenchStepResult> of_cuda) {
        std::vector<BenchStepResult> results;
        for (Run& run : runs_)
            if (run.result.kind == BenchStepKind::simulation) results.push_back(std::move(run.result));
        std::move(of_cuda.begin(), of_cuda.end(), std::back_inserter(results));
        for (Run& run : runs_)
            if (run.result.kind != BenchStepKind::simulation) results.push_back(std::move(run.result));
        return results;
    }

    const BenchStepSettings& settings_;
    gl::ProgramLibrary& programs_;
    const gl::DeviceInfo& device_;
    bool on_cpu_;
    std::vector<Run> runs_;
};

void fill_defaults(BenchStepSettings& settings, const gl::DeviceInfo& device) {
    if (settings.sizes.empty())
        settings.sizes = device.software_renderer ? std::vector{64} : std::vector{256, 512, 1024};
    if (settings.blocks == 0) settings.blocks = device.software_renderer ? 3 : 40;
}

const BenchStepResult* single_switch_of(const std::vector<BenchStepResult>& results, const BenchStepResult& result) {
    for (const BenchStepResult& other : results)
        if (is_interop(other) && other.desc.interop_frames == 1 && other.desc.size == result.desc.size &&
            other.desc.packing == result.desc.packing && has_time(other))
            return &other;
    return nullptr;
}

Json step_time_json(const fft::BenchmarkTime& time) {
    return time.samples == 0
               ? Json(nullptr)
               : Json{{"median", time.median}, {"p5", time.p5}, {"p95", time.p95}, {"samples", time.samples}};
}

/// One pass over the fields.
Json copy_json(const BenchStepResult& result) {
    Json entry{{"packing", to_string(result.desc.packing)},
               {"storage", to_string(result.desc.storage)},
               {"size", result.desc.size},
               {"bytes", 2 * fft::byte_count(ocean::transform_desc(result.desc))},
               {"ok", has_time(result)}};
    if (!result.failure.empty()) entry["failure"] = result.failure;
    entry["gpu_us"] = step_time_json(result.gpu);
    return entry;
}

} // namespace

double bench_step::relative_difference(const std::vector<float>& values, const std::vector<float>& reference) {
    double difference = 0, norm = 0;
    for (std::size_t index = 0; index < values.size(); ++index) {
        const double expected = static_cast<double>(reference[index]);
        const double off = static_cast<double>(values[index]) - expected;
        difference += off * off;
        norm += expected * expected;
    }
    return std::sqrt(difference / norm);
}

std::vector<ocean::SimulationDesc> bench_step_candidates(const BenchStepSettings& settings, int size) {
    std::vector<ocean::SimulationDesc> candidates;
    for (const fft::Algorithm algorithm : settings.algorithms) {
        if (algorithm != fft::Algorithm::cufft) {
            for (const bool fused : {false, true})
                for (const fft::Storage storage : fft::all_storages)
                    if (!fused || algorithm == fft::Algorithm::tuned)
                        candidates.push_back(
                            {.algorithm = algorithm, .size = size, .storage = storage, .fused = fused});
            continue;
        }
        for (const int frames : frames_per_switch)
            candidates.push_back({.algorithm = algorithm,
                                  .size = size,
                                  .packing = fft::Packing::vec2,
                                  .storage = fft::Storage::buffer,
                                  .interop_frames = frames});
        candidates.push_back({.algorithm = algorithm, .size = size, .storage = fft::Storage::buffer});
    }
    for (ocean::SimulationDesc& desc : candidates) desc.mips = settings.mips;
    return candidates;
}

TextTable bench_step_table(const std::vector<BenchStepResult>& results) {
    const bool mips = !results.empty() && results.front().desc.mips;
    TextTable table{.title = fmt::format("One step of the sea: evolve, four complex inverse transforms, assemble{}; "
                                         "microseconds",
                                         mips ? ", mip levels" : ", without mip levels"),
                    .headings = {"algorithm", "layout", "size", "frames per switch", "GPU median", "p5", "p95", "CPU",
                                 "gain over one", "rel L2"},
                    .rows = {},
                    .note = "GPU: from timestamp to timestamp over sixteen steps, per step. Frames per switch: so many "
                            "frames go to CUDA and back at once; the last of them has been computed that many steps "
                            "less one before it is shown. rel L2: of the displacement map, against the first row's. "
                            "mips: the mip levels of both maps by themselves, which a frame pays too. Without interop: "
                            "evolve and assemble in CUDA, too, to linear memory and without mip levels, on CUDA's "
                            "clock; OpenGL waits meanwhile. Copy: one pass over the fields, which are read and written "
                            "once."};
    for (const BenchStepResult& result : results) {
        std::vector<std::string> row{name_of(result),
                                     result.kind == BenchStepKind::mips ? "two maps" : layout_of(result.desc),
                                     fmt::format("{}", result.desc.size),
                                     is_interop(result) ? fmt::format("{}", result.desc.interop_frames) : no_value};
        if (has_time(result)) {
            for (const double value : {result.gpu.median, result.gpu.p5, result.gpu.p95, result.cpu.median})
                row.push_back(fmt::format("{:.2f}", value));
            const BenchStepResult* single = is_interop(result) ? single_switch_of(results, result) : nullptr;
            row.push_back(single != nullptr && single != &result
                              ? fmt::format("{:.2f}", single->gpu.median / result.gpu.median)
                              : no_value);
            row.push_back(has_sea(result) ? fmt::format("{:.1e}", result.relative_l2) : no_value);
        } else {
            row.emplace_back(result.unavailable ? "not available" : "failed");
            row.resize(table.headings.size(), no_value);
        }
        table.rows.push_back(std::move(row));
    }
    return table;
}

Json bench_step_json(const BenchStepSettings& settings, const std::vector<BenchStepResult>& results,
                     const gl::DeviceInfo& device) {
    const report::AppFacts app = report::app_facts();
    Json json{{"schema", "spindrift.bench_step/1"}};
    json["app"] = {{"version", app.version}, {"git", app.git}, {"build_type", app.build_type}};
    json["gpu"] = {{"vendor", device.vendor}, {"renderer", device.renderer}, {"gl", device.version}};
    json["method"] = {{"blocks", settings.blocks}, {"steps_of_block", steps_of_block}};
    json["results"] = Json::array();
    json["copy_floor"] = Json::array();
    for (const BenchStepResult& result : results) {
        if (result.kind == BenchStepKind::copy) {
            json["copy_floor"].push_back(copy_json(result));
            continue;
        }
        Json entry{{"algorithm", to_string(result.desc.algorithm)},
                   {"packing", to_string(result.desc.packing)},
                   {"storage", to_string(result.desc.storage)},
                   {"size", result.desc.size},
                   {"interop", is_interop(result)},
                   {"interop_frames", result.desc.interop_frames},
                   {"ok", has_time(result)}};
        entry["fused"] = result.desc.fused;
        entry["mips"] = result.desc.mips;
        entry["mips_only"] = result.kind == BenchStepKind::mips;
        if (!result.schedule.empty()) entry["schedule"] = result.schedule;
        if (!result.failure.empty()) entry[result.unavailable ? "unavailable" : "failure"] = result.failure;
        entry["gpu_us"] = step_time_json(result.gpu);
        entry["cpu_us"] = step_time_json(result.cpu);
        entry["rel_l2"] = result.unavailable ? Json(nullptr) : Json(result.relative_l2);
        json["results"].push_back(std::move(entry));
    }
    return json;
}

int run_bench_step(BenchStepSettings settings) {
    const BenchFiles files{.json = settings.json_file, .csv = settings.csv_file, .markdown = settings.markdown_file};
    check_bench(files, settings.force);
    platform::HeadlessContext context;
    fft::cuda::connect(context);
    const gl::DeviceInfo& device = context.device();
    fill_defaults(settings, device);
    gl::ProgramLibrary programs(settings.shader_dir.empty() ? gl::ShaderSources::embedded()
                                                            : gl::ShaderSources::directory(settings.shader_dir));
    const LoadedWisdom wisdom = use_wisdom(device, programs.sources());
    std::vector<BenchStepResult> results;
    {
        StepBenchmark benchmark(settings, programs, device);
        for (const int size : settings.sizes) {
            spdlog::debug("measuring size {}", size);
            std::vector<BenchStepResult> round = benchmark.measure(size);
            std::move(round.begin(), round.end(), std::back_inserter(results));
        }
    }
    const TextTable table = bench_step_table(results);
    std::string source =
        fmt::format("{}, {}; {} blocks of {} steps", device.renderer, device.version, settings.blocks, steps_of_block);
    if (std::ranges::find(settings.algorithms, fft::Algorithm::tuned) != settings.algorithms.end())
        source += fmt::format("; wisdom of tuned: {}", wisdom.state);
    std::vector<BenchFailure> failures;
    for (const BenchStepResult& result : results)
        if (!result.failure.empty())
            failures.push_back({fmt::format("{} {} {}", name_of(result), layout_of(result.desc), result.desc.size),
                                result.failure, result.unavailable});
    return finish_bench(files, table, bench_step_json(settings, results, device), source, failures);
}

} // namespace spindrift
