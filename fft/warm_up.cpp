#include "fft/warm_up.h"

#include <algorithm>

namespace spindrift::fft {
namespace {

constexpr unsigned result_binding = 0;
constexpr int iterations_location = 0;
constexpr int iterations = 16000; // eight or so cycles each
constexpr int spells_of_series = 16;
constexpr int groups_of_series = 2048; // every multiprocessor has work: one busy lane alone does not raise a clock
constexpr double steady_factor = 1.05;
constexpr double least_steady_ms = 10;
constexpr double most_ms = 1000; ///< a GPU that somebody else uses is never steady

bool stays_idle(const gl::DeviceInfo& device) {
    return device.software_renderer || device.limits.timestamp_bits == 0;
}

gl::ProgramRecipe recipe() {
    return gl::ProgramRecipe::compute("fft/occupy.comp");
}

} // namespace

bool WarmUp::prepare(gl::ProgramLibrary& library, const gl::DeviceInfo& device) {
    return stays_idle(device) || library.prepare(recipe());
}

WarmUp::WarmUp(gl::ProgramLibrary& library, const gl::DeviceInfo& device) : idle_(stays_idle(device)) {
    if (idle_) return;
    program_ = &library.get(recipe());
    result_ = gl::Buffer(sizeof(float), gl::BufferUsage::gpu_only, "warm-up");
}

void WarmUp::occupy() const {
    spell(1);
}

void WarmUp::spell(int groups) const {
    if (idle_) return;
    result_.bind(gl::BufferTarget::shader_storage, result_binding);
    program_->set(iterations_location, iterations);
    program_->dispatch_groups(groups);
    gl::memory_barrier(gl::Visibility::image | gl::Visibility::storage_buffer);
}

void WarmUp::begin() noexcept {
    worked_ms_ = steady_ms_ = 0;
}

bool WarmUp::work(double milliseconds) {
    if (idle_) return true;
    const auto start = Clock::now();
    const auto since = [](Clock::time_point then) {
        return std::chrono::duration<double, std::milli>(Clock::now() - then).count();
    };
    while (since(start) < milliseconds && steady_ms_ < least_steady_ms && worked_ms_ < most_ms) {
        const auto series = Clock::now();
        for (int index = 0; index < spells_of_series; ++index) spell(groups_of_series);
        gl::finish();
        const double elapsed = since(series);
        fastest_ms_ = std::min(fastest_ms_, elapsed);
        worked_ms_ += elapsed;
        steady_ms_ = elapsed <= steady_factor * fastest_ms_ ? steady_ms_ + elapsed : 0;
    }
    return steady_ms_ >= least_steady_ms || worked_ms_ >= most_ms;
}

} // namespace spindrift::fft
