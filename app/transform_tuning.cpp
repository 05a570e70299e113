#include "app/transform_tuning.h"

#include "app/progress_line.h"
#include "app/wisdom_file.h"
#include "engine/error.h"
#include "fft/fused_plan.h"
#include "fft/fused_tuner.h"
#include "fft/tuner.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <fmt/format.h>
#include <spdlog/spdlog.h>

namespace spindrift {
namespace {

const fft::ScheduleTrial* find_trial(std::span<const fft::ScheduleTrial> trials, const fft::TunedSchedule& schedule) {
    const auto found =
        std::find_if(trials.begin(), trials.end(), [&](const auto& trial) { return trial.schedule == schedule; });
    return found == trials.end() ? nullptr : &*found;
}

} // namespace

double TuningStatus::fraction() const noexcept {
    if (phase == TuningPhase::done) return 1;
    // Whole transforms, at the end, are worth about one search.
    return progress.searches == 0
               ? 0
               : static_cast<double>(progress.searches_finished) / static_cast<double>(progress.searches + 1);
}

TransformTuning::TransformTuning(gl::ProgramLibrary& programs, const gl::DeviceInfo& device, std::string program)
    : programs_(programs), device_(device), program_(std::move(program)) {}

void TransformTuning::start(const fft::TransformDesc& desc, fft::Effort effort) {
    begin(desc, std::nullopt, effort);
}

void TransformTuning::start_fused(const ocean::SimulationDesc& sea, const ocean::InitialSpectrum* initial,
                                  fft::Effort effort) {
    Sea copy{sea, std::nullopt};
    if (initial != nullptr) copy.initial = *initial;
    begin(ocean::transform_desc(sea), std::move(copy), effort);
}

void TransformTuning::begin(const fft::TransformDesc& desc, std::optional<Sea> sea, fft::Effort effort) {
    try {
        give_up();
        status_ = {};
        last_step_ = std::chrono::steady_clock::now();
        status_.desc = desc;
        status_.fused = sea.has_value();
        status_.effort = effort;
        sea_ = std::move(sea);
        if (auto reason = fft::why_unavailable(desc, device_.limits)) throw Error(*reason);
        if (sea_) {
            if (auto reason = ocean::FusedStepCase::why_unavailable(sea_->desc, device_.limits)) throw Error(*reason);
            shaders_ = ocean::fused_shaders(sea_->desc);
        }
        before_ = sea_ ? fft::fused_schedule_for(desc, device_.limits) : fft::schedule_for(desc, device_.limits);
        if (!begin_elsewhere()) begin_here();
        status_.phase = TuningPhase::running;
        spdlog::info("tuning begins: {}, effort {}{}", describe_tuned(desc, status_.fused), to_string(effort),
                     status_.elsewhere ? ", in a process of its own" : "");
    } catch (const std::exception& error) { // memory or threads may run out, too
        fail(error.what());
    }
}

/// False where this process has to search.
bool TransformTuning::begin_elsewhere() {
    if (program_.empty()) return false;
    TuningProcessDesc asked{.program = program_,
                            .desc = status_.desc,
                            .fused = status_.fused,
                            .effort = status_.effort,
                            .shader_folder = std::nullopt};
    if (programs_.sources().is_directory())
        asked.shader_folder = std::filesystem::absolute(programs_.sources().folder());
    try {
        process_ = std::make_unique<TuningProcess>(asked);
    } catch (const Error& error) {
        spdlog::warn("tuning has no process of its own, and may hold up frames: {}", error.what());
        return false;
    }
    status_.elsewhere = true;
    status_.progress.doing = "starting a process for the search";
    return true;
}

/// Kernels that are tried are many, and most are never used again: they go with their library.
void TransformTuning::begin_here() {
    status_.elsewhere = false;
    status_.progress = {};
    candidates_ = std::make_unique<gl::ProgramLibrary>(programs_.sources());
    if (sea_) {
        awaits_unfused_kernels_ = true;
        status_.progress.doing = "building the unfused kernels";
        status_.progress.searches = 2; // rows and columns
        return;
    }
    search_ = std::make_unique<fft::Tuner>(status_.desc, status_.effort, *candidates_, device_);
    if (before_) search_->also_try(*before_);
    status_.progress = progress_of(*search_);
}

/// True once the search can go on.
bool TransformTuning::begin_fused(fft::Waiting waiting) {
    if (!awaits_unfused_kernels_) return true;
    const bool ready = ocean::FusedStepCase::prepare(sea_->desc, *candidates_, device_);
    if (!ready && waiting == fft::Waiting::never) return false;
    fused_case_ = std::make_unique<ocean::FusedStepCase>(sea_->desc, sea_->initial ? &*sea_->initial : nullptr,
                                                         *candidates_, device_);
    search_ = std::make_unique<fft::FusedTuner>(status_.desc, status_.effort, *fused_case_, *candidates_, device_);
    if (before_) search_->also_try(*before_);
    awaits_unfused_kernels_ = false;
    sea_->initial.reset();
    status_.progress = progress_of(*search_);
    return false; // that was enough for a step
}

void TransformTuning::cancel(std::string why) {
    if (!running()) return;
    give_up();
    status_.phase = TuningPhase::cancelled;
    status_.why = std::move(why);
    spdlog::info("tuning was cancelled: {}", status_.why);
}

void TransformTuning::give_up() {
    if (process_ != nullptr) process_->kill();
    const bool process_stays = process_ != nullptr && !process_->may_end();
    const bool search_stays = search_ != nullptr && !search_->may_end();
    if (process_stays || search_stays)
        leaving_.push_back(std::make_unique<Leaving>(
            Leaving{std::move(process_), std::move(candidates_), std::move(fused_case_), std::move(search_)}));
    end_search();
}

void TransformTuning::end_search() {
    awaits_unfused_kernels_ = false;
    process_.reset();
    search_.reset();
    fused_case_.reset();
    candidates_.reset();
    sea_.reset();
    shaders_.reset();
    entry_.reset();
}

bool TransformTuning::step(fft::Waiting waiting) {
    std::erase_if(leaving_, [](const auto& left) {
        return (left->process == nullptr || left->process->may_end()) &&
               (left->search == nullptr || left->search->may_end());
    });
    if (!running()) return false;
    using Milliseconds = std::chrono::duration<double, std::milli>;
    const auto start = std::chrono::steady_clock::now();
    if (last_step_)
        status_.longest_pause_ms = std::max(status_.longest_pause_ms, Milliseconds(start - *last_step_).count());
    last_step_ = start;
    const bool adopted = advance(waiting);
    const double elapsed = Milliseconds(std::chrono::steady_clock::now() - start).count();
    if (elapsed > status_.longest_step_ms) {
        status_.longest_step_ms = elapsed;
        spdlog::debug("tuning: longest step so far {:.1f} ms: {}", elapsed, status_.progress.doing);
    }
    if (!running())
        spdlog::debug("tuning: longest step {:.1f} ms, longest time from one step to the next {:.1f} ms",
                      status_.longest_step_ms, status_.longest_pause_ms);
    return adopted;
}

bool TransformTuning::advance(fft::Waiting waiting) {
    try {
        if (!entry_ && (process_ != nullptr ? advance_elsewhere() : advance_here(waiting))) return false;
        if (!entry_) {
            fail(fmt::format("none of {} kernels is right on this driver", status_.progress.kernels));
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

/// True while the search goes on.
bool TransformTuning::advance_here(fft::Waiting waiting) {
    if (!begin_fused(waiting)) return true;
    const bool goes_on = search_->step(waiting);
    status_.progress = progress_of(*search_);
    if (goes_on) return true;
    if (const auto entry = search_->result()) {
        const auto keep = [this](const fft::TunedSchedule& schedule, std::optional<fft::ScheduleTrial>& place) {
            if (const fft::ScheduleTrial* trial = find_trial(search_->schedules(), schedule)) place = *trial;
        };
        if (before_) keep(*before_, status_.before);
        keep(entry->schedule, status_.after);
        entry_ = entry;
    }
    return false;
}

/// The same.
bool TransformTuning::advance_elsewhere() {
    try {
        const bool goes_on = process_->step();
        if (!process_->progress().doing.empty()) status_.progress = process_->progress();
        if (goes_on) return true;
        take_result_from_elsewhere();
        return false;
    } catch (const Error& error) {
        spdlog::warn("tuning begins anew in this process, and may hold up frames: {}", error.what());
        process_.reset();
        begin_here();
        return true;
    }
}

void TransformTuning::take_result_from_elsewhere() {
    const TuningResult& result = process_->result();
    status_.progress.kernels = result.kernels;
    if (result.wisdom.empty()) return;
    // Refuses what another GPU, driver or text of the kernels has found.
    const fft::Wisdom wisdom = fft::Wisdom::parse(result.wisdom, device_, fft::tuned_shader_hash(programs_.sources()));
    const fft::WisdomEntry* entry = status_.fused ? wisdom.find_fused(status_.desc) : wisdom.find(status_.desc);
    if (entry == nullptr) throw Error("the process that searched has found something else");
    const auto keep = [&result](const fft::TunedSchedule& schedule, std::optional<fft::ScheduleTrial>& place) {
        for (const NamedTrial& trial : result.schedules)
            if (trial.rows == schedule.rows.to_string() && trial.columns == schedule.columns.to_string())
                place = fft::ScheduleTrial{schedule, trial.ok, trial.failure, trial.relative_l2, trial.time};
    };
    if (before_) keep(*before_, status_.before);
    keep(entry->schedule, status_.after);
    entry_ = *entry;
}

/// The kernels of the result among the programs of the sea, before a plan needs them in the middle of a frame; without
/// waiting, one of them in a step, because each may hold it up for a while.
bool TransformTuning::adopt(fft::Waiting waiting) {
    status_.progress.doing = "building the kernels of the result";
    for (const fft::KernelParameters& kernel : {entry_->schedule.rows, entry_->schedule.columns}) {
        const gl::ProgramRecipe recipe =
            shaders_ ? fft::fused_recipe(kernel, status_.desc, *shaders_) : fft::tuned_recipe(kernel);
        if (programs_.contains(recipe)) continue;
        if (waiting == fft::Waiting::never && !programs_.prepare(recipe)) return false;
        programs_.get(recipe);
        if (waiting == fft::Waiting::never) return false;
    }
    return true;
}

void TransformTuning::finish() {
    const fft::WisdomEntry entry = *entry_;
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
        const TuningProgress& progress = status.progress;
        line.show(fmt::format("tuning: search {} of {}, {} kernels, {}",
                              std::min(progress.searches_finished + 1, progress.searches), progress.searches,
                              progress.kernels, progress.doing));
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
