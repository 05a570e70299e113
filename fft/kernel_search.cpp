#include "fft/kernel_search.h"

#include "fft/tuned_shapes.h"

#include <algorithm>
#include <spdlog/spdlog.h>

namespace spindrift::fft {

std::optional<WisdomEntry> fastest_entry(std::span<const ScheduleTrial> schedules, const TransformDesc& desc,
                                         Effort effort, bool fused) {
    const ScheduleTrial* fastest = nullptr;
    for (const ScheduleTrial& trial : schedules)
        if (trial.ok && trial.time.samples > 0 && (fastest == nullptr || trial.time.median < fastest->time.median))
            fastest = &trial;
    if (fastest == nullptr) return std::nullopt;
    return WisdomEntry{.desc = desc,
                       .fused = fused,
                       .effort = effort,
                       .schedule = fastest->schedule,
                       .microseconds = fastest->time.median,
                       .relative_l2 = fastest->relative_l2};
}

void forget_earlier_errors() {
    if (const std::string earlier = gl::drain_errors(); !earlier.empty())
        spdlog::warn("the driver reported {} before a kernel was checked", earlier);
}

std::vector<KernelParameters> neighbours(const KernelParameters& kernel, const TransformDesc& desc, Effort effort,
                                         const gl::DeviceLimits& limits) {
    std::vector<KernelParameters> found;
    const auto add = [&](const auto& change) {
        KernelParameters changed = kernel;
        change(changed);
        const auto width = static_cast<std::uint8_t>(2 * complex_per_texel(changed.packing) / changed.lanes);
        changed.exchange_components = std::min(changed.exchange_components, width);
        if (changed != kernel && desc.layers % changed.group_layers() == 0 && !why_no_kernel(changed, limits) &&
            std::find(found.begin(), found.end(), changed) == found.end())
            found.push_back(changed);
    };
    for (const int points : effort == Effort::patient ? std::vector{2, 4, 8, 16} : std::vector{4, 8, 16})
        for (const auto& radices : radix_orders(desc.size, points, effort == Effort::patient))
            add([&](KernelParameters& changed) {
                changed.points = static_cast<std::uint8_t>(points);
                changed.radices = radices;
            });
    for (const int lines : {1, 2, 4, 8, 16}) {
        const bool far = lines > 2 * kernel.lines || 2 * lines < kernel.lines;
        if (effort == Effort::patient || !far)
            add([&](KernelParameters& changed) { changed.lines = static_cast<std::uint8_t>(lines); });
    }
    for (const int components : {4, 2, 1})
        add([&](KernelParameters& changed) { changed.exchange_components = static_cast<std::uint8_t>(components); });
    if (effort == Effort::patient) {
        add([](KernelParameters& changed) { changed.padded = static_cast<std::uint8_t>(1 - changed.padded); });
        add([](KernelParameters& changed) {
            changed.lanes = static_cast<std::uint8_t>(3 - changed.lanes);
            changed.points = static_cast<std::uint8_t>(std::min(16, 2 * changed.points));
        });
    }
    add([](KernelParameters& changed) {
        changed.exchange_buffers = static_cast<std::uint8_t>(3 - changed.exchange_buffers);
    });
    add([](KernelParameters& changed) { changed.lanes = static_cast<std::uint8_t>(3 - changed.lanes); });
    for (const int layers : {1, 2, 4})
        add([&](KernelParameters& changed) { changed.layers = static_cast<std::uint8_t>(layers); });
    add([](KernelParameters& changed) {
        changed.twiddles = changed.twiddles == Twiddles::table ? Twiddles::products : Twiddles::table;
    });
    add([](KernelParameters& changed) { changed.slot_offsets = static_cast<std::uint8_t>(1 - changed.slot_offsets); });
    add([](KernelParameters& changed) {
        changed.early_twiddles = static_cast<std::uint8_t>(1 - changed.early_twiddles);
    });
    // Smaller transforms fit the GPU at once: there is nothing to take in turns.
    constexpr int least_size_for_turns = 1024;
    const std::vector<int> all_turns = effort == Effort::patient           ? std::vector{1, 2, 4, 8}
                                       : desc.size >= least_size_for_turns ? std::vector{1, 4}
                                                                           : std::vector{1};
    for (const int turns : all_turns)
        add([&](KernelParameters& changed) { changed.turns = static_cast<std::uint8_t>(turns); });
    return found;
}

} // namespace spindrift::fft
