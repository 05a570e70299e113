// The rounds of a search: kernels that wait to be tried, those of them that are right, and which of these is fastest.
#pragma once

#include "engine/gl/buffer.h"
#include "engine/gl/program.h"
#include "fft/kernel_search.h"

#include <cstddef>
#include <deque>
#include <optional>
#include <set>
#include <span>
#include <vector>

namespace spindrift::fft {

/// A kernel that can run.
struct BuiltKernel {
    KernelParameters parameters;
    const gl::Program* program;
    gl::Buffer twiddles;
};

/// Waits for the compiler when the program is not there yet. Throws Error when it does not build or memory runs out.
BuiltKernel build_kernel(const KernelParameters& parameters, const gl::ProgramRecipe& recipe,
                         gl::ProgramLibrary& library);

/// One after the other, none twice in a search.
class KernelQueue {
public:
    void begin_search();
    void propose(const KernelParameters& kernel);
    bool empty() const noexcept { return waiting_.empty(); }
    std::size_t size() const noexcept { return waiting_.size(); }
    /// The next one is number 0.
    const KernelParameters& operator[](std::size_t index) const { return waiting_[index]; }
    void pop() { waiting_.pop_front(); }
    void drop() noexcept { waiting_.clear(); } ///< what waits; it counts as proposed

private:
    std::set<KernelParameters> proposed_;
    std::deque<KernelParameters> waiting_;
};

/// Right kernels whose samples take turns.
struct Contestant {
    BuiltKernel kernel;
    std::size_t trial;           ///< its number among all that were tried
    std::vector<double> samples; ///< microseconds of one pass
};

/// A kernel whose output is being compared; it takes part when that is right.
struct CheckedKernel {
    KernelTrial trial;
    std::optional<Contestant> contestant; ///< none when it was not built
};

/// Their samples become the times of their trials. The number of the fastest; there must be one.
std::size_t finish_round(std::span<const Contestant> contestants, std::span<KernelTrial> trials);

/// The winner alone takes part in the next round, too, and is measured anew there.
void keep_winner(std::vector<Contestant>& contestants, std::size_t winner);

} // namespace spindrift::fft
