#include "app/commands/bench_step_cuda.h"

#include "engine/error.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>

namespace spindrift {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int spells_in_front = 25; ///< more than a millisecond: longer than the CPU takes to queue a block

} // namespace

std::vector<ocean::SimulationDesc> bench_step_cuda_candidates(const BenchStepSettings& settings, int size) {
    std::vector<ocean::SimulationDesc> candidates;
    if (std::ranges::find(settings.algorithms, fft::Algorithm::cufft) == settings.algorithms.end()) return candidates;
    for (const fft::Packing packing : fft::all_packings)
        candidates.push_back({.algorithm = fft::Algorithm::cufft,
                              .size = size,
                              .packing = packing,
                              .storage = fft::Storage::buffer,
                              .mips = false});
    return candidates;
}

BenchStepCuda::BenchStepCuda(const BenchStepSettings& settings, int size, gl::ProgramLibrary& programs,
                             const gl::DeviceInfo& device) {
    for (const ocean::SimulationDesc& desc : bench_step_cuda_candidates(settings, size)) add(desc, device);
    if (is_any_running()) warm_up_.emplace(programs, device);
}

void BenchStepCuda::add(const ocean::SimulationDesc& desc, const gl::DeviceInfo& device) {
    Run& run = runs_.emplace_back();
    run.result.desc = desc;
    run.result.kind = BenchStepKind::cuda;
    if (auto reason = ocean::CudaStep::why_unavailable(desc, device.limits)) {
        run.result.failure = std::move(*reason);
        run.result.unavailable = true;
        return;
    }
    try {
        run.sea = std::make_unique<ocean::CudaStep>(desc);
    } catch (const Error& error) {
        run.result.failure = error.what();
    }
}

bool BenchStepCuda::is_any_running() const {
    return std::ranges::any_of(runs_, [](const Run& run) { return run.sea != nullptr; });
}

void BenchStepCuda::block(bool measured) {
    if (!is_any_running()) return;
    gl::finish();
    for (Run& run : runs_) {
        if (run.sea == nullptr) continue;
        try {
            block(run, measured);
        } catch (const Error& error) {
            run.result.failure = error.what();
            run.sea.reset();
        }
    }
    for (int spell = 0; spell < spells_in_front; ++spell) warm_up_->occupy();
}

void BenchStepCuda::block(Run& run, bool measured) {
    fft::cuda::CudaTimestamp begin, end;
    run.sea->occupy();
    begin.record();
    const Clock::time_point start = Clock::now();
    for (int index = 0; index < bench_step::steps_of_block; ++index)
        run.sea->step(bench_step::seconds_per_step * run.step++, bench_step::seconds_per_step);
    const double issued = std::chrono::duration<double, std::micro>(Clock::now() - start).count();
    end.record();
    fft::cuda::finish();
    if (!measured) return;
    run.gpu.push_back(end.microseconds_since(begin) / bench_step::steps_of_block);
    run.cpu.push_back(issued / bench_step::steps_of_block);
}

void BenchStepCuda::compare(double time, const std::vector<float>& reference, const std::string& name_of_reference) {
    for (Run& run : runs_) {
        if (run.sea == nullptr) continue;
        BenchStepResult& result = run.result;
        if (reference.empty()) {
            result.failure = "there is no other candidate to compare its displacement with";
            continue;
        }
        try {
            run.sea->step(time, bench_step::seconds_per_step);
            result.relative_l2 = bench_step::relative_difference(run.sea->displacement(), reference);
        } catch (const Error& error) {
            result.failure = error.what();
            continue;
        }
        if (!(result.relative_l2 < bench_step::largest_difference))
            result.failure = fmt::format("its displacement differs by {:.3g} from that of {}", result.relative_l2,
                                         name_of_reference);
    }
}

std::vector<BenchStepResult> BenchStepCuda::results() {
    std::vector<BenchStepResult> results;
    for (Run& run : runs_) {
        run.result.gpu = fft::summarize_samples(run.gpu);
        run.result.cpu = fft::summarize_samples(run.cpu);
        results.push_back(run.result);
    }
    return results;
}

} // namespace spindrift
