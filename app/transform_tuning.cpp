#include "app/transform_tuning.h"

#include "app/progress_line.h"
#include "app/wisdom_file.h"
#include "engine/error.h"
#include "fft/fused_plan.h"
#include "fft/tuner.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <fmt/format.h>
#include <spdlog/spdlog.h>

namespace spindrift {
namespace {

/// The fastest of the kernels that do the same as the last one.
double fastest_of_search(std::span<const fft::KernelTrial> trials) {
    double best = 0;
    if (trials.empty()) return best;
    const fft::KernelParameters& last = trials.back().kernel;
    for (const fft::KernelTrial& trial : trials) {
        const fft::KernelParameters& kernel = trial.kernel;
        const bool same = kernel.axis == last.axis && kernel.placement == last.placement &&
                          kernel.source == last.source && kernel.target == last.target;
        if (same && trial.time.samples > 0 && (best == 0 || trial.time.median < best)) best = trial.time.median;
    }
    return best;
}

const fft::ScheduleTrial* find_trial(std::span<const fft::ScheduleTrial> trials, const fft::TunedSchedule& schedule) {
    const auto found =
        std::find_if(trials.begin(), trials.end(), [&](const auto& trial) { return trial.schedule == schedule; });
    return found == trials.end() ? nullptr : &*found;
}

} // namespace

double TuningStatus::fraction() const noexcept {
    if (phase == TuningPhase::done) return 1;
    // Whole transforms, at the end, are worth about one search.
    return searches == 0 ? 0 : static_cast<double>(searches_finished) / static_cast<double>(searches + 1);
}

TransformTuning::TransformTuning(gl::ProgramLibrary& programs, const gl::DeviceInfo& device)
    : programs_(programs), device_(device) {}

/// Kernels that are tried are many, and most are never used again: they go with their library.
void TransformTuning::begin(const fft::TransformDesc& desc, bool fused, fft::Effort effort) {
    give_up();
    status_ = {};
    status_.desc = desc;
    status_.fused = fused;
    status_.effort = effort;
    candidates_ = std::make_unique<gl::ProgramLibrary>(programs_.sources());
    before_ = fused ? fft::fused_schedule_for(desc, device_.limits) : fft::schedule_for(desc, device_.limits);
}

void TransformTuning::start(const fft::TransformDesc& desc, fft::Effort effort) {
    try {
        begin(desc, false, effort);
        search_ = std::make_unique<fft::Tuner>(desc, effort, *candidates_, device_);
        if (before_) search_->also_try(*before_);
        follow();
        announce();
    } catch (const std::exception& error) { // memory or threads may run out, too
        fail(error.what());
    }
}

void TransformTuning::start_fused(const ocean::SimulationDesc& sea, const ocean::InitialSpectrum* initial,
                                  fft::Effort effort) {
    try {
        begin(ocean::transform_desc(sea), true, effort);
        if (auto reason = ocean::FusedStepCase::why_unavailable(sea, device_.limits)) throw Error(*reason);
        awaited_.emplace(Awaited{sea, std::nullopt});
        if (initial != nullptr) awaited_->initial = *initial;
        status_.doing = "building the unfused kernels";
        status_.searches = 2; // rows and columns
        announce();
    } catch (const std::exception& error) {
        fail(error.what());
    }
}

/// True once the search can go on.
bool TransformTuning::begin_fused(fft::Waiting waiting) {
    if (!awaited_) return true;
    const bool ready = ocean::FusedStepCase::prepare(awaited_->sea, *candidates_, device_);
    if (!ready && waiting == fft::Waiting::never) return false;
    fused_case_ = std::make_unique<ocean::FusedStepCase>(
        awaited_->sea, awaited_->initial ? &*awaited_->initial : nullptr, *candidates_, device_);
    search_ = std::make_unique<fft::FusedTuner>(status_.desc, status_.effort, *fused_case_, *candidates_, device_);
    if (before_) search_->also_try(*before_);
    awaited_.reset();
    follow();
    return false; // that was enough for a step
}

void TransformTuning::announce() {
    status_.phase = TuningPhase::running;
    spdlog::info("tuning begins: {}, effort {}", describe_tuned(status_.desc, status_.fused),
                 to_string(status_.effort));
}

void TransformTuning::cancel(std::string why) {
    if (!running()) return;
    give_up();
    status_.phase = TuningPhase::cancelled;
    status_.why = std::move(why);
    spdlog::info("tuning was cancelled: {}", status_.why);
}

void TransformTuning::give_up() {
    if (search_ != nullptr && !search_->may_end())
        leaving_.push_back(
            std::make_unique<Leaving>(Leaving{std::move(candidates_), std::move(fused_case_), std::move(search_)}));
    end_search();
}

void TransformTuning::end_search() {
    awaited_.reset();
    search_.reset();
    fused_case_.reset();
    candidates_.reset();
}

bool TransformTuning::step(fft::Waiting waiting) {
    std::erase_if(leaving_, [](const auto& left) { return left->search->may_end(); });
    if (!running()) return false;
    const auto start = std::chrono::steady_clock::now();
    const bool adopted = advance(waiting);
    const double elapsed = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    if (elapsed > status_.longest_step_ms) {
        status_.longest_step_ms = elapsed;
        spdlog::debug("tuning: longest step so far {:.1f} ms: {}", elapsed, status_.doing);
    }
    return adopted;
}

bool TransformTuning::advance(fft::Waiting waiting) {
    try {
        if (!begin_fused(waiting)) return false;
        if (search_->step(waiting)) {
            follow();
            return false;
        }
        if (!search_->result()) {
            fail(fmt::format("none of {} kernels is right on this driver", search_->kernels().size()));
            return false;
        }
        if (!adopt(waiting)) return false;
        finish();
        return true;
    } catch (const std::exception& error) { // a driver's refusal, or memory ran out here or on the other thread
        gl::drain_errors();
        fail(error.what());
        return false;
    }
}

void TransformTuning::follow() {
    status_.doing = search_->doing();
    status_.searches = search_->searches();
    status_.searches_finished = search_->searches_finished();
    status_.kernels = search_->kernels().size();
    status_.best_microseconds = fastest_of_search(search_->kernels());
}

/// The kernels of the result among the programs of the sea, before a plan needs them in the middle of a frame.
bool TransformTuning::adopt(fft::Waiting waiting) {
    status_.doing = "building the kernels of the result";
    const fft::TunedSchedule schedule = search_->result()->schedule;
    const auto prepare = [this](const fft::KernelParameters& kernel) {
        return programs_.prepare(status_.fused ? fft::fused_recipe(kernel, status_.desc, fused_case_->shaders())
                                               : fft::tuned_recipe(kernel));
    };
    const bool rows = prepare(schedule.rows);
    const bool columns = prepare(schedule.columns);
    return waiting == fft::Waiting::allowed || (rows && columns);
}

void TransformTuning::finish() {
    const fft::WisdomEntry entry = *search_->result();
    const auto keep = [this](const fft::TunedSchedule& schedule, std::optional<fft::ScheduleTrial>& place) {
        if (const fft::ScheduleTrial* trial = find_trial(search_->schedules(), schedule)) place = *trial;
    };
    if (before_) keep(*before_, status_.before);
    keep(entry.schedule, status_.after);
    end_search();
    status_.phase = TuningPhase::done;
    const KeptWisdom kept = keep_wisdom(entry, device_, programs_.sources());
    status_.why = kept.why_not_written;
    spdlog::info("tuned {}: {}", describe_tuned(status_.desc, status_.fused), tuning_outcome(status_));
    if (status_.why.empty())
        spdlog::info("wisdom: {}", kept.file.string());
    else
        spdlog::warn("wisdom is used, but not kept: {}", status_.why);
}

void TransformTuning::fail(const std::string& why) {
    end_search();
    status_.phase = TuningPhase::failed;
    status_.why = why;
    spdlog::error("tuning failed: {}", why);
}

std::string describe_tuned(const fft::TransformDesc& desc, bool fused) {
    return fmt::format("{} {} {} {} fields{}", desc.size, fused ? "fused" : to_string(desc.storage),
                       to_string(desc.packing), desc.layers * fft::complex_per_texel(desc.packing),
                       desc.intermediate == fft::Precision::fp16 ? ", fp16 between" : "");
}

std::string tuning_outcome(const TuningStatus& status) {
    if (!status.after) return "no result";
    const fft::ScheduleTrial& now = *status.after;
    std::string text;
    if (status.before && status.before->time.samples > 0)
        text = fmt::format("before {:.2f} us, ", status.before->time.median);
    return text +
           fmt::format("now {:.2f} us, rel L2 {:.1e}: {}", now.time.median, now.relative_l2, now.schedule.to_string());
}

namespace {

bool tune_to_the_end(TransformTuning& tuning, const std::function<bool()>& stop) {
    const ProgressLine line;
    while (tuning.running()) {
        if (stop && stop()) {
            tuning.cancel("the run was interrupted");
            return false;
        }
        tuning.step(fft::Waiting::allowed);
        const TuningStatus& status = tuning.status();
        line.show(fmt::format("tuning: search {} of {}, {} kernels, {}",
                              std::min(status.searches_finished + 1, status.searches), status.searches, status.kernels,
                              status.doing));
    }
    const TuningStatus& status = tuning.status();
    if (status.phase == TuningPhase::failed)
        throw Error(fmt::format("--effort {}: tuning {} failed: {}", to_string(status.effort),
                                describe_tuned(status.desc, status.fused), status.why));
    return true;
}

} // namespace

bool tune_first(const fft::TransformDesc& desc, fft::Effort effort, gl::ProgramLibrary& programs,
                const gl::DeviceInfo& device, const std::function<bool()>& stop) {
    if (!fft::needs_measuring(desc, effort)) return true;
    TransformTuning tuning(programs, device);
    tuning.start(desc, effort);
    return tune_to_the_end(tuning, stop);
}

bool tune_first(const ocean::SimulationDesc& sea, fft::Effort effort, gl::ProgramLibrary& programs,
                const gl::DeviceInfo& device, const std::function<bool()>& stop) {
    const fft::TransformDesc desc = ocean::transform_desc(sea);
    if (!sea.fused) return tune_first(desc, effort, programs, device, stop);
    constexpr bool fused = true;
    if (!fft::needs_measuring(desc, effort, fused)) return true;
    TransformTuning tuning(programs, device);
    tuning.start_fused(sea, nullptr, effort);
    return tune_to_the_end(tuning, stop);
}

} // namespace spindrift
