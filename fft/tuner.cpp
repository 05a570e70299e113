#include "fft/tuner.h"

#include "engine/error.h"
#include "fft/kernel_round.h"
#include "fft/kernel_store.h"
#include "fft/plan.h"
#include "fft/planner.h"
#include "fft/reference.h"
#include "fft/stopwatch.h"
#include "fft/tuned_shapes.h"
#include "fft/tuning_case.h"
#include "fft/verification.h"
#include "fft/warm_up.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace spindrift::fft {
namespace {

constexpr unsigned source_binding = 0; // of shaders/fft/tuned.comp and copy.comp
constexpr unsigned target_binding = 1;
constexpr unsigned twiddle_binding = 2;
constexpr int passes_per_sample = 3;
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

double gate_of(const KernelParameters& kernel) {
    const bool half = kernel.source.precision == Precision::fp16 || kernel.target.precision == Precision::fp16;
    return half ? fp16_gate : fp32_gate;
}

void make_visible() {
    gl::memory_barrier(gl::Visibility::image | gl::Visibility::storage_buffer | gl::Visibility::buffer_update |
                       gl::Visibility::texture_update);
}

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
        : desc_(desc), effort_(effort), library_(library), device_(device), stopwatch_(device), turns_(device) {
        if (effort == Effort::estimate) throw Error("tuner: effort estimate measures nothing");
        if (auto reason = why_unavailable(desc, device.limits)) throw Error(*reason);
        desc_.scaling = Scaling::none;
        add_topologies();
        reference_.start([desc = desc_](const std::stop_token& stop) {
            return std::make_shared<const TuningCase>(make_tuning_case(desc, stop));
        });
    }

    bool step(Waiting waiting) {
        waiting_ = waiting;
        step_time_.emplace();
        // Between frames one step goes on while there is something to do and time left; else one thing is done.
        do {
            stalled_ = false;
            if (!advance()) return false;
        } while (!waits() && !stalled_ && !step_time_->is_over());
        return true;
    }

    bool advance() {
        switch (phase_) {
        case Phase::begin:
            begin();
            return true;
        case Phase::fill_input:
            if (fill(*input_)) begin_search();
            return true;
        case Phase::fill_intermediate:
            if (fill(*other_)) phase_ = Phase::check;
            return true;
        case Phase::check:
            check_next();
            return true;
        case Phase::begin_time:
            begin_timing();
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
        constexpr bool fused = false;
        return fastest_entry(schedules, desc_, effort_, fused);
    }

    bool may_end() {
        reference_.request_stop();
        return !reference_.started() || reference_.ready();
    }

    void also_try(const TunedSchedule& schedule) {
        assert(phase_ < Phase::check_schedules);
        others_.push_back(schedule);
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
    enum class Phase {
        begin,
        fill_input,
        fill_intermediate,
        check,
        begin_time,
        time,
        check_schedules,
        time_schedules,
        done
    };

    bool waits() const { return waiting_ == Waiting::allowed; }

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

    // ---- data -----------------------------------------------------------------------------------------------------

    void begin() {
        doing = fmt::format("{}: computing what is right", desc_.size);
        if (!waits()) {
            const bool copies = library_.prepare(copy_recipe(desc_));
            const bool warms = WarmUp::prepare(library_, device_);
            stalled_ = !copies || !warms || (!case_ && !reference_.ready());
            if (stalled_) return;
        }
        if (!case_) {
            case_ = reference_.take();
            return; // memory for the data in another step
        }
        copy_program_ = &library_.get(copy_recipe(desc_));
        warm_up_.emplace(library_, device_);
        input_.emplace(desc_, data_end(desc_), "tuner input");
        data_.emplace(desc_, data_end(desc_), "tuner data");
        check_.emplace(desc_);
        phase_ = Phase::fill_input;
    }

    bool fill(KernelStore& store) {
        doing = fmt::format("{}: uploading the input", desc_.size);
        while (!store.fill_some(case_->input))
            if (!waits()) return false;
        return true;
    }

    void begin_search() {
        contestants_.clear();
        queue_.begin_search();
        search_ended = false;
        const KernelParameters& fixed = search().start;
        other_.reset();
        phase_ = Phase::check;
        if (fixed.placement == Placement::out_of_place) {
            const bool rows = fixed.axis == Axis::horizontal;
            other_.emplace(desc_, rows ? fixed.target : fixed.source, "tuner intermediate");
            if (!rows) phase_ = Phase::fill_intermediate;
        }
        if (auto kernel = default_kernel(fixed, desc_.size, device_.limits)) queue_.propose(*kernel);
    }

    // ---- one kernel -----------------------------------------------------------------------------------------------

    /// Rows read the input and columns write the data, unless they work in place.
    void bind_ends(const KernelParameters& kernel) {
        if (kernel.placement == Placement::in_place) {
            data_->bind(source_binding, gl::Access::read_write);
        } else if (kernel.axis == Axis::horizontal) {
            input_->bind(source_binding, gl::Access::read_only);
            other_->bind(target_binding, gl::Access::write_only);
        } else {
            other_->bind(source_binding, gl::Access::read_only);
            data_->bind(target_binding, gl::Access::write_only);
        }
    }

    void bind(const BuiltKernel& kernel) {
        bind_ends(kernel.parameters);
        kernel.twiddles.bind(gl::BufferTarget::shader_storage, twiddle_binding);
    }

    void run(const BuiltKernel& kernel) const {
        const std::array<int, 3> groups = tuned_work_groups(kernel.parameters, desc_.layers);
        kernel.program->dispatch_groups(groups[0], groups[1], groups[2]);
        make_visible();
    }

    /// One pass over memory: input to data.
    void copy_input() {
        input_->bind(source_binding, gl::Access::read_write);
        data_->bind(target_binding, gl::Access::read_write);
        copy_program_->dispatch(desc_.size, desc_.size, desc_.layers);
        make_visible();
    }

    void check_next() {
        if (checked_.has_value()) {
            finish_check();
            return;
        }
        if (queue_.empty() || (in_a_hurry() && !contestants_.empty())) {
            queue_.drop();
            phase_ = Phase::begin_time;
            return;
        }
        const KernelParameters kernel = queue_[0];
        doing = fmt::format("{} {}: {}", desc_.size, to_string(kernel.axis), kernel.to_string());
        checked_ = CheckedKernel{.trial = {.kernel = kernel, .failure = {}, .time = {}}, .contestant = {}};
        try {
            const bool ready = library_.prepare(tuned_recipe(kernel));
            if (ready || waits()) begin_check(kernel);
            compile_ahead();
            if (!ready && !waits()) {
                stalled_ = true;
                checked_.reset();
                return;
            }
        } catch (const Error& error) {
            checked_->trial.failure = error.what();
            gl::drain_errors();
        }
        queue_.pop();
        if (waits() || !checked_->trial.failure.empty()) finish_check();
    }

    /// Has the driver build the kernels behind the first in the background. Not where a step has taken its time
    /// already, as it has when a driver builds in the foreground after all.
    void compile_ahead() {
        constexpr std::size_t most_ahead = 4; // compiler threads
        constexpr double most_ms = 1;
        for (std::size_t ahead = 1; ahead < std::min(most_ahead, queue_.size()); ++ahead) {
            if (step_time_->milliseconds() > most_ms) return;
            library_.prepare(tuned_recipe(queue_[ahead]));
        }
    }

    void begin_check(const KernelParameters& kernel) {
        forget_earlier_errors();
        checked_->contestant.emplace(Contestant{
            .kernel = build_kernel(kernel, tuned_recipe(kernel), library_), .trial = kernels.size(), .samples = {}});
        const bool to_data = kernel.placement == Placement::in_place || kernel.axis == Axis::vertical;
        KernelStore& target = to_data ? *data_ : *other_;
        target.poison();
        if (kernel.placement == Placement::in_place) copy_input();
        bind(checked_->contestant->kernel);
        run(checked_->contestant->kernel);
        check_->begin(target, [right = case_, axis = kernel.axis](std::span<const float> output) {
            return right->of(axis).relative_l2(output);
        });
        checked_->trial.failure = gl::drain_errors();
    }

    void finish_check() {
        KernelTrial& trial = checked_->trial;
        if (check_->under_way()) {
            const std::optional<double> error = check_->poll(waiting_);
            stalled_ = !error.has_value();
            if (stalled_) return;
            trial.relative_l2 = *error;
            judge(trial, gate_of(trial.kernel));
            if (trial.ok) contestants_.push_back(std::move(*checked_->contestant));
        }
        kernels.push_back(std::move(trial));
        checked_.reset();
    }

    template <class Trial>
    static void judge(Trial& trial, double gate) {
        if (trial.failure.empty() && !(trial.relative_l2 < gate && trial.relative_l2 > 0))
            trial.failure = fmt::format("relative L2 {:.3g} is outside the gate {:g}", trial.relative_l2, gate);
        trial.ok = trial.failure.empty();
    }

    // ---- a round of kernels ---------------------------------------------------------------------------------------

    void begin_timing() {
        const bool whole = search_index_ == searches_.size();
        // One more for the copies.
        const std::size_t candidates = whole ? finalists_.size() + 1 : contestants_.size();
        if (!turns_.begin(stopwatch_, candidates, repetitions(), waiting_)) return;
        warm_up_->begin();
        phase_ = whole ? Phase::time_schedules : Phase::time;
    }

    void sample(Contestant& contestant) {
        const BuiltKernel& kernel = contestant.kernel;
        // Else repeated transforms would overflow.
        if (kernel.parameters.placement == Placement::in_place) copy_input();
        warm_up_->occupy();
        bind(kernel);
        run(kernel);
        stopwatch_.time(contestant.samples, passes_per_sample, [&] {
            for (int pass = 0; pass < passes_per_sample; ++pass) run(kernel);
        });
    }

    void time_round() {
        doing =
            fmt::format("{} {}: timing {} kernels", desc_.size, to_string(search().start.axis), contestants_.size());
        if (contestants_.empty()) {
            next_search();
            return;
        }
        if (!turns_.step(contestants_.size(), *warm_up_, waiting_, *step_time_, stalled_,
                         [this](std::size_t turn) { sample(contestants_[turn]); }))
            return;
        stopwatch_.read_results();
        end_round(finish_round(contestants_, kernels));
    }

    void end_round(std::size_t winner) {
        Search& current = search();
        const bool better = !current.has_best() || contestants_[winner].trial != current.best;
        current.best = contestants_[winner].trial;
        if (++current.rounds > most_rounds() || !better || in_a_hurry()) {
            next_search();
            return;
        }
        keep_winner(contestants_, winner);
        for (const KernelParameters& neighbour :
             neighbours(kernels[current.best].kernel, desc_, effort_, device_.limits))
            queue_.propose(neighbour);
        phase_ = Phase::check;
        if (queue_.empty()) next_search();
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
        for (const TunedSchedule& schedule : others_) add(schedule);
        phase_ = Phase::check_schedules;
    }

    void execute(Plan& plan) {
        if (desc_.storage == Storage::image)
            plan.execute(data_->texture());
        else
            plan.execute(data_->buffer());
    }

    void check_next_schedule() {
        if (next_schedule_ == schedules.size()) {
            phase_ = finalists_.empty() ? Phase::done : Phase::begin_time;
            return;
        }
        ScheduleTrial& trial = schedules[next_schedule_];
        doing = fmt::format("{}: checking {}", desc_.size, trial.schedule.to_string());
        if (!check_->under_way()) {
            try {
                const bool rows = library_.prepare(tuned_recipe(trial.schedule.rows));
                const bool columns = library_.prepare(tuned_recipe(trial.schedule.columns));
                stalled_ = !waits() && (!rows || !columns);
                if (stalled_) return;
                begin_schedule_check(trial);
            } catch (const Error& error) {
                trial.failure = error.what();
                gl::drain_errors();
                ++next_schedule_;
                return;
            }
            if (!waits()) return;
        }
        const std::optional<double> error = check_->poll(waiting_);
        stalled_ = !error.has_value();
        if (stalled_) return;
        trial.relative_l2 = *error;
        judge(trial, fft::gate_of(desc_));
        if (trial.ok) finalists_.push_back(std::move(*finalist_));
        finalist_.reset();
        ++next_schedule_;
    }

    void begin_schedule_check(ScheduleTrial& trial) {
        forget_earlier_errors();
        finalist_.emplace(Finalist{.trial = next_schedule_,
                                   .plan = std::make_unique<Plan>(desc_, trial.schedule, library_, device_.limits),
                                   .samples = {}});
        finalist_->plan->fill_scratch(nan);
        data_->poison();
        copy_input();
        execute(*finalist_->plan);
        check_->begin(*data_, [right = case_](std::span<const float> output) {
            return reference::batch_error_norms(output, right->desc, right->expected).relative_l2;
        });
        trial.failure = gl::drain_errors();
    }

    void time_schedules() {
        doing = fmt::format("{}: timing {} schedules", desc_.size, finalists_.size());
        const auto take = [this](std::size_t turn) {
            Finalist& finalist = finalists_[turn];
            warm_up_->occupy();
            if (turn == 0) stopwatch_.time(copy_samples_, 1, [this] { copy_input(); });
            copy_input();
            execute(*finalist.plan); // so that the caches hold what this candidate uses
            copy_input();
            stopwatch_.time(finalist.samples, 1, [&] { execute(*finalist.plan); });
        };
        if (!turns_.step(finalists_.size(), *warm_up_, waiting_, *step_time_, stalled_, take)) return;
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
    Waiting waiting_ = Waiting::allowed; ///< in the present step
    std::optional<StepTime> step_time_;  ///< of the present step
    bool stalled_ = false;               ///< something else must come to an end first
    Stopwatch stopwatch_;
    SampleTurns turns_;
    std::shared_ptr<const TuningCase> case_;
    std::optional<KernelStore> input_, data_;
    std::optional<KernelStore> other_; ///< between the axes
    gl::Program* copy_program_ = nullptr;
    std::optional<WarmUp> warm_up_;
    std::optional<CheckedKernel> checked_;
    std::vector<TunedSchedule> others_; ///< that compete, too

    Phase phase_ = Phase::begin;
    std::vector<Search> searches_;
    std::vector<Topology> topologies_;
    std::size_t search_index_ = 0;
    KernelQueue queue_;
    std::vector<Contestant> contestants_;
    std::size_t next_schedule_ = 0;
    std::vector<Finalist> finalists_;
    std::optional<Finalist> finalist_; ///< the one that is being checked
    std::vector<double> copy_samples_; ///< microseconds

    // At the end: they wait for threads that read what stands above.
    std::optional<ResultCheck> check_;
    Background<std::shared_ptr<const TuningCase>> reference_;
};

Tuner::Tuner(const TransformDesc& desc, Effort effort, gl::ProgramLibrary& library, const gl::DeviceInfo& device)
    : work_(std::make_unique<Work>(desc, effort, library, device)) {}
Tuner::~Tuner() = default;

void Tuner::also_try(const TunedSchedule& schedule) {
    work_->also_try(schedule);
}
bool Tuner::step(Waiting waiting) {
    return work_->step(waiting);
}
void Tuner::hurry() noexcept {
    work_->hurried = true;
}
void Tuner::end_search() noexcept {
    work_->search_ended = true;
}
bool Tuner::may_end() {
    return work_->may_end();
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

} // namespace spindrift::fft
