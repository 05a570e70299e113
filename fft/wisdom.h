// What measuring has found out about one GPU, kept between runs: FFTW's word for it.
//
// Wisdom holds for one GPU, driver and text of the kernels. What comes from elsewhere, is damaged or breaks a limit is
// refused with a sentence, never used in part.
#pragma once

#include "engine/gl/device.h"
#include "engine/gl/shader_source.h"
#include "fft/effort.h"
#include "fft/tuned.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spindrift::fft {

struct WisdomEntry {
    TransformDesc desc; ///< scaling is of no account; fused, nor is the storage
    bool fused = false; ///< of a fused plan (fft/fused_plan.h), and `microseconds` of its step
    Effort effort = Effort::measure;
    TunedSchedule schedule;
    double microseconds = 0; ///< of one transform when it was measured
    double relative_l2 = 0;  ///< its error then
};

class Wisdom {
public:
    /// Empty wisdom of this device and these shaders.
    Wisdom(const gl::DeviceInfo& device, std::string shader_hash);

    /// Throws Error with what is wrong: no JSON, another schema, GPU, driver or shader text, a schedule that this
    /// device cannot run, a field missing or beyond its limit.
    static Wisdom parse(std::string_view text, const gl::DeviceInfo& device, const std::string& shader_hash);
    /// Schema "spindrift.wisdom/2".
    std::string to_json() const;

    /// nullptr when nothing is known, or with less effort than asked for.
    const WisdomEntry* find(const TransformDesc& desc, Effort least = Effort::estimate) const noexcept;
    const WisdomEntry* find_fused(const TransformDesc& desc, Effort least = Effort::estimate) const noexcept;
    /// Replaces an entry for the same transform, fused or not, unless that one took more effort.
    void add(const WisdomEntry& entry);
    const std::vector<WisdomEntry>& entries() const noexcept { return entries_; }
    const std::string& shader_hash() const noexcept { return shader_hash_; }

private:
    std::string vendor_, renderer_, version_, shader_hash_;
    std::vector<WisdomEntry> entries_;
};

/// SHA-256 of everything that a tuned kernel is expanded from, the sea's fused ones included.
std::string tuned_shader_hash(const gl::ShaderSources& sources);

/// The wisdom that plans of this process look into, as with FFTW; none at the start. Not for several threads.
void set_active_wisdom(std::shared_ptr<const Wisdom> wisdom) noexcept;
const Wisdom* active_wisdom() noexcept;

/// Whether a plan of `desc`, fused or not, must be measured first with this effort: the active wisdom does not know it.
/// Only of `tuned`.
bool needs_measuring(const TransformDesc& desc, Effort effort, bool fused = false) noexcept;

/// What a plan of `tuned` uses: the active wisdom's schedule where it fits these limits, else the default.
std::optional<TunedSchedule> schedule_for(const TransformDesc& desc, const gl::DeviceLimits& limits);

} // namespace spindrift::fft
