#include "app/commands/bench_ocean.h"

#include "app/commands/bench_output.h"
#include "app/report/report.h"
#include "app/scene.h"
#include "engine/error.h"
#include "engine/platform/headless_context.h"
#include "engine/render/post.h"
#include "fft/cuda_module.h"
#include "fft/verification.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <spdlog/spdlog.h>

namespace spindrift {
namespace {

using fft::Algorithm;
using Clock = std::chrono::steady_clock;
using Json = nlohmann::ordered_json;

constexpr int most_frames_of_block = 20;
constexpr int lead_in_frames = 4;
constexpr double seconds_per_frame = 1.0 / 60;
constexpr const char* no_value = "-";

/// Table 4 and the text below it, milliseconds; measured there on a GeForce GTX 1050 Ti Max-Q.
struct Printed {
    Algorithm algorithm;
    int size;
    double cpu, gpu;
    const char* fps_gain;
};
constexpr std::array printed_rows{
    Printed{Algorithm::cooley_tukey_stages, 512, 1.805, 3.241, no_value},
    Printed{Algorithm::stockham_radix2, 512, 0.191, 2.457, "up to +20 %"},
    Printed{Algorithm::stockham_radix4, 512, 0.249, 1.632, "up to +20 %"},
    Printed{Algorithm::cooley_tukey_stages, 1024, 1.946, 14.086, no_value},
    Printed{Algorithm::stockham_radix2, 1024, 0.203, 13.48, "up to +20 %"},
    Printed{Algorithm::stockham_radix4, 1024, 0.2, 7.621, "up to +60 %"},
};

const Printed* printed(Algorithm algorithm, int size) {
    const auto* const found = std::find_if(printed_rows.begin(), printed_rows.end(), [&](const Printed& row) {
        return row.algorithm == algorithm && row.size == size;
    });
    return found == printed_rows.end() ? nullptr : found;
}

/// At least five turns, where there are as many frames.
int frames_of_block(const BenchOceanSettings& settings) {
    return std::clamp(settings.frames / 5, 1, most_frames_of_block);
}

bool has_time(const BenchOceanResult& result) {
    return result.failure.empty() && result.frame.samples > 0;
}

std::string milliseconds(const fft::BenchmarkTime& time) {
    return time.samples > 0 ? fmt::format("{:.4f}", time.median * 1e-3) : no_value;
}

std::string with_range(const fft::BenchmarkTime& time) {
    if (time.samples == 0) return no_value;
    return fmt::format("{:.4f} ({:.4f} to {:.4f})", time.median * 1e-3, time.p5 * 1e-3, time.p95 * 1e-3);
}

/// "-50 %": how much less time than `baseline`.
std::string change(double value, double baseline) {
    return baseline > 0 && value > 0 ? fmt::format("{:+.1f} %", 100.0 * (value / baseline - 1.0)) : no_value;
}

const BenchOceanResult* baseline_of(const std::vector<BenchOceanResult>& results, int size) {
    for (const BenchOceanResult& result : results)
        if (result.size == size && result.algorithm == Algorithm::cooley_tukey_stages && has_time(result))
            return &result;
    return nullptr;
}

/// For each frame the sum over the transforms' passes, microseconds.
std::vector<double> transform_times(const profiler::Recording& recording, bool gpu) {
    const auto is_transform = [&](int node) {
        const std::string& name = recording.nodes[static_cast<std::size_t>(node)].name;
        return name == "fft" || name.starts_with("fft.");
    };
    std::vector<double> sums;
    for (const profiler::ScopeSeries& series : recording.series()) {
        const int parent = recording.nodes[static_cast<std::size_t>(series.node)].parent;
        if (!is_transform(series.node) || (parent >= 0 && is_transform(parent))) continue;
        const std::vector<double>& times = gpu ? series.gpu_ms : series.cpu_ms;
        sums.resize(times.size(), 0.0);
        for (std::size_t frame = 0; frame < times.size(); ++frame) sums[frame] += 1e3 * times[frame];
    }
    return sums;
}

Settings scene_settings(const BenchOceanSettings& bench, Algorithm algorithm, int size) {
    Settings settings;
    settings.algorithm = algorithm;
    settings.size = size;
    settings.storage = bench.storage;
    settings.vertices = bench.vertices;
    choose_layout_of_cufft(settings);
    return settings;
}

class OceanBenchmark {
public:
    OceanBenchmark(const BenchOceanSettings& settings, gl::ProgramLibrary& programs,
                   const platform::HeadlessContext& context)
        : settings_(settings), programs_(programs), device_(context.device()),
          target_(settings.width, settings.height) {}

    std::vector<BenchOceanResult> measure(int size) {
        results_.clear();
        contestants_.clear();
        for (const Algorithm algorithm : settings_.algorithms) add(algorithm, size);
        take_turns();
        if (const std::string errors = gl::drain_errors(); !errors.empty())
            throw Error(fmt::format("the driver reported {} while drawing", errors));
        for (Contestant& contestant : contestants_) summarize(contestant);
        return std::move(results_);
    }

private:
    struct Contestant {
        std::size_t result;
        std::unique_ptr<Scene> scene;
        std::unique_ptr<profiler::Profiler> profiler;
        std::vector<double> block_us; ///< for each frame
        int frame = 0;                ///< drawn so far
        int measured = 0;
    };

    void add(Algorithm algorithm, int size) {
        BenchOceanResult& result = results_.emplace_back();
        result.algorithm = algorithm;
        result.size = size;
        const Settings settings = scene_settings(settings_, algorithm, size);
        const fft::TransformDesc desc = ocean::transform_desc(simulation_desc(settings));
        if (auto reason = fft::why_unavailable(desc, device_.limits)) {
            result.failure = std::move(*reason);
            result.unavailable = true;
            return;
        }
        // The expected result of one algorithm is that of all with the same fields in the same places.
        if (!case_ || case_->desc.size != size || case_->desc.packing != desc.packing ||
            case_->desc.layers != desc.layers)
            case_ = fft::make_verification_case(desc);
        case_->desc = desc;
        const fft::VerificationResult verified = fft::verify_transform(*case_, programs_, device_.limits);
        result.relative_l2 = verified.norms.relative_l2;
        if (!verified.ok) {
            result.failure = verified.describe();
            return;
        }
        try {
            Contestant contestant;
            contestant.result = results_.size() - 1;
            contestant.scene = std::make_unique<Scene>(settings, programs_, device_);
            contestant.profiler = std::make_unique<profiler::Profiler>(
                device_, profiler::Options{.ring_frames = static_cast<std::size_t>(most_frames_of_block) + 4});
            if (algorithm == Algorithm::cufft) contestant.profiler->add_source(fft::cuda::make_time_source());
            contestants_.push_back(std::move(contestant));
        } catch (const Error& error) {
            result.failure = error.what();
        }
    }

    void draw(Contestant& contestant, bool measured) {
        const double time = seconds_per_frame * contestant.frame++;
        const double dt = contestant.frame == 1 ? 0.0 : seconds_per_frame;
        const platform::Extent size{settings_.width, settings_.height};
        if (!measured) {
            contestant.scene->draw(time, dt, size, target_.framebuffer(), nullptr);
            return;
        }
        contestant.profiler->begin_frame();
        contestant.scene->draw(time, dt, size, target_.framebuffer(), contestant.profiler.get());
        contestant.profiler->end_frame();
    }

    void block(Contestant& contestant, int frames) {
        for (int frame = 0; frame < lead_in_frames; ++frame) draw(contestant, false);
        gl::finish();
        const auto start = Clock::now();
        for (int frame = 0; frame < frames; ++frame) draw(contestant, true);
        gl::finish();
        const double elapsed = std::chrono::duration<double, std::micro>(Clock::now() - start).count();
        contestant.profiler->drain();
        contestant.block_us.push_back(elapsed / frames);
        contestant.measured += frames;
    }

    void take_turns() {
        // The first turn compiles, allocates and raises the clocks; its times are dropped.
        for (Contestant& contestant : contestants_) {
            block(contestant, frames_of_block(settings_));
            contestant.block_us.clear();
            contestant.frame = contestant.measured = 0;
            contestant.profiler->record(static_cast<std::size_t>(settings_.frames));
        }
        for (int done = 0; done < settings_.frames; done += frames_of_block(settings_)) {
            spdlog::debug("frame {} of {}", done, settings_.frames);
            for (Contestant& contestant : contestants_)
                block(contestant, std::min(frames_of_block(settings_), settings_.frames - done));
        }
    }

    void summarize(const Contestant& contestant) {
        BenchOceanResult& result = results_[contestant.result];
        const profiler::Recording& recording = contestant.profiler->recording();
        std::vector<double> frame_us;
        for (const profiler::RecordedFrame& frame : recording.frames) frame_us.push_back(1e3 * frame.gpu_ms());
        result.fft_gpu = fft::summarize_samples(transform_times(recording, true));
        result.fft_cpu = fft::summarize_samples(transform_times(recording, false));
        result.frame_gpu = fft::summarize_samples(frame_us);
        result.frame = fft::summarize_samples(contestant.block_us);
    }

    const BenchOceanSettings& settings_;
    gl::ProgramLibrary& programs_;
    const gl::DeviceInfo& device_;
    render::OffscreenTarget target_;
    std::optional<fft::VerificationCase> case_;
    std::vector<Contestant> contestants_;
    std::vector<BenchOceanResult> results_;
};

void fill_defaults(BenchOceanSettings& settings, const gl::DeviceInfo& device) {
    const bool slow = device.software_renderer;
    if (slow && (settings.sizes.empty() || settings.vertices == 0 || settings.frames == 0))
        spdlog::warn("{} is a software renderer: sizes, vertices and frames are few unless they are given",
                     device.renderer);
    if (settings.sizes.empty()) settings.sizes = slow ? std::vector<int>{64, 128} : std::vector<int>{512, 1024};
    if (settings.vertices == 0) settings.vertices = slow ? 10'000 : 2'000'000;
    if (settings.frames == 0) settings.frames = slow ? 20 : 200;
}

std::string provenance(const BenchOceanSettings& settings, const gl::DeviceInfo& device) {
    std::string text = fmt::format("{}, {}; at least {} vertices, {} x {} pixels, {} frames of each in blocks of {} by "
                                   "turns",
                                   device.renderer, device.version, settings.vertices, settings.width, settings.height,
                                   settings.frames, frames_of_block(settings));
    if (device.software_renderer) text += "; a software renderer: GPU times are times on the CPU's cores";
    if (device.limits.timestamp_bits == 0) text += "; no GPU timestamps";
    return text;
}

} // namespace

TextTable bench_ocean_table(const std::vector<BenchOceanResult>& results) {
    TextTable table{
        .title =
            "Table 4: horizontal and vertical passes of the sea's four inverse transforms, and the whole frame, ms",
        .headings = {"algorithm", "size", "FFT GPU", "printed GPU", "FFT CPU", "printed CPU", "FFT GPU to stages",
                     "printed to stages", "frame GPU", "frame", "fps", "fps to stages", "printed fps"},
        .rows = {},
        .note = "Medians, of the FFT with the range of nine in ten frames. CPU: time to issue the passes. frame: from "
                "frame to frame without waiting for a monitor; fps is its inverse."};
    for (const BenchOceanResult& result : results) {
        std::vector<std::string> row{std::string(to_string(result.algorithm)), fmt::format("{}", result.size)};
        const Printed* text = printed(result.algorithm, result.size);
        const Printed* text_stages = printed(Algorithm::cooley_tukey_stages, result.size);
        const BenchOceanResult* stages = baseline_of(results, result.size);
        const bool timed = has_time(result);
        const bool compared = timed && stages != nullptr && stages != &result;
        row.push_back(timed ? with_range(result.fft_gpu) : result.unavailable ? "not available" : "failed");
        row.push_back(text != nullptr ? fmt::format("{:g}", text->gpu) : no_value);
        row.push_back(timed ? milliseconds(result.fft_cpu) : no_value);
        row.push_back(text != nullptr ? fmt::format("{:g}", text->cpu) : no_value);
        row.push_back(compared ? change(result.fft_gpu.median, stages->fft_gpu.median) : no_value);
        row.push_back(text != nullptr && text != text_stages ? change(text->gpu, text_stages->gpu) : no_value);
        row.push_back(timed ? milliseconds(result.frame_gpu) : no_value);
        row.push_back(timed ? milliseconds(result.frame) : no_value);
        row.push_back(timed ? fmt::format("{:.1f}", result.fps()) : no_value);
        row.push_back(compared ? change(result.fps(), stages->fps()) : no_value);
        row.emplace_back(text != nullptr ? text->fps_gain : no_value);
        table.rows.push_back(std::move(row));
    }
    return table;
}

Json bench_ocean_json(const BenchOceanSettings& settings, const std::vector<BenchOceanResult>& results,
                      const gl::DeviceInfo& device) {
    const report::AppFacts app = report::app_facts();
    Json json{{"schema", "spindrift.bench_ocean/1"}};
    json["app"] = {{"version", app.version}, {"git", app.git}, {"build_type", app.build_type}};
    json["gpu"] = {{"vendor", device.vendor},
                   {"renderer", device.renderer},
                   {"gl", device.version},
                   {"software_renderer", device.software_renderer}};
    json["method"] = {{"vertices", settings.vertices},
                      {"frames", settings.frames},
                      {"frames_of_block", frames_of_block(settings)},
                      {"lead_in_frames", lead_in_frames},
                      {"width", settings.width},
                      {"height", settings.height},
                      {"storage", to_string(settings.storage)}};
    json["results"] = Json::array();
    for (const BenchOceanResult& result : results) {
        Json entry{{"algorithm", to_string(result.algorithm)}, {"size", result.size}, {"ok", has_time(result)}};
        if (!result.failure.empty()) entry[result.unavailable ? "unavailable" : "failure"] = result.failure;
        entry["rel_l2"] =
            result.unavailable || !std::isfinite(result.relative_l2) ? Json(nullptr) : Json(result.relative_l2);
        entry["fft_gpu_us"] = time_json(result.fft_gpu);
        entry["fft_cpu_us"] = time_json(result.fft_cpu);
        entry["frame_gpu_us"] = time_json(result.frame_gpu);
        entry["frame_us"] = time_json(result.frame);
        entry["fps"] = has_time(result) ? Json(result.fps()) : Json(nullptr);
        const BenchOceanResult* stages = baseline_of(results, result.size);
        const bool compared = has_time(result) && stages != nullptr;
        entry["fps_gain_percent"] = compared ? Json(100.0 * (result.fps() / stages->fps() - 1.0)) : Json(nullptr);
        const Printed* text = printed(result.algorithm, result.size);
        entry["printed"] = text == nullptr ? Json(nullptr) : Json{{"gpu_ms", text->gpu}, {"cpu_ms", text->cpu}};
        json["results"].push_back(std::move(entry));
    }
    return json;
}

int run_bench_ocean(BenchOceanSettings settings) {
    const BenchFiles files{.json = settings.json_file, .csv = settings.csv_file, .markdown = settings.markdown_file};
    check_bench(files, settings.force);
    platform::HeadlessContext context({.size = {settings.width, settings.height}});
    fft::cuda::connect(context);
    const gl::DeviceInfo& device = context.device();
    fill_defaults(settings, device);
    gl::ProgramLibrary programs(settings.shader_dir.empty() ? gl::ShaderSources::embedded()
                                                            : gl::ShaderSources::directory(settings.shader_dir));
    std::vector<BenchOceanResult> results;
    {
        OceanBenchmark benchmark(settings, programs, context);
        for (const int size : settings.sizes) {
            std::vector<BenchOceanResult> round = benchmark.measure(size);
            std::move(round.begin(), round.end(), std::back_inserter(results));
        }
    }
    const TextTable table = bench_ocean_table(results);
    const std::string source = provenance(settings, device);
    std::vector<BenchFailure> failures;
    for (const BenchOceanResult& result : results)
        if (!result.failure.empty())
            failures.push_back(
                {fmt::format("{} {}", to_string(result.algorithm), result.size), result.failure, result.unavailable});
    return finish_bench(files, table, bench_ocean_json(settings, results, device), source, failures);
}

} // namespace spindrift
