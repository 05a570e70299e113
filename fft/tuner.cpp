#include "fft/tuner.h"

#include "engine/error.h"
#include "fft/plan.h"
#include "fft/planner.h"
#include "fft/reference.h"
#include "fft/stopwatch.h"
#include "fft/tuned_shapes.h"
#include "fft/verification.h"
#include "fft/warm_up.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <chrono>
#include <cmath>
#include <deque>
#include <fmt/format.h>
#include <glm/glm.hpp>
#include <glm/packing.hpp>
#include <limits>
#include <set>

namespace spindrift::fft {
namespace {

using Clock = std::chrono::steady_clock;

constexpr unsigned source_binding = 0; // of shaders/fft/tuned.comp and copy.comp
constexpr unsigned target_binding = 1;
constexpr unsigned twiddle_binding = 2;
constexpr double step_ms = 4; ///< of measuring in one step
constexpr int passes_per_sample = 3;
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

double milliseconds_since(Clock::time_point start) {
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

double gate_of(const KernelParameters& kernel) {
    const bool half = kernel.source.precision == Precision::fp16 || kernel.target.precision == Precision::fp16;
    return half ? fp16_gate : fp32_gate;
}

/// A texture or a buffer that kernels read or write.
class Store {
public:
    Store(const TransformDesc& desc, KernelEnd end, std::string_view label) : end_(end), count_(float_count(desc)) {
        if (end.storage == Storage::image)
            texture_ = gl::Texture(intermediate_texture_desc(desc, end.precision), label);
        else
            buffer_ = gl::Buffer(byte_count(desc) / (half() ? 2 : 1), gl::BufferUsage::gpu_only, label);
    }
    Store(const TransformDesc& desc, KernelEnd end, std::span<const float> values, std::string_view label)
        : end_(end), count_(float_count(desc)) {
        if (end.storage == Storage::image) {
            texture_ = gl::Texture(intermediate_texture_desc(desc, end.precision), label);
            texture_.upload(values);
        } else if (half()) {
            std::vector<std::uint32_t> halves(values.size() / 2);
            for (std::size_t index = 0; index < halves.size(); ++index)
                halves[index] = glm::packHalf2x16({values[2 * index], values[2 * index + 1]});
            buffer_ = gl::Buffer::from(std::span<const std::uint32_t>(halves), label);
        } else {
            buffer_ = gl::Buffer::from(values, label);
        }
    }

    KernelEnd end() const { return end_; }
    gl::Texture& texture() { return texture_; }
    gl::Buffer& buffer() { return buffer_; }

    void bind(unsigned binding, gl::Access access) const {
        if (end_.storage == Storage::image)
            texture_.bind_image(binding, access);
        else
            buffer_.bind(gl::BufferTarget::shader_storage, binding);
    }
    void poison() {
        if (end_.storage == Storage::image)
            texture_.clear({nan, nan, nan, nan});
        else
            buffer_.clear(nan);
    }
    std::vector<float> download() const {
        std::vector<float> values(count_);
        if (end_.storage == Storage::image) {
            texture_.download(values);
        } else if (half()) {
            std::vector<std::uint32_t> halves(count_ / 2);
            buffer_.download(std::as_writable_bytes(std::span(halves)));
            for (std::size_t index = 0; index < halves.size(); ++index) {
                const glm::vec2 pair = glm::unpackHalf2x16(halves[index]);
                values[2 * index] = pair.x;
                values[2 * index + 1] = pair.y;
            }
        } else {
            buffer_.download(std::as_writable_bytes(std::span(values)));
        }
        return values;
    }

private:
    bool half() const { return end_.precision == Precision::fp16; }

    KernelEnd end_;
    std::size_t count_;
    gl::Texture texture_{gl::no_create};
    gl::Buffer buffer_{gl::no_create};
};

void make_visible() {
    gl::memory_barrier(gl::Visibility::image | gl::Visibility::storage_buffer | gl::Visibility::buffer_update |
                       gl::Visibility::texture_update);
}

/// What the rows or columns of one input become: some of them, spread so that every place in a work group is among
/// them.
class AxisReference {
public:
    AxisReference(const TransformDesc& desc, Axis axis, std::span<const float> input) : desc_(desc), axis_(axis) {
        constexpr int most = 24;
        for (int index = 0; index < std::min(desc.size, most); ++index)
            lines_.push_back(desc.size <= most ? index : index < 16 ? index : (index - 15) * (desc.size - 1) / 8 - 3);
        for_each_line(input, [this](std::vector<reference::Complex> line) {
            reference::transform_line(line, desc_.direction);
            expected_.push_back(std::move(line));
        });
    }

    double relative_l2(std::span<const float> output) const {
        double error = 0;
        double norm = 0;
        std::size_t next = 0;
        for_each_line(output, [&](const std::vector<reference::Complex>& line) {
            const auto& expected = expected_[next++];
            for (std::size_t index = 0; index < line.size(); ++index) {
                error += std::norm(line[index] - expected[index]);
                norm += std::norm(expected[index]);
            }
        });
        const double relative = std::sqrt(error / norm);
        return std::isfinite(relative) ? relative : std::numeric_limits<double>::infinity();
    }

private:
    template <class Visit>
    void for_each_line(std::span<const float> values, Visit visit) const {
        const auto size = static_cast<std::size_t>(desc_.size);
        const auto lanes = static_cast<std::size_t>(complex_per_texel(desc_.packing));
        for (std::size_t layer = 0; layer < static_cast<std::size_t>(desc_.layers); ++layer)
            for (const int line : lines_)
                for (std::size_t lane = 0; lane < lanes; ++lane) {
                    std::vector<reference::Complex> values_of_line(size);
                    for (std::size_t element = 0; element < size; ++element) {
                        const auto row = axis_ == Axis::horizontal ? static_cast<std::size_t>(line) : element;
                        const auto column = axis_ == Axis::horizontal ? element : static_cast<std::size_t>(line);
                        const std::size_t place = (((layer * size + row) * size + column) * lanes + lane) * 2;
                        values_of_line[element] = {values[place], values[place + 1]};
                    }
                    visit(std::move(values_of_line));
                }
    }

    TransformDesc desc_;
    Axis axis_;
    std::vector<int> lines_;
    std::vector<std::vector<reference::Complex>> expected_;
};

/// A kernel of the present round that is right.
struct Contestant {
    std::size_t trial;
    const gl::Program* program;
    gl::Buffer twiddles;
    std::vector<double> samples; ///< microseconds of one pass
};

/// One axis between two ends.
struct Search {
    KernelParameters start = {};
    std::size_t best = std::numeric_limits<std::size_t>::max(); ///< trial
    bool has_best() const { return best != std::numeric_limits<std::size_t>::max(); }
    int rounds = 0;
};

/// Rows and columns with the same place between them, as indices of searches.
struct Topology {
    std::size_t rows, columns;
};

} // namespace

class Tuner::Work {
public:
    Work(const TransformDesc& desc, Effort effort, gl::ProgramLibrary& library, const gl::DeviceInfo& device)
        : desc_(desc), effort_(effort), library_(library), device_(device), stopwatch_(device),
          input_values_(random_input(desc, 1)), input_(desc, data_end(desc), input_values_, "tuner input"),
          data_(desc, data_end(desc), "tuner data"), copy_program_(library.get(copy_recipe(desc))),
          warm_up_(library, device) {
        if (effort == Effort::estimate) throw Error("tuner: effort estimate measures nothing");
        if (auto reason = why_unavailable(desc, device.limits)) throw Error(*reason);
        desc_.scaling = Scaling::none;
        add_topologies();
        begin_search();
    }

    bool step() {
        switch (phase_) {
        case Phase::check:
            check_next();
            return true;
        case Phase::time:
            time_round();
            return true;
        case Phase::check_schedules:
            check_next_schedule();
            return true;
        case Phase::time_schedules:
            time_schedules();
            return true;
        case Phase::done:
            return false;
        }
        return false;
    }

    std::optional<WisdomEntry> result() const {
        const ScheduleTrial* best = nullptr;
        for (const ScheduleTrial& trial : schedules)
            if (trial.ok && trial.time.samples > 0 && (best == nullptr || trial.time.median < best->time.median))
                best = &trial;
        if (best == nullptr) return std::nullopt;
        WisdomEntry entry{.desc = desc_,
                          .effort = effort_,
                          .schedule = best->schedule,
                          .microseconds = best->time.median,
                          .relative_l2 = best->relative_l2};
        entry.desc.scaling = Scaling::none;
        return entry;
    }

    std::vector<KernelTrial> kernels;
    std::vector<ScheduleTrial> schedules;
    BenchmarkTime copy;
    std::string doing = "starting";
    bool hurried = false;
    bool search_ended = false; ///< as hurried, for the present search

    std::size_t search_count() const { return searches_.size(); }
    std::size_t search_index() const { return search_index_; }

private:
    enum class Phase { check, time, check_schedules, time_schedules, done };

    int repetitions() const { return stopwatch_.on_cpu() ? 3 : effort_ == Effort::patient ? 40 : 20; }
    int most_rounds() const { return effort_ == Effort::patient ? 6 : 3; }

    /// One right kernel of a search is enough.
    bool in_a_hurry() const { return hurried || search_ended; }

    // ---- what is searched -----------------------------------------------------------------------------------------

    void add_topologies() {
        const KernelEnd data = data_end(desc_);
        if (desc_.intermediate == Precision::fp32) add_topology(data, Placement::in_place);
        for (const Storage storage : {Storage::image, Storage::buffer}) {
            const KernelEnd between{storage, desc_.intermediate};
            // Another store of the data's own kind costs memory, and gains something where a column's elements lie far
            // apart; below, only for the patient.
            constexpr int far_apart = 2048;
            if (between == data && effort_ != Effort::patient && desc_.size < far_apart) continue;
            if (storage == Storage::image &&
                (desc_.size > device_.limits.max_texture_size || desc_.layers > device_.limits.max_array_layers))
                continue;
            add_topology(between, Placement::out_of_place);
        }
    }

    void add_topology(KernelEnd between, Placement placement) {
        Search rows{.start = kernel_for(desc_, Axis::horizontal, data_end(desc_), between)};
        Search columns{.start = kernel_for(desc_, Axis::vertical, between, data_end(desc_))};
        rows.start.placement = columns.start.placement = placement;
        topologies_.push_back({searches_.size(), searches_.size() + 1});
        searches_.push_back(rows);
        searches_.push_back(columns);
    }

    Search& search() { return searches_[search_index_]; }

    void begin_search() {
        contestants_.clear();
        seen_.clear();
        pending_.clear();
        search_ended = false;
        const KernelParameters& fixed = search().start;
        other_.reset();
        if (fixed.placement == Placement::out_of_place)
            other_ = fixed.axis == Axis::horizontal
                         ? std::make_unique<Store>(desc_, fixed.target, "tuner intermediate")
                         : std::make_unique<Store>(desc_, fixed.source, input_values_, "tuner intermediate");
        auto& reference = fixed.axis == Axis::horizontal ? row_reference_ : column_reference_;
        if (!reference) reference.emplace(desc_, fixed.axis, input_values_);
        if (auto kernel = default_kernel(fixed, desc_.size, device_.limits)) propose(*kernel);
        phase_ = Phase::check;
    }

    void propose(const KernelParameters& kernel) {
        if (seen_.insert(kernel).second) pending_.push_back(kernel);
    }

    void propose_neighbours(const KernelParameters& kernel) {
        for (const KernelParameters& neighbour : neighbours(kernel, desc_, effort_, device_.limits)) propose(neighbour);
    }

    // ---- one kernel -----------------------------------------------------------------------------------------------

    /// Rows read the input and columns write the data, unless they work in place.
    void bind_ends(const KernelParameters& kernel) {
        if (kernel.placement == Placement::in_place) {
            data_.bind(source_binding, gl::Access::read_write);
        } else if (kernel.axis == Axis::horizontal) {
            input_.bind(source_binding, gl::Access::read_only);
            other_->bind(target_binding, gl::Access::write_only);
        } else {
            other_->bind(source_binding, gl::Access::read_only);
            data_.bind(target_binding, gl::Access::write_only);
        }
    }

    void run(const Contestant& contestant, const KernelParameters& kernel) {
        const std::array<int, 3> groups = tuned_work_groups(kernel, desc_.layers);
        contestant.program->dispatch_groups(groups[0], groups[1], groups[2]);
        make_visible();
    }

    /// One pass over memory: input to data.
    void copy_input() {
        input_.bind(source_binding, gl::Access::read_write);
        data_.bind(target_binding, gl::Access::read_write);
        copy_program_.dispatch(desc_.size, desc_.size, desc_.layers);
        make_visible();
    }

    void check_next() {
        if (pending_.empty() || (in_a_hurry() && !contestants_.empty())) {
            pending_.clear();
            begin_timing(contestants_.size() * repetitions());
            phase_ = Phase::time;
            return;
        }
        KernelTrial trial;
        trial.kernel = pending_.front();
        pending_.pop_front();
        doing = fmt::format("{} {}: {}", desc_.size, to_string(trial.kernel.axis), trial.kernel.to_string());
        try {
            const std::vector<float> table = tuned_twiddle_table(trial.kernel);
            Contestant contestant{.trial = kernels.size(),
                                  .program = &library_.get(tuned_recipe(trial.kernel)),
                                  .twiddles = gl::Buffer::from(std::span(table), "tuner twiddles"),
                                  .samples = {}};
            check(trial, contestant);
            if (trial.ok) contestants_.push_back(std::move(contestant));
        } catch (const Error& error) {
            trial.failure = error.what();
            gl::drain_errors();
        }
        kernels.push_back(std::move(trial));
    }

    /// Of whole transforms.
    const std::vector<std::vector<reference::Complex>>& expected() {
        if (expected_.empty()) expected_ = reference::transform_batch(input_values_, desc_);
        return expected_;
    }

    void check(KernelTrial& trial, const Contestant& contestant) {
        const KernelParameters& kernel = trial.kernel;
        const bool to_data = kernel.placement == Placement::in_place || kernel.axis == Axis::vertical;
        Store& target = to_data ? data_ : *other_;
        target.poison();
        if (kernel.placement == Placement::in_place) copy_input();
        bind_ends(kernel);
        contestant.twiddles.bind(gl::BufferTarget::shader_storage, twiddle_binding);
        run(contestant, kernel);
        const auto& reference = kernel.axis == Axis::horizontal ? row_reference_ : column_reference_;
        trial.relative_l2 = reference->relative_l2(target.download());
        trial.failure = gl::drain_errors();
        if (trial.failure.empty() && !(trial.relative_l2 < gate_of(kernel) && trial.relative_l2 > 0))
            trial.failure =
                fmt::format("relative L2 {:.3g} is outside the gate {:g}", trial.relative_l2, gate_of(kernel));
        trial.ok = trial.failure.empty();
    }

    // ---- a round of kernels ---------------------------------------------------------------------------------------

    void begin_timing(std::size_t measurements) {
        stopwatch_.prepare(measurements);
        repetition_ = 0;
        turn_ = 0;
        warm_up_.begin();
    }

    void sample(Contestant& contestant) {
        const KernelParameters& kernel = kernels[contestant.trial].kernel;
        if (kernel.placement == Placement::in_place) copy_input(); // else repeated transforms would overflow
        warm_up_.occupy();
        bind_ends(kernel);
        contestant.twiddles.bind(gl::BufferTarget::shader_storage, twiddle_binding);
        run(contestant, kernel);
        stopwatch_.time(contestant.samples, passes_per_sample, [&] {
            for (int pass = 0; pass < passes_per_sample; ++pass) run(contestant, kernel);
        });
    }

    /// Samples for some milliseconds; candidates take turns.
    template <class Candidates, class Sample>
    bool sample_for_a_while(Candidates& candidates, Sample take) {
        const auto start = Clock::now();
        while (repetition_ < repetitions()) {
            take(candidates[turn_]);
            if (++turn_ == candidates.size()) {
                turn_ = 0;
                ++repetition_;
            }
            if (milliseconds_since(start) > step_ms) return false;
        }
        return true;
    }

    void time_round() {
        doing =
            fmt::format("{} {}: timing {} kernels", desc_.size, to_string(search().start.axis), contestants_.size());
        if (contestants_.empty()) {
            next_search();
            return;
        }
        if (!warm_up_.work(step_ms)) return;
        if (!sample_for_a_while(contestants_, [this](Contestant& contestant) { sample(contestant); })) return;
        stopwatch_.read_results();
        std::size_t winner = 0;
        for (std::size_t index = 0; index < contestants_.size(); ++index) {
            KernelTrial& trial = kernels[contestants_[index].trial];
            trial.time = summarize_samples(contestants_[index].samples);
            if (trial.time.median < kernels[contestants_[winner].trial].time.median) winner = index;
        }
        end_round(winner);
    }

    void end_round(std::size_t winner) {
        Search& current = search();
        const bool better = !current.has_best() || contestants_[winner].trial != current.best;
        current.best = contestants_[winner].trial;
        if (++current.rounds > most_rounds() || !better || in_a_hurry()) {
            next_search();
            return;
        }
        Contestant kept = std::move(contestants_[winner]);
        kept.samples = {}; // it takes part in the next round and is measured anew
        contestants_.clear();
        contestants_.push_back(std::move(kept));
        propose_neighbours(kernels[current.best].kernel);
        phase_ = Phase::check;
        if (pending_.empty()) next_search();
    }

    void next_search() {
        contestants_.clear();
        if (++search_index_ < searches_.size()) {
            begin_search();
            return;
        }
        other_.reset();
        begin_schedules();
    }

    // ---- whole transforms -----------------------------------------------------------------------------------------

    struct Finalist {
        std::size_t trial;
        std::unique_ptr<Plan> plan;
        std::vector<double> samples; ///< microseconds of one transform
    };

    void begin_schedules() {
        const auto add = [this](const TunedSchedule& schedule) {
            for (const ScheduleTrial& known : schedules)
                if (known.schedule == schedule) return;
            if (!why_no_schedule(schedule, desc_, device_.limits))
                schedules.push_back({.schedule = schedule, .failure = {}, .time = {}});
        };
        for (const Topology& topology : topologies_)
            if (const Search& rows = searches_[topology.rows], &columns = searches_[topology.columns];
                rows.has_best() && columns.has_best())
                add({kernels[rows.best].kernel, kernels[columns.best].kernel});
        if (const auto schedule = default_schedule(desc_, device_.limits)) add(*schedule);
        phase_ = Phase::check_schedules;
    }

    void execute(Plan& plan) {
        if (desc_.storage == Storage::image)
            plan.execute(data_.texture());
        else
            plan.execute(data_.buffer());
    }

    void check_next_schedule() {
        const std::size_t index = next_schedule_++;
        if (index == schedules.size()) {
            begin_timing((finalists_.size() + 1) * repetitions());
            phase_ = finalists_.empty() ? Phase::done : Phase::time_schedules;
            return;
        }
        ScheduleTrial& trial = schedules[index];
        doing = fmt::format("{}: checking {}", desc_.size, trial.schedule.to_string());
        try {
            Finalist finalist{.trial = index,
                              .plan = std::make_unique<Plan>(desc_, trial.schedule, library_, device_.limits),
                              .samples = {}};
            finalist.plan->fill_scratch(nan);
            data_.poison();
            copy_input();
            execute(*finalist.plan);
            trial.relative_l2 = reference::batch_error_norms(data_.download(), desc_, expected()).relative_l2;
            trial.failure = gl::drain_errors();
            const double gate = fft::gate_of(desc_);
            if (trial.failure.empty() && !(trial.relative_l2 < gate && trial.relative_l2 > 0))
                trial.failure = fmt::format("relative L2 {:.3g} is outside the gate {:g}", trial.relative_l2, gate);
            trial.ok = trial.failure.empty();
            if (trial.ok) finalists_.push_back(std::move(finalist));
        } catch (const Error& error) {
            trial.failure = error.what();
            gl::drain_errors();
        }
    }

    void time_schedules() {
        doing = fmt::format("{}: timing {} schedules", desc_.size, finalists_.size());
        if (!warm_up_.work(step_ms)) return;
        const bool ended = sample_for_a_while(finalists_, [this](Finalist& finalist) {
            warm_up_.occupy();
            if (turn_ == 0) stopwatch_.time(copy_samples_, 1, [this] { copy_input(); });
            copy_input();
            execute(*finalist.plan); // so that the caches hold what this candidate uses
            copy_input();
            stopwatch_.time(finalist.samples, 1, [&] { execute(*finalist.plan); });
        });
        if (!ended) return;
        stopwatch_.read_results();
        for (Finalist& finalist : finalists_) schedules[finalist.trial].time = summarize_samples(finalist.samples);
        copy = summarize_samples(copy_samples_);
        finalists_.clear();
        phase_ = Phase::done;
    }

    TransformDesc desc_;
    Effort effort_;
    gl::ProgramLibrary& library_;
    const gl::DeviceInfo& device_;
    Stopwatch stopwatch_;
    std::vector<float> input_values_;
    Store input_, data_;
    std::unique_ptr<Store> other_; ///< between the axes
    gl::Program& copy_program_;
    WarmUp warm_up_;
    std::optional<AxisReference> row_reference_, column_reference_;
    std::vector<std::vector<reference::Complex>> expected_;

    Phase phase_ = Phase::check;
    std::vector<Search> searches_;
    std::vector<Topology> topologies_;
    std::size_t search_index_ = 0;
    std::set<KernelParameters> seen_;
    std::deque<KernelParameters> pending_;
    std::vector<Contestant> contestants_;
    std::size_t next_schedule_ = 0;
    std::vector<Finalist> finalists_;
    std::vector<double> copy_samples_; ///< microseconds
    int repetition_ = 0;
    std::size_t turn_ = 0;
};

Tuner::Tuner(const TransformDesc& desc, Effort effort, gl::ProgramLibrary& library, const gl::DeviceInfo& device)
    : work_(std::make_unique<Work>(desc, effort, library, device)) {}
Tuner::Tuner(Tuner&&) noexcept = default;
Tuner::~Tuner() = default;

bool Tuner::step() {
    return work_->step();
}
void Tuner::hurry() noexcept {
    work_->hurried = true;
}
void Tuner::end_search() noexcept {
    work_->search_ended = true;
}
std::size_t Tuner::searches() const noexcept {
    return work_->search_count();
}
std::size_t Tuner::searches_finished() const noexcept {
    return work_->search_index();
}
const std::string& Tuner::doing() const noexcept {
    return work_->doing;
}
std::span<const KernelTrial> Tuner::kernels() const {
    return work_->kernels;
}
std::span<const ScheduleTrial> Tuner::schedules() const {
    return work_->schedules;
}
const BenchmarkTime& Tuner::copy() const {
    return work_->copy;
}
std::optional<WisdomEntry> Tuner::result() const {
    return work_->result();
}

std::vector<KernelParameters> neighbours(const KernelParameters& kernel, const TransformDesc& desc, Effort effort,
                                         const gl::DeviceLimits& limits) {
    std::vector<KernelParameters> found;
    const auto add = [&](const auto& change) {
        KernelParameters changed = kernel;
        change(changed);
        const auto width = static_cast<std::uint8_t>(2 * complex_per_texel(changed.packing) / changed.lanes);
        if (changed.exchange_components > width) {
            changed.exchange_components = width;
            if (changed.padding_shift != 0) changed.padding_shift = padding_for(width);
        }
        if (changed != kernel && desc.layers % changed.layers == 0 && !why_no_kernel(changed, limits) &&
            std::find(found.begin(), found.end(), changed) == found.end())
            found.push_back(changed);
    };
    for (const int points : effort == Effort::patient ? std::vector{2, 4, 8, 16} : std::vector{4, 8, 16})
        for (const auto& radices : radix_orders(desc.size, points, effort == Effort::patient))
            add([&](KernelParameters& changed) {
                changed.points = static_cast<std::uint8_t>(points);
                changed.radices = radices;
            });
    for (const int lines : {1, 2, 4, 8, 16}) {
        const bool far = lines > 2 * kernel.lines || 2 * lines < kernel.lines;
        if (effort == Effort::patient || !far)
            add([&](KernelParameters& changed) { changed.lines = static_cast<std::uint8_t>(lines); });
    }
    for (const int components : {4, 2, 1})
        add([&](KernelParameters& changed) {
            changed.exchange_components = static_cast<std::uint8_t>(components);
            changed.padding_shift = padding_for(components);
        });
    if (effort == Effort::patient) {
        add([](KernelParameters& changed) { changed.padding_shift = 0; });
        add([](KernelParameters& changed) {
            changed.lanes = static_cast<std::uint8_t>(3 - changed.lanes);
            changed.points = static_cast<std::uint8_t>(std::min(16, 2 * changed.points));
        });
    }
    add([](KernelParameters& changed) {
        changed.exchange_buffers = static_cast<std::uint8_t>(3 - changed.exchange_buffers);
    });
    add([](KernelParameters& changed) { changed.lanes = static_cast<std::uint8_t>(3 - changed.lanes); });
    for (const int layers : {1, 2, 4})
        add([&](KernelParameters& changed) { changed.layers = static_cast<std::uint8_t>(layers); });
    add([](KernelParameters& changed) {
        changed.twiddles = changed.twiddles == Twiddles::table ? Twiddles::products : Twiddles::table;
    });
    add([](KernelParameters& changed) {
        changed.early_twiddles = static_cast<std::uint8_t>(1 - changed.early_twiddles);
    });
    return found;
}

} // namespace spindrift::fft
