#include "fft/benchmark.h"

#include "engine/error.h"
#include "engine/profiler/statistics.h"
#include "fft/cuda_plan.h"
#include "fft/plan.h"
#include "fft/stopwatch.h"
#include "fft/verification.h"
#include "fft/warm_up.h"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <fmt/format.h>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <random>

namespace spindrift::fft {
namespace {

using Clock = std::chrono::steady_clock;

// Groups of 256: on an NVIDIA H200 groups of 64 took half as long again for fields that fit its cache. Rows of a buffer
// lie side by side, texels in blocks.
constexpr std::array<const char*, 2> copy_tile_of_buffers{"64", "4"};
constexpr std::array<const char*, 2> copy_tile_of_images{"16", "16"};
constexpr unsigned source_binding = 0; // `data` and `scratch` of shaders/fft/storage.glsl
constexpr unsigned target_binding = 1;
constexpr double most_queued_us = 2e6;

double microseconds_since(Clock::time_point start) {
    return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

bool same_layout(const TransformDesc& a, const TransformDesc& b) {
    return a.size == b.size && a.packing == b.packing && a.layers == b.layers && a.storage == b.storage;
}

/// Input, work area and copy pass of one memory layout.
class Layout {
public:
    Layout(const TransformDesc& desc, std::uint64_t seed, gl::ProgramLibrary& library)
        : desc_(desc), input_values_(random_input(desc, seed)), copy_program_(&library.get(copy_recipe(desc))) {
        if (desc.storage == Storage::image) {
            input_texture_ = gl::Texture(data_texture_desc(desc), "benchmark input");
            input_texture_.upload(input_values_);
            data_texture_ = gl::Texture(data_texture_desc(desc), "benchmark data");
        } else {
            input_buffer_ = gl::Buffer::from(std::span<const float>(input_values_), "benchmark input");
            data_buffer_ = gl::Buffer(byte_count(desc), gl::BufferUsage::gpu_only, "benchmark data");
        }
    }

    const TransformDesc& desc() const { return desc_; }
    std::span<const float> input_values() const { return input_values_; }

    /// One pass over memory: input to data.
    void copy_input() const {
        if (desc_.storage == Storage::image) {
            input_texture_.bind_image(source_binding, gl::Access::read_write);
            data_texture_.bind_image(target_binding, gl::Access::read_write);
        } else {
            input_buffer_.bind(gl::BufferTarget::shader_storage, source_binding);
            data_buffer_.bind(gl::BufferTarget::shader_storage, target_binding);
        }
        copy_program_->dispatch(desc_.size, desc_.size, desc_.layers);
        gl::memory_barrier(gl::Visibility::image | gl::Visibility::storage_buffer);
    }

    void execute(Plan& plan) {
        if (desc_.storage == Storage::image)
            plan.execute(data_texture_);
        else
            plan.execute(data_buffer_);
    }

    void poison_data() {
        constexpr float nan = std::numeric_limits<float>::quiet_NaN();
        if (desc_.storage == Storage::image)
            data_texture_.clear({nan, nan, nan, nan});
        else
            data_buffer_.clear(nan);
    }

    std::vector<float> download() const {
        std::vector<float> values(input_values_.size());
        if (desc_.storage == Storage::image)
            data_texture_.download(values);
        else
            data_buffer_.download(std::as_writable_bytes(std::span(values)));
        return values;
    }

    std::vector<double> copy_samples; ///< microseconds

private:
    TransformDesc desc_;
    std::vector<float> input_values_;
    gl::Program* copy_program_;
    gl::Texture input_texture_{gl::no_create}, data_texture_{gl::no_create};
    gl::Buffer input_buffer_{gl::no_create}, data_buffer_{gl::no_create};
};

struct Contestant {
    std::size_t result; ///< index in the results
    Plan plan;
    Layout* layout;
    std::vector<double> gpu_samples, cpu_samples; ///< microseconds
    std::uint64_t checked_output = 0;             ///< fingerprint of the output that met the gate
};

/// FNV-1a over the bits: equal for equal outputs.
std::uint64_t fingerprint(std::span<const float> values) {
    std::uint64_t hash = 0xCBF29CE484222325U;
    for (const float value : values) hash = (hash ^ std::bit_cast<std::uint32_t>(value)) * 0x100000001B3U;
    return hash;
}

class Benchmark {
public:
    Benchmark(std::span<const TransformDesc> candidates, const BenchmarkOptions& options, gl::ProgramLibrary& library,
              const gl::DeviceInfo& device, const BenchmarkProgress& progress)
        : options_(options), library_(library), device_(device), progress_(progress), stopwatch_(device),
          warm_up_(library, device) {
        for (const TransformDesc& desc : candidates) add(desc);
    }

    std::vector<BenchmarkResult> run() {
        check_results();
        if (!contestants_.empty()) {
            measure();
            check_again();
        }
        for (Contestant& contestant : contestants_) {
            BenchmarkResult& result = results_[contestant.result];
            if (!result.ok) continue;
            result.gpu = summarize_samples(contestant.gpu_samples);
            result.cpu = summarize_samples(contestant.cpu_samples);
            result.copy = summarize_samples(contestant.layout->copy_samples);
            guarded(contestant, [&] { summarize_interop(contestant, result); });
        }
        return std::move(results_);
    }

private:
    void tell(const std::string& what) const {
        if (progress_) progress_(what);
    }

    void add(const TransformDesc& asked) {
        BenchmarkResult& result = results_.emplace_back();
        result.desc = asked;
        result.copy_bytes = 2 * byte_count(asked);
        TransformDesc desc = asked;
        // Unscaled transforms in a row would overflow after a few; the scaling costs one multiplication in a store.
        if (options_.transforms_per_sample > 1) desc.scaling = Scaling::by_n2;
        if (auto reason = why_unavailable(desc, device_.limits)) {
            result.failure = std::move(*reason);
            result.unavailable = true;
            return;
        }
        try {
            contestants_.push_back(
                {results_.size() - 1, Plan(desc, library_, device_.limits), &layout_of(desc), {}, {}});
            result.schedule = contestants_.back().plan.facts().schedule;
        } catch (const Error& error) {
            result.failure = error.what();
        }
    }

    Layout& layout_of(const TransformDesc& desc) {
        for (const auto& layout : layouts_)
            if (same_layout(layout->desc(), desc)) return *layout;
        layouts_.push_back(std::make_unique<Layout>(desc, options_.seed, library_));
        return *layouts_.back();
    }

    /// Drops every contestant whose result is wrong.
    void check_results() {
        std::vector<Contestant> right;
        std::optional<TransformDesc> known;
        std::vector<std::vector<reference::Complex>> expected;
        for (Contestant& contestant : contestants_) {
            const TransformDesc& desc = contestant.plan.desc();
            BenchmarkResult& result = results_[contestant.result];
            tell(fmt::format("checking {} {}", to_string(desc.algorithm), desc.size));
            // The reference of one input serves all algorithms and storages.
            if (!known || known->size != desc.size || known->packing != desc.packing || known->layers != desc.layers ||
                known->direction != desc.direction || known->scaling != desc.scaling) {
                expected = reference::transform_batch(contestant.layout->input_values(), desc);
                known = desc;
            }
            guarded(contestant, [&] {
                const std::vector<float> output = run_once(contestant);
                contestant.checked_output = fingerprint(output);
                result.norms = reference::batch_error_norms(output, desc, expected);
                result.failure = gl::drain_errors();
            });
            result.ok =
                result.failure.empty() && result.norms.relative_l2 < gate_of(desc) && result.norms.relative_l2 > 0;
            if (result.ok)
                right.push_back(std::move(contestant));
            else if (result.failure.empty())
                result.failure =
                    fmt::format("relative L2 {:.3g} is outside the gate {:g}", result.norms.relative_l2, gate_of(desc));
        }
        contestants_ = std::move(right);
    }

    /// Does something with a contestant that nothing was refused to yet. Where that is refused, as CUDA may at any
    /// time, this contestant is out, and the others go on.
    template <class Action>
    void guarded(Contestant& contestant, Action action) {
        BenchmarkResult& result = results_[contestant.result];
        if (!result.failure.empty()) return;
        try {
            action();
        } catch (const Error& error) {
            result.failure = error.what();
            result.ok = false;
        }
    }

    /// From poisoned memory to the result.
    static std::vector<float> run_once(Contestant& contestant) {
        contestant.plan.fill_scratch(std::numeric_limits<float>::quiet_NaN());
        contestant.layout->poison_data();
        contestant.layout->copy_input();
        contestant.layout->execute(contestant.plan);
        return contestant.layout->download();
    }

    /// A device that gave up on the way, or was reset, leaves times that look splendid.
    void check_again() {
        const std::string errors = gl::drain_errors();
        for (Contestant& contestant : contestants_) {
            BenchmarkResult& result = results_[contestant.result];
            guarded(contestant, [&] {
                if (!errors.empty())
                    result.failure = fmt::format("{} while measuring", errors);
                else if (fingerprint(run_once(contestant)) != contestant.checked_output)
                    result.failure = "the result is another one after measuring than before";
            });
            result.ok = result.failure.empty();
        }
    }

    void measure() {
        tell(fmt::format("measuring size {}", contestants_.front().plan.desc().size));
        stopwatch_.prepare(options_.repetitions * (layouts_.size() + contestants_.size()));
        const double round_us = keep_busy();
        for (Contestant& contestant : contestants_)
            if (contestant.plan.cuda() != nullptr)
                guarded(contestant, [&] { contestant.plan.cuda()->time_runs(runs_of_samples()); });
        // A repetition is two rounds of transforms, and the copies.
        const int burst = std::max(1, static_cast<int>(most_queued_us / (3.0 * round_us)));
        std::vector<std::size_t> order(contestants_.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::mt19937 generator(static_cast<std::mt19937::result_type>(options_.seed));
        for (int repetition = 0; repetition < options_.repetitions; ++repetition) {
            // A neighbour leaves caches and clocks in a state of its own; nobody has the same one twice.
            std::shuffle(order.begin(), order.end(), generator);
            for (const auto& layout : layouts_) {
                warm_up_.occupy();
                layout->copy_input();
                stopwatch_.time(layout->copy_samples, options_.transforms_per_sample, [&] {
                    for (int turn = 0; turn < options_.transforms_per_sample; ++turn) layout->copy_input();
                });
            }
            for (const std::size_t index : order) guarded(contestants_[index], [&] { sample(contestants_[index]); });
            if (repetition % burst == burst - 1) gl::finish();
        }
        stopwatch_.read_results();
    }

    void sample(Contestant& contestant) {
        Layout& layout = *contestant.layout;
        warm_up_.occupy();
        layout.copy_input();
        layout.execute(contestant.plan);
        layout.copy_input();
        const double issued = stopwatch_.time(contestant.gpu_samples, options_.transforms_per_sample, [&] {
            for (int turn = 0; turn < options_.transforms_per_sample; ++turn) layout.execute(contestant.plan);
        });
        contestant.cpu_samples.push_back(issued / options_.transforms_per_sample);
    }

    /// Of one contestant: each sample is an untimed run and the timed ones.
    std::size_t runs_of_samples() const {
        return static_cast<std::size_t>(options_.repetitions) *
               (1U + static_cast<std::size_t>(options_.transforms_per_sample));
    }

    void summarize_interop(Contestant& contestant, BenchmarkResult& result) const {
        if (contestant.plan.cuda() == nullptr) return;
        std::vector<double> transform, map_cpu, unmap_cpu;
        const std::size_t runs_per_sample = 1U + static_cast<std::size_t>(options_.transforms_per_sample);
        std::size_t run = 0;
        for (const cuda::InteropTimes& times : contestant.plan.cuda()->times()) {
            if (run++ % runs_per_sample == 0) continue; // the untimed one
            transform.push_back(times.transform);
            map_cpu.push_back(times.map_cpu);
            unmap_cpu.push_back(times.unmap_cpu);
        }
        result.transform = summarize_samples(transform);
        result.map_cpu = summarize_samples(map_cpu);
        result.unmap_cpu = summarize_samples(unmap_cpu);
    }

    /// Returns how long one transform of each contestant takes together, in microseconds; at least one.
    double keep_busy() {
        if (stopwatch_.on_cpu()) return 1.0; // a CPU's clock does not wait for us
        warm_up_.begin();
        while (!warm_up_.work(options_.busy_ms)) {
        }
        double round_us = 1.0;
        const auto start = Clock::now();
        while (microseconds_since(start) < options_.busy_ms * 1e3) {
            const auto round_start = Clock::now();
            for (Contestant& contestant : contestants_)
                guarded(contestant, [&] {
                    contestant.layout->copy_input();
                    contestant.layout->execute(contestant.plan);
                });
            gl::finish(); // without it the CPU would queue minutes of work in these milliseconds
            round_us = std::max(1.0, microseconds_since(round_start));
        }
        return round_us;
    }

    BenchmarkOptions options_;
    gl::ProgramLibrary& library_;
    const gl::DeviceInfo& device_;
    const BenchmarkProgress& progress_;
    Stopwatch stopwatch_;
    WarmUp warm_up_;
    std::vector<BenchmarkResult> results_;
    std::vector<std::unique_ptr<Layout>> layouts_;
    std::vector<Contestant> contestants_;
};

} // namespace

gl::ProgramRecipe copy_recipe(const TransformDesc& desc) {
    const auto& tile = desc.storage == Storage::image ? copy_tile_of_images : copy_tile_of_buffers;
    gl::Defines defines{{"PACKING", desc.packing == Packing::vec4 ? "4" : "2"},
                        {"HORIZONTAL", ""},
                        {"SIZE", fmt::format("{}", desc.size)},
                        {"TILE_WIDTH", tile[0]},
                        {"TILE_HEIGHT", tile[1]}};
    if (desc.storage == Storage::image) defines.emplace_back("STORAGE_IMAGE", "");
    return gl::ProgramRecipe::compute("fft/copy.comp", std::move(defines));
}

BenchmarkTime summarize_samples(std::span<const double> microseconds) {
    const std::vector<double> sorted = profiler::sorted_finite(microseconds);
    if (sorted.empty()) return {};
    return {.median = profiler::percentile_of_sorted(sorted, 0.5),
            .p5 = profiler::percentile_of_sorted(sorted, 0.05),
            .p95 = profiler::percentile_of_sorted(sorted, 0.95),
            .min = sorted.front(),
            .max = sorted.back(),
            .samples = sorted.size()};
}

std::vector<BenchmarkResult> benchmark(std::span<const TransformDesc> candidates, const BenchmarkOptions& options,
                                       gl::ProgramLibrary& library, const gl::DeviceInfo& device,
                                       const BenchmarkProgress& progress) {
    return Benchmark(candidates, options, library, device, progress).run();
}

} // namespace spindrift::fft
