#include "app/commands/bench_step.h"

#include "app/commands/bench_output.h"
#include "app/report/report.h"
#include "engine/error.h"
#include "engine/gl/query.h"
#include "engine/platform/headless_context.h"
#include "fft/cuda_module.h"

#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <spdlog/spdlog.h>

namespace spindrift {
namespace {

using Clock = std::chrono::steady_clock;
using Json = nlohmann::ordered_json;

constexpr int steps_of_block = 16;
constexpr int frames_per_switch[] = {1, 2, 4, 8}; ///< all divide a block
constexpr double seconds_per_step = 1.0 / 60;
constexpr double largest_difference = 1e-5;
constexpr double busy_ms = 50;
constexpr const char* no_value = "-";

bool is_cufft(const ocean::SimulationDesc& desc) {
    return desc.algorithm == fft::Algorithm::cufft;
}

bool has_time(const BenchStepResult& result) {
    return result.failure.empty() && result.gpu.samples > 0;
}

std::string name_of(const BenchStepResult& result) {
    return std::string(result.mips_only ? "mips" : to_string(result.desc.algorithm));
}

std::string layout_of(const ocean::SimulationDesc& desc) {
    return fmt::format("{} {}{}", to_string(desc.packing), to_string(desc.storage), desc.fused ? " fused" : "");
}

std::vector<float> displacement_of(const ocean::Simulation& sea) {
    std::vector<float> texels(sea.displacement().element_count());
    sea.displacement().download(texels);
    return texels;
}

double relative_difference(const std::vector<float>& values, const std::vector<float>& reference) {
    double difference = 0, norm = 0;
    for (std::size_t index = 0; index < values.size(); ++index) {
        const double expected = static_cast<double>(reference[index]);
        const double off = static_cast<double>(values[index]) - expected;
        difference += off * off;
        norm += expected * expected;
    }
    return std::sqrt(difference / norm);
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
        add({.size = size}, true);
        const Clock::time_point start = Clock::now();
        do {
            for (Run& run : runs_) block(run, false);
        } while (!on_cpu_ && Clock::now() - start < std::chrono::duration<double, std::milli>(busy_ms));
        for (int turn = 0; turn < settings_.blocks; ++turn)
            for (Run& run : runs_) block(run, true);
        for (Run& run : runs_) read_results(run);
        compare();
        std::vector<BenchStepResult> results;
        for (Run& run : runs_) results.push_back(std::move(run.result));
        return results;
    }

private:
    struct Run {
        BenchStepResult result;
        std::unique_ptr<ocean::Simulation> sea; ///< null when it is not available
        int step = 0;
        std::vector<gl::TimestampQuery> stamps; ///< two a block
        std::vector<double> gpu, cpu;
    };

    void add(const ocean::SimulationDesc& desc, bool mips_only = false) {
        Run& run = runs_.emplace_back();
        run.result.desc = desc;
        run.result.mips_only = mips_only;
        if (auto reason = fft::why_unavailable(ocean::transform_desc(desc), device_.limits)) {
            run.result.failure = std::move(*reason);
            run.result.unavailable = true;
            return;
        }
        try {
            run.sea = std::make_unique<ocean::Simulation>(desc, programs_, device_);
            if (!on_cpu_) run.stamps = std::vector<gl::TimestampQuery>(2 * static_cast<std::size_t>(settings_.blocks));
        } catch (const Error& error) {
            run.result.failure = error.what();
        }
    }

    static void steps(Run& run) {
        for (int index = 0; index < steps_of_block; ++index, ++run.step)
            if (run.result.mips_only && run.step > 0) // the first fills the maps
                run.sea->make_mips();
            else
                run.sea->step(seconds_per_step * run.step, seconds_per_step);
    }

    void block(Run& run, bool measured) {
        if (run.sea == nullptr) return;
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
    void compare() {
        std::optional<std::vector<float>> reference;
        for (Run& run : runs_) {
            if (run.sea == nullptr) continue;
            run.sea->step(seconds_per_step * run.step, seconds_per_step);
            const std::vector<float> displacement = displacement_of(*run.sea);
            if (!reference)
                reference = displacement;
            else
                run.result.relative_l2 = relative_difference(displacement, *reference);
            if (!(run.result.relative_l2 < largest_difference))
                run.result.failure =
                    fmt::format("its displacement differs by {:.3g} from that of {}", run.result.relative_l2,
                                to_string(runs_.front().result.desc.algorithm));
        }
        if (const std::string errors = gl::drain_errors(); !errors.empty())
            for (Run& run : runs_)
                if (run.result.failure.empty()) run.result.failure = fmt::format("{} while measuring", errors);
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
        if (is_cufft(other.desc) && other.desc.interop_frames == 1 && other.desc.size == result.desc.size &&
            other.desc.packing == result.desc.packing && has_time(other))
            return &other;
    return nullptr;
}

} // namespace

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
                    .note =
                        "GPU: from timestamp to timestamp over sixteen steps, per step. Frames per switch: so many "
                        "frames go to CUDA and back at once; the last of them has been computed that many steps "
                        "less one before it is shown. rel L2: of the displacement map, against the first row's. mips: "
                        "the mip levels of both maps by themselves, which a frame pays too."};
    for (const BenchStepResult& result : results) {
        std::vector<std::string> row{name_of(result), result.mips_only ? "two maps" : layout_of(result.desc),
                                     fmt::format("{}", result.desc.size),
                                     is_cufft(result.desc) ? fmt::format("{}", result.desc.interop_frames) : no_value};
        if (has_time(result)) {
            for (const double value : {result.gpu.median, result.gpu.p5, result.gpu.p95, result.cpu.median})
                row.push_back(fmt::format("{:.2f}", value));
            const BenchStepResult* single = is_cufft(result.desc) ? single_switch_of(results, result) : nullptr;
            row.push_back(single != nullptr && single != &result
                              ? fmt::format("{:.2f}", single->gpu.median / result.gpu.median)
                              : no_value);
            row.push_back(result.mips_only ? no_value : fmt::format("{:.1e}", result.relative_l2));
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
    const auto time = [](const fft::BenchmarkTime& value) {
        return value.samples == 0
                   ? Json(nullptr)
                   : Json{{"median", value.median}, {"p5", value.p5}, {"p95", value.p95}, {"samples", value.samples}};
    };
    const report::AppFacts app = report::app_facts();
    Json json{{"schema", "spindrift.bench_step/1"}};
    json["app"] = {{"version", app.version}, {"git", app.git}, {"build_type", app.build_type}};
    json["gpu"] = {{"vendor", device.vendor}, {"renderer", device.renderer}, {"gl", device.version}};
    json["method"] = {{"blocks", settings.blocks}, {"steps_of_block", steps_of_block}};
    json["results"] = Json::array();
    for (const BenchStepResult& result : results) {
        Json entry{{"algorithm", to_string(result.desc.algorithm)}, {"packing", to_string(result.desc.packing)},
                   {"storage", to_string(result.desc.storage)},     {"size", result.desc.size},
                   {"interop_frames", result.desc.interop_frames},  {"ok", has_time(result)}};
        entry["fused"] = result.desc.fused;
        entry["mips"] = result.desc.mips;
        entry["mips_only"] = result.mips_only;
        if (!result.failure.empty()) entry[result.unavailable ? "unavailable" : "failure"] = result.failure;
        entry["gpu_us"] = time(result.gpu);
        entry["cpu_us"] = time(result.cpu);
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
    const std::string source =
        fmt::format("{}, {}; {} blocks of {} steps.", device.renderer, device.version, settings.blocks, steps_of_block);
    std::vector<BenchFailure> failures;
    for (const BenchStepResult& result : results)
        if (!result.failure.empty())
            failures.push_back({fmt::format("{} {} {}", name_of(result), layout_of(result.desc), result.desc.size),
                                result.failure, result.unavailable});
    return finish_bench(files, table, bench_step_json(settings, results, device), source, failures);
}

} // namespace spindrift
