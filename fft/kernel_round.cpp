#include "fft/kernel_round.h"

#include <cassert>
#include <utility>

namespace spindrift::fft {

BuiltKernel build_kernel(const KernelParameters& parameters, const gl::ProgramRecipe& recipe,
                         gl::ProgramLibrary& library) {
    const std::vector<float> table = tuned_twiddle_table(parameters);
    return {parameters, &library.get(recipe), gl::Buffer::from(std::span(table), "tuner twiddles")};
}

void KernelQueue::begin_search() {
    proposed_.clear();
    waiting_.clear();
}

void KernelQueue::propose(const KernelParameters& kernel) {
    if (proposed_.insert(kernel).second) waiting_.push_back(kernel);
}

std::size_t finish_round(std::span<const Contestant> contestants, std::span<KernelTrial> trials) {
    assert(!contestants.empty());
    std::size_t winner = 0;
    for (std::size_t index = 0; index < contestants.size(); ++index) {
        BenchmarkTime& time = trials[contestants[index].trial].time;
        time = summarize_samples(contestants[index].samples);
        if (time.median < trials[contestants[winner].trial].time.median) winner = index;
    }
    return winner;
}

void keep_winner(std::vector<Contestant>& contestants, std::size_t winner) {
    Contestant kept = std::move(contestants[winner]);
    kept.samples.clear();
    contestants.clear();
    contestants.push_back(std::move(kept));
}

} // namespace spindrift::fft
