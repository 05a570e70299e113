#include "fft/fused_tuner.h"

#include "engine/background.h"
#include "engine/error.h"
#include "engine/gl/readback.h"
#include "fft/kernel_round.h"
#include "fft/kernel_store.h"
#include "fft/stopwatch.h"
#include "fft/tuned_shapes.h"
#include "fft/warm_up.h"

#include <algorithm>
#include <fmt/format.h>

namespace spindrift::fft {
namespace {

constexpr unsigned source_binding = 0; // of shaders/fft/tuned_*.glsl
constexpr unsigned target_binding = 1;
constexpr unsigned twiddle_binding = 2;
constexpr int passes_per_sample = 3;

void make_visible() {
    gl::memory_barrier(gl::Visibility::image | gl::Visibility::storage_buffer | gl::Visibility::texture_fetch |
                       gl::Visibility::texture_update | gl::Visibility::buffer_update);
}

std::span<const float> as_floats(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const float*>(bytes.data()), bytes.size() / sizeof(float)};
}

/// All layers in a work group, in every way in which its invocations can share them, and what differs in one field
/// else.
std::vector<KernelParameters> fused_neighbours(const KernelParameters& kernel, const TransformDesc& desc, Effort effort,
                                               const gl::DeviceLimits& limits) {
    std::vector<KernelParameters> found;
    for (const KernelParameters& neighbour : neighbours(kernel, desc, effort, limits))
        if (neighbour.group_layers() == desc.layers) found.push_back(neighbour);
    for (int layer_lanes = 1; layer_lanes <= desc.layers; layer_lanes *= 2) {
        KernelParameters changed = kernel;
        changed.layer_lanes = static_cast<std::uint8_t>(layer_lanes);
        changed.layers = static_cast<std::uint8_t>(desc.layers / layer_lanes);
        if (changed != kernel && !why_no_kernel(changed, limits)) found.push_back(changed);
    }
    return found;
}

} // namespace

using Readbacks = std::vector<std::unique_ptr<gl::Readback>>; // of each output

class FusedTuner::Work {
public:
    Work(const TransformDesc& desc, Effort effort, FusedCase& fused_case, gl::ProgramLibrary& library,
         const gl::DeviceInfo& device)
        : desc_(desc), effort_(effort), case_(fused_case), library_(library), device_(device), stopwatch_(device),
          turns_(device), warm_up_(library, device) {
        if (effort == Effort::estimate) throw Error("fused tuner: effort estimate measures nothing");
        const auto start = default_fused_schedule(desc, device.limits);
        if (!start)
            throw Error(fmt::format("fused: no kernel of size {} that holds all fields fits this device", desc.size));
        best_ = *start;
        between_.emplace(desc, best_.rows.target, "fused tuner intermediate");
        others_.push_back(best_);
        for (const gl::Texture* output : case_.outputs())
            for (Readbacks* readbacks : {&expected_, &readbacks_})
                readbacks->push_back(
                    std::make_unique<gl::Readback>(output->element_count() * sizeof(float), "fused tuner readback"));
    }

    bool step(Waiting waiting) {
        waiting_ = waiting;
        const StepTime time;
        // Between frames one step goes on while there is something to do and time left; else one thing is done.
        do {
            stalled_ = false;
            if (!advance(time)) return false;
        } while (!waits() && !stalled_ && !time.is_over());
        return true;
    }

    std::optional<WisdomEntry> result() const {
        constexpr bool fused = true;
        return fastest_entry(schedules, desc_, effort_, fused);
    }

    bool may_end() {
        comparison_.request_stop();
        return !comparison_.started() || comparison_.ready();
    }

    std::vector<KernelTrial> kernels;
    std::vector<ScheduleTrial> schedules;
    std::string doing = "starting";
    bool search_ended = false; ///< no further candidates for the present search
    std::size_t search_index = 0;
    std::vector<TunedSchedule> others_; ///< that compete with the fastest kernels

private:
    enum class Phase { expect, compare_expected, begin_search, check, begin_time, time, check_steps, time_steps, done };

    bool waits() const { return waiting_ == Waiting::allowed; }
    bool searches_rows() const { return search_index == 0; }
    int repetitions() const { return stopwatch_.on_cpu() ? 3 : effort_ == Effort::patient ? 40 : 20; }
    int most_rounds() const { return effort_ == Effort::patient ? 6 : 3; }

    bool advance(const StepTime& time) {
        switch (phase_) {
        case Phase::expect:
            doing = fmt::format("{} fused: running the unfused kernels", desc_.size);
            case_.poison();
            case_.run_unfused();
            begin_readback(expected_);
            phase_ = Phase::compare_expected;
            return true;
        case Phase::compare_expected:
            await_expected();
            return true;
        case Phase::begin_search:
            begin_search();
            return true;
        case Phase::check:
            check_next();
            return true;
        case Phase::begin_time:
            begin_timing();
            return true;
        case Phase::time:
            time_round(time);
            return true;
        case Phase::check_steps:
            check_next_step();
            return true;
        case Phase::time_steps:
            time_steps(time);
            return true;
        case Phase::done:
            return false;
        }
        return false;
    }

    void await_expected() {
        stalled_ = !have_arrived(expected_);
        if (!stalled_) phase_ = Phase::begin_search;
    }

    // ---- kernels --------------------------------------------------------------------------------------------------

    gl::ProgramRecipe recipe(const KernelParameters& kernel) const {
        return fused_recipe(kernel, desc_, case_.shaders());
    }

    BuiltKernel build(const KernelParameters& kernel) { return build_kernel(kernel, recipe(kernel), library_); }

    void run(const BuiltKernel& kernel) {
        const bool rows = kernel.parameters.axis == Axis::horizontal;
        if (rows)
            between_->bind(target_binding, gl::Access::write_only);
        else
            between_->bind(source_binding, gl::Access::read_only);
        kernel.twiddles.bind(gl::BufferTarget::shader_storage, twiddle_binding);
        if (rows)
            case_.bind_rows(*kernel.program);
        else
            case_.bind_columns(*kernel.program);
        const std::array<int, 3> groups = tuned_work_groups(kernel.parameters, desc_.layers);
        kernel.program->dispatch_groups(groups[0], groups[1], groups[2]);
        make_visible();
    }

    void begin_search() {
        contestants_.clear();
        queue_.begin_search();
        search_ended = false;
        rounds_ = 0;
        partner_.reset();
        const KernelParameters& partner = searches_rows() ? best_.columns : best_.rows;
        doing = fmt::format("{} fused {}: {}", desc_.size, to_string(partner.axis), partner.to_string());
        try {
            stalled_ = !library_.prepare(recipe(partner)) && !waits();
            if (stalled_) return;
            partner_.emplace(build(partner));
        } catch (const Error& error) { // without it nothing can be compared
            kernels.push_back({.kernel = partner, .failure = error.what(), .time = {}});
            gl::drain_errors();
            phase_ = Phase::done;
            return;
        }
        propose(searches_rows() ? best_.rows : best_.columns);
        phase_ = Phase::check;
    }

    void propose(const KernelParameters& kernel) {
        const TunedSchedule schedule{searches_rows() ? kernel : best_.rows, searches_rows() ? best_.columns : kernel};
        if (!why_no_fused_schedule(schedule, desc_, device_.limits)) queue_.propose(kernel);
    }

    /// From poisoned memory to what the step makes, on its way back.
    void run_step(const BuiltKernel& rows, const BuiltKernel& columns) {
        between_->poison();
        case_.poison();
        run(rows);
        run(columns);
        begin_readback(readbacks_);
    }

    void begin_readback(const Readbacks& readbacks) const {
        const auto outputs = case_.outputs();
        for (std::size_t index = 0; index < outputs.size(); ++index) readbacks[index]->begin(*outputs[index]);
    }

    /// Waits where that is allowed.
    bool have_arrived(const Readbacks& readbacks) const {
        return std::ranges::all_of(readbacks, [this](const auto& readback) {
            if (waits()) readback->wait();
            return readback->arrived();
        });
    }

    /// Of the output that differs most.
    double difference() const {
        double largest = 0;
        for (std::size_t index = 0; index < readbacks_.size(); ++index)
            largest = std::max(largest, reference::error_norms(as_floats(readbacks_[index]->bytes()),
                                                               as_floats(expected_[index]->bytes()))
                                            .relative_l2);
        return largest;
    }

    /// The difference from what the unfused kernels made, once it is known.
    std::optional<double> poll_difference() {
        if (!comparison_.started()) {
            if (!have_arrived(readbacks_)) return std::nullopt;
            if (waits()) return difference();
            comparison_.start([this](const std::stop_token&) { return difference(); });
        }
        if (!waits() && !comparison_.ready()) return std::nullopt;
        return comparison_.take();
    }

    template <class Trial>
    void judge(Trial& trial, double difference) const {
        trial.relative_l2 = difference;
        if (trial.failure.empty() && !(difference < fused_gate_of(desc_)))
            trial.failure = fmt::format("the sea differs by {:.3g} from the unfused one; allowed are {:g}", difference,
                                        fused_gate_of(desc_));
        trial.ok = trial.failure.empty();
    }

    void check_next() {
        if (checked_.has_value()) {
            finish_check();
            return;
        }
        if (queue_.empty() || (search_ended && !contestants_.empty())) {
            queue_.drop();
            phase_ = Phase::begin_time;
            return;
        }
        const KernelParameters kernel = queue_[0];
        doing = fmt::format("{} fused {}: {}", desc_.size, to_string(kernel.axis), kernel.to_string());
        KernelTrial trial{.kernel = kernel, .failure = {}, .time = {}};
        std::optional<BuiltKernel> built;
        try {
            stalled_ = !library_.prepare(recipe(kernel)) && !waits();
            if (stalled_) return;
            forget_earlier_errors();
            built.emplace(build(kernel));
            run_step(searches_rows() ? *built : *partner_, searches_rows() ? *partner_ : *built);
            trial.failure = gl::drain_errors();
        } catch (const Error& error) {
            trial.failure = error.what();
            gl::drain_errors();
        }
        queue_.pop();
        if (built.has_value())
            checked_.emplace(CheckedKernel{std::move(trial), Contestant{std::move(*built), kernels.size(), {}}});
        else
            kernels.push_back(std::move(trial));
    }

    void finish_check() {
        const std::optional<double> difference = poll_difference();
        stalled_ = !difference.has_value();
        if (stalled_) return;
        judge(checked_->trial, *difference);
        if (checked_->trial.ok) contestants_.push_back(std::move(*checked_->contestant));
        kernels.push_back(std::move(checked_->trial));
        checked_.reset();
    }

    // ---- a round of kernels ---------------------------------------------------------------------------------------

    void begin_timing() {
        const bool steps = search_index == 2;
        if (!turns_.begin(stopwatch_, steps ? finalists_.size() : contestants_.size(), repetitions(), waiting_)) return;
        warm_up_.begin();
        phase_ = steps ? Phase::time_steps : Phase::time;
    }

    void time_round(const StepTime& time) {
        doing = fmt::format("{} fused {}: timing {} kernels", desc_.size, searches_rows() ? "rows" : "columns",
                            contestants_.size());
        const bool ended =
            turns_.step(contestants_.size(), warm_up_, waiting_, time, stalled_, [this](std::size_t turn) {
                Contestant& contestant = contestants_[turn];
                warm_up_.occupy();
                run(contestant.kernel);
                stopwatch_.time(contestant.samples, passes_per_sample, [&] {
                    for (int pass = 0; pass < passes_per_sample; ++pass) run(contestant.kernel);
                });
            });
        if (ended) end_round();
    }

    void end_round() {
        stopwatch_.read_results();
        if (contestants_.empty()) {
            next_search();
            return;
        }
        const std::size_t winner = finish_round(contestants_, kernels);
        KernelParameters& best = searches_rows() ? best_.rows : best_.columns;
        const bool better = rounds_ == 0 || contestants_[winner].kernel.parameters != best;
        best = contestants_[winner].kernel.parameters;
        if (++rounds_ > most_rounds() || !better || search_ended) {
            next_search();
            return;
        }
        keep_winner(contestants_, winner);
        for (const KernelParameters& neighbour : fused_neighbours(best, desc_, effort_, device_.limits))
            propose(neighbour);
        phase_ = Phase::check;
        if (queue_.empty()) next_search();
    }

    void next_search() {
        contestants_.clear();
        if (++search_index < 2) {
            phase_ = Phase::begin_search;
            return;
        }
        const auto add = [this](const TunedSchedule& schedule) {
            for (const ScheduleTrial& known : schedules)
                if (known.schedule == schedule) return;
            if (schedule.rows.target == between_->end() && !why_no_fused_schedule(schedule, desc_, device_.limits))
                schedules.push_back({.schedule = schedule, .failure = {}, .time = {}});
        };
        add(best_);
        for (const TunedSchedule& schedule : others_) add(schedule);
        phase_ = Phase::check_steps;
    }

    // ---- whole steps ----------------------------------------------------------------------------------------------

    struct Finalist {
        std::size_t trial;
        BuiltKernel rows, columns;
        std::vector<double> samples; ///< microseconds of one step
    };

    void check_next_step() {
        if (finalist_.has_value()) {
            const std::optional<double> difference = poll_difference();
            stalled_ = !difference.has_value();
            if (stalled_) return;
            ScheduleTrial& trial = schedules[finalist_->trial];
            judge(trial, *difference);
            if (trial.ok) finalists_.push_back(std::move(*finalist_));
            finalist_.reset();
            ++next_schedule_;
            return;
        }
        if (next_schedule_ == schedules.size()) {
            phase_ = finalists_.empty() ? Phase::done : Phase::begin_time;
            return;
        }
        ScheduleTrial& trial = schedules[next_schedule_];
        doing = fmt::format("{} fused: checking {}", desc_.size, trial.schedule.to_string());
        try {
            const bool rows = library_.prepare(recipe(trial.schedule.rows));
            const bool columns = library_.prepare(recipe(trial.schedule.columns));
            stalled_ = !waits() && (!rows || !columns);
            if (stalled_) return;
            forget_earlier_errors();
            finalist_.emplace(Finalist{next_schedule_, build(trial.schedule.rows), build(trial.schedule.columns), {}});
            run_step(finalist_->rows, finalist_->columns);
            trial.failure = gl::drain_errors();
        } catch (const Error& error) {
            trial.failure = error.what();
            gl::drain_errors();
            finalist_.reset();
            ++next_schedule_;
        }
    }

    void time_steps(const StepTime& time) {
        doing = fmt::format("{} fused: timing {} steps", desc_.size, finalists_.size());
        const bool ended = turns_.step(finalists_.size(), warm_up_, waiting_, time, stalled_, [this](std::size_t turn) {
            Finalist& finalist = finalists_[turn];
            const auto whole_step = [&] {
                run(finalist.rows);
                run(finalist.columns);
            };
            warm_up_.occupy();
            whole_step(); // so that the caches hold what this candidate uses
            stopwatch_.time(finalist.samples, passes_per_sample, [&] {
                for (int pass = 0; pass < passes_per_sample; ++pass) whole_step();
            });
        });
        if (!ended) return;
        stopwatch_.read_results();
        for (Finalist& finalist : finalists_) schedules[finalist.trial].time = summarize_samples(finalist.samples);
        finalists_.clear();
        phase_ = Phase::done;
    }

    TransformDesc desc_;
    Effort effort_;
    FusedCase& case_;
    gl::ProgramLibrary& library_;
    const gl::DeviceInfo& device_;
    Waiting waiting_ = Waiting::allowed; ///< in the present step
    bool stalled_ = false;               ///< something else must come to an end first
    Stopwatch stopwatch_;
    SampleTurns turns_;
    WarmUp warm_up_;
    Readbacks expected_; ///< what the unfused kernels made
    std::optional<KernelStore> between_;

    Phase phase_ = Phase::expect;
    TunedSchedule best_;
    int rounds_ = 0;
    std::optional<BuiltKernel> partner_; ///< the kernel of the other axis
    KernelQueue queue_;
    std::optional<CheckedKernel> checked_;
    std::vector<Contestant> contestants_;
    std::size_t next_schedule_ = 0;
    std::optional<Finalist> finalist_; ///< the one that is being checked
    std::vector<Finalist> finalists_;

    Readbacks readbacks_;           ///< what a kernel makes
    Background<double> comparison_; ///< the last member: it reads the others
};

FusedTuner::FusedTuner(const TransformDesc& desc, Effort effort, FusedCase& fused_case, gl::ProgramLibrary& library,
                       const gl::DeviceInfo& device)
    : work_(std::make_unique<Work>(desc, effort, fused_case, library, device)) {}
FusedTuner::~FusedTuner() = default;

void FusedTuner::also_try(const TunedSchedule& schedule) {
    work_->others_.push_back(schedule);
}
bool FusedTuner::step(Waiting waiting) {
    return work_->step(waiting);
}
void FusedTuner::end_search() noexcept {
    work_->search_ended = true;
}
bool FusedTuner::may_end() {
    return work_->may_end();
}
std::size_t FusedTuner::searches_finished() const noexcept {
    return std::min(work_->search_index, searches());
}
const std::string& FusedTuner::doing() const noexcept {
    return work_->doing;
}
std::span<const KernelTrial> FusedTuner::kernels() const {
    return work_->kernels;
}
std::span<const ScheduleTrial> FusedTuner::schedules() const {
    return work_->schedules;
}
std::optional<WisdomEntry> FusedTuner::result() const {
    return work_->result();
}

} // namespace spindrift::fft
