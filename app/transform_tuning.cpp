#include "app/transform_tuning.h"

#include "app/progress_line.h"
#include "app/wisdom_file.h"
#include "engine/error.h"

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

void TransformTuning::start(const fft::TransformDesc& desc, fft::Effort effort) {
    give_up();
    status_ = {};
    status_.desc = desc;
    status_.effort = effort;
    try {
        // Kernels that are tried are many, and most are never used again: they go with their library.
        candidates_ = std::make_unique<gl::ProgramLibrary>(programs_.sources());
        tuner_ = std::make_unique<fft::Tuner>(desc, effort, *candidates_, device_);
        before_ = fft::schedule_for(desc, device_.limits);
        if (before_) tuner_->also_try(*before_);
        status_.phase = TuningPhase::running;
        follow();
        spdlog::info("tuning begins: {}, effort {}", describe_tuned(desc), to_string(effort));
    } catch (const std::exception& error) { // memory or threads may run out, too
        fail(error.what());
    }
}

void TransformTuning::cancel(std::string why) {
    if (!running()) return;
    give_up();
    status_.phase = TuningPhase::cancelled;
    status_.why = std::move(why);
    spdlog::info("tuning was cancelled: {}", status_.why);
}

void TransformTuning::give_up() {
    if (tuner_ != nullptr && !tuner_->may_end()) leaving_.push_back({std::move(candidates_), std::move(tuner_)});
    tuner_.reset();
    candidates_.reset();
}

bool TransformTuning::step(fft::Waiting waiting) {
    std::erase_if(leaving_, [](const Leaving& search) { return search.tuner->may_end(); });
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
        if (tuner_->step(waiting)) {
            follow();
            return false;
        }
        if (!tuner_->result()) {
            fail(fmt::format("none of {} kernels makes a right transform on this driver", tuner_->kernels().size()));
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
    status_.doing = tuner_->doing();
    status_.searches = tuner_->searches();
    status_.searches_finished = tuner_->searches_finished();
    status_.kernels = tuner_->kernels().size();
    status_.best_microseconds = fastest_of_search(tuner_->kernels());
}

/// The kernels of the result among the programs of the sea, before a plan needs them in the middle of a frame.
bool TransformTuning::adopt(fft::Waiting waiting) {
    status_.doing = "building the kernels of the result";
    const fft::TunedSchedule schedule = tuner_->result()->schedule;
    const bool rows = programs_.prepare(fft::tuned_recipe(schedule.rows));
    const bool columns = programs_.prepare(fft::tuned_recipe(schedule.columns));
    return waiting == fft::Waiting::allowed || (rows && columns);
}

void TransformTuning::finish() {
    const fft::WisdomEntry entry = *tuner_->result();
    const auto keep = [this](const fft::TunedSchedule& schedule, std::optional<fft::ScheduleTrial>& place) {
        if (const fft::ScheduleTrial* trial = find_trial(tuner_->schedules(), schedule)) place = *trial;
    };
    if (before_) keep(*before_, status_.before);
    keep(entry.schedule, status_.after);
    tuner_.reset();
    candidates_.reset();
    status_.phase = TuningPhase::done;
    const KeptWisdom kept = keep_wisdom(entry, device_, programs_.sources());
    status_.why = kept.why_not_written;
    spdlog::info("tuned {}: {}", describe_tuned(status_.desc), tuning_outcome(status_));
    if (status_.why.empty())
        spdlog::info("wisdom: {}", kept.file.string());
    else
        spdlog::warn("wisdom is used, but not kept: {}", status_.why);
}

void TransformTuning::fail(const std::string& why) {
    tuner_.reset();
    candidates_.reset();
    status_.phase = TuningPhase::failed;
    status_.why = why;
    spdlog::error("tuning failed: {}", why);
}

std::string describe_tuned(const fft::TransformDesc& desc) {
    return fmt::format("{} {} {} {} fields{}", desc.size, to_string(desc.storage), to_string(desc.packing),
                       desc.layers * fft::complex_per_texel(desc.packing),
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

bool tune_first(const fft::TransformDesc& desc, fft::Effort effort, gl::ProgramLibrary& programs,
                const gl::DeviceInfo& device, const std::function<bool()>& stop) {
    if (!fft::needs_measuring(desc, effort)) return true;
    TransformTuning tuning(programs, device);
    tuning.start(desc, effort);
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
    if (tuning.status().phase == TuningPhase::failed)
        throw Error(fmt::format("--effort {}: tuning {} failed: {}", to_string(effort), describe_tuned(desc),
                                tuning.status().why));
    return true;
}

} // namespace spindrift
