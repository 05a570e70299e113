// The sea on the GPU: evolve -> four complex inverse FFTs -> assemble; with `tuned` and fused, in two dispatches.
#pragma once

#include "app/ocean/fields.h"
#include "app/ocean/sea_state.h"
#include "app/ocean/spectrum.h"
#include "engine/gl/buffer.h"
#include "engine/gl/device.h"
#include "engine/gl/program.h"
#include "engine/gl/texture.h"
#include "engine/profiler/profiler.h"
#include "engine/render/box_mipmaps.h"
#include "fft/fused_plan.h"
#include "fft/plan.h"

#include <array>
#include <cassert>
#include <cstdint>
#include <optional>
#include <vector>

namespace spindrift::ocean {

struct SimulationDesc {
    SeaState sea = {};
    fft::Algorithm algorithm = fft::Algorithm::stockham_radix4;
    int size = 256; ///< texels along each edge of the tile
    fft::Packing packing = fft::Packing::vec4;
    fft::Storage storage = fft::Storage::image;
    /// Frames that cufft transforms at once, ahead of time, so that they share the two context switches; at least 1.
    /// Other algorithms have no switches and take each frame as it comes.
    int interop_frames = 1;
    /// For verification: leaves the second field of every pair out of the transforms, so that it must come out as zero.
    bool first_of_pairs_only = false;
    /// `tuned` only, of no account with the others: evolve in the row kernel's load, assemble in the column kernel's
    /// store. No field of the sea is then in memory, but for what lies between rows and columns.
    bool fused = false;
    fft::Precision intermediate = fft::Precision::fp32; ///< of that; `tuned` only
    /// For measurements: false leaves the mip levels out of the steps, and what is in them is undefined.
    bool mips = true;
};

/// What set_sea() does with the foam that is there.
enum class FoamHistory {
    restart, ///< the picture is that of a new Simulation
    keep,    ///< for a slider that is being dragged: no warm-up steps
};

/// The description of the transforms that this simulation runs, for fft::why_unavailable().
fft::TransformDesc transform_desc(const SimulationDesc& desc);

/// Of a step with this packing.
fft::FusedShaders fused_shaders(const SimulationDesc& desc);

/// time / period as a fraction of 2^32, wrapped into one period; times m in wrapping arithmetic it is the phase of the
/// frequency m 2 pi / period, exact for any time.
std::uint32_t loop_fraction(double time, double period) noexcept;

/// One tile of sea. A sea can be changed while it runs; another algorithm, size, packing or storage is a new
/// Simulation. Lives in one context, and not longer than the library that it was made with.
class Simulation {
public:
    /// Slopes are computed with J no smaller than this, and then limited to this steepness (68 degrees): where the
    /// surface folds the exact slope has no bound. Elsewhere they are exact.
    static constexpr double smallest_jacobian = 0.15;
    static constexpr double largest_slope = 2.5;

    /// Throws Error when the sea is invalid, the transform is not available here or memory runs out. `initial`, when
    /// there is one, is the spectrum of this sea and size, which takes long to make.
    Simulation(const SimulationDesc& desc, gl::ProgramLibrary& library, const gl::DeviceInfo& device,
               const InitialSpectrum* initial = nullptr);

    /// gl::ProgramLibrary::prepare() of what the constructor gets; of stockham-radix4 only.
    static bool prepare(const SimulationDesc& desc, gl::ProgramLibrary& library, const gl::DeviceLimits& limits);

    /// Computes everything for `time` (s, any value; the sea repeats after its loop period). `dt` is the time since the
    /// last step, at least 0, and only ages the foam; 0 keeps it. After construction and after a restart, the foam is
    /// first warmed up over the seconds before `time`, the same way each time, and `dt` is not used.
    /// Scopes: evolve, those of fft::Plan::execute(), assemble, mips; the warm-up is in none. A null profiler is
    /// allowed. Fused, fft.horizontal and fft.vertical hold evolve and assemble, which have no scopes then.
    /// With interop_frames above 1 the first of so many steps computes them all, for `time`, `time` + `dt` and so on,
    /// and a step shows the nearest of them, at most half a `dt` from its own `time`; with a steady `dt` it is that
    /// time. When none is so near, or the spectrum has changed, all are computed anew: nothing that is shown is out of
    /// date.
    void step(double time, double dt, profiler::Profiler* profiler = nullptr);

    /// The mip levels of both maps anew from their level 0. A step has done so, unless desc().mips is false.
    void make_mips(profiler::Profiler* profiler = nullptr);

    /// Takes effect in the next step. Allocates no GPU memory; recomputes the spectrum only when it changed.
    /// Throws Error when the sea is invalid, and keeps the old one.
    void set_sea(const SeaState& sea, FoamHistory history = FoamHistory::restart);

    /// The transform's plan anew, as after a change of the wisdom that it was made from. Not of cufft, whose plan holds
    /// the fields. Throws Error, and keeps the old one.
    void remake_plan(gl::ProgramLibrary& library, const gl::DeviceLimits& limits);

    /// Puts another initial spectrum, of the same size, tile and loop, in place of the sea's until the sea's spectrum
    /// changes: for tests and demonstrations with a single wave. Restarts the foam.
    void replace_spectrum(InitialSpectrum spectrum);

    /// rgba32f, size x size, mip chain (means of 2 x 2), repeat, trilinear: (lambda Dx, h, lambda Dz, J), metres.
    /// Texel (i, j) is the point x = i L / size, z = j L / size of the undisplaced tile.
    const gl::Texture& displacement() const noexcept { return displacement_; }
    /// rgba32f, size x size, mip chain, repeat, trilinear: (slope_x, slope_z, foam coverage 0..1, slope_x^2 +
    /// slope_z^2), slope = -N.x/N.y and -N.z/N.y of the exact normal. In the mips, fourth minus squares of the first
    /// two is the variance of the slopes that the texel averages.
    const gl::Texture& derivatives() const noexcept { return derivatives_; }

    const SimulationDesc& desc() const noexcept { return desc_; }
    const SeaState& sea() const noexcept { return desc_.sea; }
    /// The transform by itself; what runs in a step unless is_fused().
    const fft::Plan& plan() const noexcept { return plan_; }
    bool is_fused() const noexcept { return fused_.has_value(); }
    /// Of a fused one.
    const fft::TunedSchedule& fused_schedule() const noexcept {
        assert(is_fused());
        return fused_->schedule();
    }
    /// Of the kernels that a step runs.
    fft::KernelFacts kernel_facts() const { return fused_ ? fused_->facts() : plan_.facts(); }
    float tile_length() const noexcept { return static_cast<float>(desc_.sea.tile_length); }
    /// Hs = 4 sqrt(m0) of the waves on the tile, from the spectrum, m.
    float significant_height() const noexcept;
    const InitialSpectrum& initial_spectrum() const noexcept { return initial_; }

    /// The transformed fields of the last step, size x size each, row-major. Waits for the GPU. Fused, the step left
    /// none behind, and they are computed again by the unfused kernels.
    std::array<std::vector<float>, field_count> download_fields();
    /// What lies between rows and columns becomes `value`; the next step must not depend on it.
    void fill_scratch(float value);

    // For measuring fused kernels on this sea's data (fused_case.h).
    /// What a row kernel of fused_shaders() reads, and what a column kernel writes; foam fades by nothing.
    void bind_fused_rows(const gl::Program& rows, double time) const;
    void bind_fused_columns(const gl::Program& columns) const;
    void poison_maps(); ///< NaN in level 0 of both maps, no foam
    /// Level 0 of both maps at `time`, as after no foam.
    void run_without_history(double time);

private:
    void upload_spectrum();
    /// Frames whose fields lie one after the other, computed ahead.
    struct Prepared {
        double first_time = 0, interval = 0;
        int count = 0; ///< 0 = none
    };

    void run(double time, double dt, double decay, profiler::Profiler* profiler);
    void make_field_storage();
    void run_fused(double time, double decay, profiler::Profiler* profiler);
    /// The frame among the prepared ones that is near enough to `time`; -1 when there is none.
    int prepared_frame(double time, double dt) const noexcept;
    void prepare(double time, double dt, profiler::Profiler* profiler);
    void evolve(double time, int frame);
    void bind_evolve_input(const gl::Program& program, double time, unsigned omega_binding) const;
    void transform(profiler::Profiler* profiler);
    void assemble(double decay, int frame);
    void bind_assemble_output(const gl::Program& program, double decay) const;

    SimulationDesc desc_;
    int warm_up_steps_;
    std::optional<fft::FusedPlan> fused_;
    double last_time_ = 0;
    gl::Program* evolve_program_;
    gl::Program* assemble_program_;

    InitialSpectrum initial_;
    std::vector<float> upload_; ///< h0(k), conj(h0(-k)) of every cell
    gl::Texture initial_texture_;
    gl::Buffer omega_buffer_;
    gl::Texture field_texture_{gl::no_create}; ///< one of the two, as desc_.storage says; fused, none until asked for
    gl::Buffer field_buffer_{gl::no_create};
    gl::Texture displacement_;
    gl::Texture derivatives_;
    gl::Texture foam_;
    fft::Plan plan_;             ///< after the fields: it goes first, and with it CUDA's hold on them
    render::BoxMipmaps mipmaps_; ///< after the plan, which refuses sizes that have no mip levels of this kind
    bool foam_is_warm_ = false;
    Prepared prepared_;
    int shown_frame_ = 0; ///< of the prepared ones
};

} // namespace spindrift::ocean
