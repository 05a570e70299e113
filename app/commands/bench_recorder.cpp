#include "app/commands/bench_recorder.h"

#include "app/command_line.h"
#include "app/demo_report.h"
#include "app/report/report.h"
#include "app/scene.h"
#include "engine/error.h"
#include "engine/files.h"
#include "engine/platform/headless_context.h"
#include "engine/profiler/statistics.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <spdlog/spdlog.h>

namespace spindrift {
namespace {

using Json = nlohmann::ordered_json;

double median(std::span<const double> samples) {
    return profiler::percentile(samples, 0.5);
}

double median_of_differences(const std::vector<double>& from, const std::vector<double>& to) {
    std::vector<double> differences;
    for (std::size_t index = 0; index < std::min(from.size(), to.size()); ++index)
        differences.push_back(to[index] - from[index]);
    return median(differences);
}

double seconds_now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

enum class Way { without_profiler, off, on };

class Bench {
public:
    Bench(const BenchRecorderSettings& settings, gl::ProgramLibrary& programs, const gl::DeviceInfo& device)
        : settings_(settings), size_{settings.scene.width, settings.scene.height},
          scene_(settings.scene, programs, device), target_(size_.width, size_.height), profiler_(device, waiting()),
          sensors_(start_sensors(device)) {}

    RecorderCost run() {
        RecorderCost cost;
        constexpr std::array ways{Way::without_profiler, Way::off, Way::on};
        for (int round = -1; round < settings_.rounds; ++round) { // the first one warms up
            for (std::size_t turn = 0; turn < ways.size(); ++turn) {
                // Every round begins with another way, so that none is always behind the same neighbour.
                const Way way = ways[(turn + static_cast<std::size_t>(round + 1)) % ways.size()];
                const double milliseconds = block(way);
                if (round >= 0) samples(cost, way).push_back(milliseconds);
            }
        }
        return cost;
    }

private:
    static profiler::Options waiting() {
        profiler::Options options;
        options.wait_when_full = true;
        return options;
    }

    static std::vector<double>& samples(RecorderCost& cost, Way way) {
        if (way == Way::without_profiler) return cost.without_profiler;
        return way == Way::off ? cost.off : cost.on;
    }

    /// Milliseconds a frame.
    double block(Way way) {
        const auto frames = static_cast<std::size_t>(settings_.block_frames);
        if (way == Way::on) {
            if (sensors_) sensors_->record(sensor_capacity);
            profiler_.record(frames);
            recorder_.start({}, {}, frames, seconds_now());
        }
        profiler_.drain();
        const double begin = seconds_now();
        for (std::size_t frame = 0; frame < frames; ++frame) {
            if (way == Way::on) recorder_.begin_frame(seconds_now());
            draw(way == Way::without_profiler ? nullptr : &profiler_);
        }
        profiler_.drain();
        const double end = seconds_now();
        profiler_.stop_recording();
        if (sensors_) sensors_->stop_recording();
        return 1e3 * (end - begin) / static_cast<double>(frames);
    }

    void draw(profiler::Profiler* profiler) {
        constexpr double step = 1.0 / 60.0;
        time_ += step;
        if (profiler != nullptr) profiler->begin_frame();
        scene_.draw(time_, step, size_, target_.framebuffer(), profiler);
        if (profiler != nullptr) profiler->end_frame();
    }

    const BenchRecorderSettings& settings_;
    platform::Extent size_;
    Scene scene_;
    render::OffscreenTarget target_;
    profiler::Profiler profiler_;
    std::unique_ptr<profiler::SensorSampler> sensors_;
    report::Recorder recorder_;
    double time_ = 0.0;
};

} // namespace

double RecorderCost::recording_ms() const {
    return median_of_differences(off, on);
}
double RecorderCost::profiler_ms() const {
    return median_of_differences(without_profiler, off);
}
double RecorderCost::recording_percent() const {
    return 100.0 * recording_ms() / median(off);
}
double RecorderCost::profiler_percent() const {
    return 100.0 * profiler_ms() / median(without_profiler);
}

TextTable recorder_cost_table(const RecorderCost& cost) {
    TextTable table;
    table.title = "The cost of measuring, milliseconds a frame";
    table.headings = {"way", "median", "p5", "p95", "more than before", "in percent"};
    const auto row = [&](const char* name, const std::vector<double>& samples, double more, double percent) {
        const auto number = [](double value, int digits) {
            return std::isfinite(value) ? fmt::format("{:.{}f}", value, digits) : std::string("-");
        };
        table.rows.push_back({name, number(median(samples), 4), number(profiler::percentile(samples, 0.05), 4),
                              number(profiler::percentile(samples, 0.95), 4), number(more, 4), number(percent, 2)});
    };
    row("without profiler", cost.without_profiler, profiler::not_available, profiler::not_available);
    row("recording off", cost.off, cost.profiler_ms(), cost.profiler_percent());
    row("recording on", cost.on, cost.recording_ms(), cost.recording_percent());
    table.note =
        fmt::format("medians of {} blocks that took turns; differences are medians within each turn", cost.on.size());
    return table;
}

Json recorder_cost_json(const RecorderCost& cost, const BenchRecorderSettings& settings, const gl::DeviceInfo& device) {
    const auto number = [](double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); };
    Json json{{"schema", "spindrift.bench_recorder/1"}};
    json["renderer"] = device.renderer;
    json["size"] = settings.scene.size;
    json["vertices"] = settings.scene.vertices;
    json["rounds"] = settings.rounds;
    json["block_frames"] = settings.block_frames;
    json["without_profiler_ms"] = cost.without_profiler;
    json["off_ms"] = cost.off;
    json["on_ms"] = cost.on;
    json["recording"] = {{"ms", number(cost.recording_ms())}, {"percent", number(cost.recording_percent())}};
    json["profiler"] = {{"ms", number(cost.profiler_ms())}, {"percent", number(cost.profiler_percent())}};
    return json;
}

int run_bench_recorder(BenchRecorderSettings settings) {
    if (!settings.json_file.empty()) check_writable(settings.json_file);
    const platform::HeadlessContext context;
    const gl::DeviceInfo& device = context.device();
    if (const std::string note = adapt_to_software_renderer(settings.scene, device); !note.empty())
        spdlog::info("{}", note);
    if (settings.rounds == 0) settings.rounds = device.software_renderer ? 20 : 60;
    if (settings.block_frames == 0) settings.block_frames = device.software_renderer ? 5 : 20;
    gl::ProgramLibrary programs(settings.shader_dir.empty() ? gl::ShaderSources::embedded()
                                                            : gl::ShaderSources::directory(settings.shader_dir));
    const RecorderCost cost = Bench(settings, programs, device).run();
    if (!settings.json_file.empty())
        write_file_atomically(
            settings.json_file,
            recorder_cost_json(cost, settings, device).dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
    print_out(recorder_cost_table(cost).as_text() + fmt::format("{}, size {}, {} vertices, {} x {}\n", device.renderer,
                                                                settings.scene.size, settings.scene.vertices,
                                                                settings.scene.width, settings.scene.height));
    return static_cast<int>(ExitCode::success);
}

} // namespace spindrift
