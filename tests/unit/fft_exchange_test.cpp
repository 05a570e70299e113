// Where the tuned kernels' exchanges put their elements in shared memory: each has a slot of its own, and neighbouring
// invocations meet in no bank.
#include "fft/tuned_shapes.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <set>
#include <vector>

namespace spindrift {
namespace {

using fft::Axis;
using fft::KernelParameters;
using fft::Packing;

constexpr int banks = 32;
constexpr int warp = 32;

/// One exchange of a work group, as shaders/fft/tuned_kernel.glsl does it.
class Exchange {
public:
    Exchange(const KernelParameters& kernel, int stage)
        : kernel_(kernel), padding_(fft::exchange_padding(kernel, stage)),
          radix_(kernel.radices[static_cast<std::size_t>(stage)]) {
        for (int before = 0; before < stage; ++before) stride_ *= kernel.radices[static_cast<std::size_t>(before)];
        const auto floats = kernel.shared_memory_bytes() / sizeof(float);
        slots_ = static_cast<int>(floats) / kernel.exchange_components;
    }

    int slots() const { return slots_; }

    /// Of element `element` of the line and sharer that this invocation is for.
    int slot(int invocation, int element) const {
        const int sharers = kernel_.lanes * kernel_.layer_lanes;
        const int padded = element + element / padding_.period * padding_.padding;
        const int sharer = invocation % sharers;
        const int line = is_row() ? invocation / sharers / line_invocations() : invocation / sharers % kernel_.lines;
        if (is_row()) return (line * slots_ / kernel_.lines) + padded * sharers + sharer;
        return (padded * kernel_.lines + line) * sharers + sharer;
    }

    /// The element that this invocation writes as value q of its butterfly b.
    int written(int invocation, int butterfly, int q) const {
        const int index = position(invocation) + butterfly * line_invocations();
        return (index - index % stride_) * radix_ + index % stride_ + q * stride_;
    }
    int read(int invocation, int point) const { return position(invocation) + point * line_invocations(); }

    int butterflies() const { return kernel_.points / radix_; }
    int radix() const { return radix_; }

    /// Times that the banks are asked for what a warp accesses at once, over the least possible.
    double conflicts(const std::vector<int>& slots_of_warp) const {
        const int at_once = banks / kernel_.exchange_components;
        int asked = 0, least = 0;
        for (std::size_t first = 0; first < slots_of_warp.size(); first += static_cast<std::size_t>(at_once)) {
            std::array<std::set<int>, banks> words;
            const std::size_t end = std::min(slots_of_warp.size(), first + static_cast<std::size_t>(at_once));
            for (std::size_t index = first; index < end; ++index)
                for (int component = 0; component < kernel_.exchange_components; ++component) {
                    const int word = slots_of_warp[index] * kernel_.exchange_components + component;
                    words[static_cast<std::size_t>(word % banks)].insert(word);
                }
            const auto busiest = std::max_element(words.begin(), words.end(), [](const auto& left, const auto& right) {
                return left.size() < right.size();
            });
            asked += static_cast<int>(busiest->size());
            ++least;
        }
        return static_cast<double>(asked) / least;
    }

private:
    bool is_row() const { return kernel_.axis == Axis::horizontal; }
    int line_invocations() const { return kernel_.size() / kernel_.points; }
    int position(int invocation) const {
        const int sharers = kernel_.lanes * kernel_.layer_lanes;
        return is_row() ? invocation / sharers % line_invocations() : invocation / sharers / kernel_.lines;
    }

    const KernelParameters& kernel_;
    fft::ExchangePadding padding_;
    int radix_, stride_ = 1, slots_ = 0;
};

/// The most of any warp, over writes and reads.
double most_conflicts(const KernelParameters& kernel, int stage) {
    const Exchange exchange(kernel, stage);
    double most = 1;
    const auto look_at = [&](int first, const auto& element_of) {
        std::vector<int> slots;
        for (int invocation = first; invocation < std::min(first + warp, kernel.invocations()); ++invocation)
            slots.push_back(exchange.slot(invocation, element_of(invocation)));
        most = std::max(most, exchange.conflicts(slots));
    };
    for (int first = 0; first < kernel.invocations(); first += warp) {
        for (int butterfly = 0; butterfly < exchange.butterflies(); ++butterfly)
            for (int q = 0; q < exchange.radix(); ++q)
                look_at(first, [&](int invocation) { return exchange.written(invocation, butterfly, q); });
        for (int point = 0; point < kernel.points; ++point)
            look_at(first, [&](int invocation) { return exchange.read(invocation, point); });
    }
    return most;
}

std::vector<KernelParameters> kernels(int size) {
    std::vector<KernelParameters> found;
    for (const Axis axis : {Axis::horizontal, Axis::vertical})
        for (const int points : {2, 4, 8, 16})
            for (const auto& radices : fft::radix_orders(size, points, true))
                for (const int lines : {1, 2, 4, 8})
                    for (const int lanes : {1, 2})
                        for (const int components : {1, 2, 4}) {
                            KernelParameters kernel;
                            kernel.axis = axis;
                            kernel.radices = radices;
                            kernel.points = static_cast<std::uint8_t>(points);
                            kernel.lines = static_cast<std::uint8_t>(lines);
                            kernel.lanes = static_cast<std::uint8_t>(lanes);
                            kernel.exchange_components = static_cast<std::uint8_t>(components);
                            kernel.padded = 1;
                            if (!fft::why_no_kernel(kernel, gl::DeviceLimits{})) found.push_back(kernel);
                        }
    return found;
}

TEST(FftExchange, EveryElementHasASlotOfItsOwn) {
    for (const int size : {16, 64, 128})
        for (const KernelParameters& kernel : kernels(size))
            for (int stage = 0; stage + 1 < kernel.stages(); ++stage) {
                const Exchange exchange(kernel, stage);
                std::set<int> written, read;
                for (int invocation = 0; invocation < kernel.invocations(); ++invocation) {
                    for (int butterfly = 0; butterfly < exchange.butterflies(); ++butterfly)
                        for (int q = 0; q < exchange.radix(); ++q)
                            written.insert(exchange.slot(invocation, exchange.written(invocation, butterfly, q)));
                    for (int point = 0; point < kernel.points; ++point)
                        read.insert(exchange.slot(invocation, exchange.read(invocation, point)));
                }
                ASSERT_EQ(written.size(), static_cast<std::size_t>(kernel.invocations()) * kernel.points)
                    << kernel.to_string();
                ASSERT_EQ(read, written) << kernel.to_string();
                ASSERT_GE(*written.begin(), 0);
                ASSERT_LT(*written.rbegin(), exchange.slots()) << kernel.to_string();
            }
}

/// As wide as the banks, in invocations of one line: where a line is narrower, a warp has several, which may meet.
bool fills_the_banks(const KernelParameters& kernel) {
    const int line = kernel.size() / kernel.points * kernel.lanes * (kernel.axis == Axis::vertical ? kernel.lines : 1);
    return line * kernel.exchange_components >= banks;
}

TEST(FftExchange, NoTwoInvocationsOfAWarpMeetInABank) {
    int looked_at = 0;
    for (const int size : {64, 256, 512})
        for (const KernelParameters& kernel : kernels(size)) {
            if (!fills_the_banks(kernel)) continue;
            ++looked_at;
            for (int stage = 0; stage + 1 < kernel.stages(); ++stage)
                ASSERT_EQ(most_conflicts(kernel, stage), 1.0) << kernel.to_string() << ", exchange " << stage;
        }
    EXPECT_GT(looked_at, 300);
}

TEST(FftExchange, WithoutPaddingInvocationsMeet) {
    KernelParameters kernel;
    kernel.radices = {16, 16, 4};
    kernel.points = 16;
    kernel.exchange_components = 1;
    kernel.axis = Axis::vertical;
    kernel.lines = 4;
    EXPECT_EQ(most_conflicts(kernel, 0), 8.0); // 4 lines of 8 positions, 64 slots apart
    EXPECT_EQ(most_conflicts(kernel, 1), 1.0);
}

} // namespace
} // namespace spindrift
