#include "fft/cuda_plan.h"

#include <chrono>
#include <cmath>
#include <limits>

namespace spindrift::fft::cuda {
namespace {

using Clock = std::chrono::steady_clock;

double microseconds_since(Clock::time_point start) {
    return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

/// The profiler's number of the clock that CUDA's scopes are timed with; without one they have CPU times alone.
int cuda_source(const profiler::Profiler* profiler) {
    return profiler == nullptr ? profiler::cpu_only : profiler->find_source("CUDA");
}

/// Gives the data back to OpenGL when an exception leaves it mapped.
class UnmapOnFailure {
public:
    UnmapOnFailure(const Interface& functions, Plan* plan) : functions_(functions), plan_(plan) {}
    ~UnmapOnFailure() {
        if (plan_ != nullptr) functions_.unmap(plan_);
    }
    UnmapOnFailure(const UnmapOnFailure&) = delete;
    UnmapOnFailure& operator=(const UnmapOnFailure&) = delete;
    void dismiss() { plan_ = nullptr; }

private:
    const Interface& functions_;
    Plan* plan_;
};

} // namespace

CudaPlan::CudaPlan(const TransformDesc& desc)
    : functions_(&module_functions()), desc_(desc), plan_(nullptr, {functions_}) {
    const PlanDesc wanted{.size = desc.size,
                          .layers = desc.layers,
                          .complex_per_element = complex_per_texel(desc.packing),
                          .inverse = desc.direction == Direction::inverse,
                          .image = desc.storage == Storage::image};
    Plan* plan = nullptr;
    require(functions_->create_plan(&wanted, &plan));
    plan_ = {plan, PlanDeleter{functions_}};
}

void CudaPlan::attach(unsigned data) {
    attached_ = 0;
    require(functions_->attach(plan_.get(), data));
    attached_ = data;
}

void CudaPlan::detach() noexcept {
    functions_->detach(plan_.get());
    attached_ = 0;
}

void CudaPlan::run(unsigned data, profiler::Profiler* profiler) {
    if (data != attached_) attach(data);
    TimedRun* timed = next_timed_ < timed_runs_.size() ? &timed_runs_[next_timed_++] : nullptr;
    const auto interop = profiler::scope(profiler, "fft.interop", 0);
    UnmapOnFailure mapped(*functions_, plan_.get());
    {
        const auto mapping = profiler::scope(profiler, "map", profiler::cpu_only);
        const Clock::time_point start = Clock::now();
        require(functions_->map(plan_.get()));
        if (timed != nullptr) timed->times.map_cpu = microseconds_since(start);
    }
    transform(profiler, timed);
    const auto unmapping = profiler::scope(profiler, "unmap", profiler::cpu_only);
    const Clock::time_point start = Clock::now();
    mapped.dismiss();
    require(functions_->unmap(plan_.get()));
    if (timed != nullptr) timed->times.unmap_cpu = microseconds_since(start);
}

void CudaPlan::transform(profiler::Profiler* profiler, TimedRun* timed) {
    const int source = cuda_source(profiler);
    const bool copies = desc_.storage == Storage::image;
    if (copies) {
        const auto copying = profiler::scope(profiler, "copy in", source);
        require(functions_->load(plan_.get()));
    }
    {
        const auto transforming = profiler::scope(profiler, "cufft", source);
        if (timed != nullptr) require(functions_->record(timed->begin.get()));
        require(functions_->transform(plan_.get()));
        if (timed != nullptr) require(functions_->record(timed->end.get()));
    }
    if (copies) {
        const auto copying = profiler::scope(profiler, "copy out", source);
        require(functions_->store(plan_.get()));
    }
}

CudaPlan::EventHandle CudaPlan::make_event() const {
    Event* event = nullptr;
    require(functions_->create_event(&event));
    return {event, EventDeleter{functions_}};
}

void CudaPlan::time_runs(std::size_t runs) {
    timed_runs_.clear();
    timed_runs_.reserve(runs);
    for (std::size_t run = 0; run < runs; ++run) timed_runs_.push_back({make_event(), make_event(), {}});
    next_timed_ = 0;
}

std::vector<InteropTimes> CudaPlan::times() {
    std::vector<InteropTimes> result;
    for (std::size_t run = 0; run < next_timed_; ++run) {
        TimedRun& timed = timed_runs_[run];
        float milliseconds = std::numeric_limits<float>::quiet_NaN();
        require(functions_->wait(timed.end.get()));
        require(functions_->elapsed(timed.begin.get(), timed.end.get(), &milliseconds));
        timed.times.transform = static_cast<double>(milliseconds) * 1e3;
        result.push_back(timed.times);
    }
    return result;
}

} // namespace spindrift::fft::cuda
