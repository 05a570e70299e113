// Generated kernels: a line of N points in one dispatch, the points in registers, exchanged through shared memory. One
// GLSL source, shaders/fft/tuned.comp, becomes a kernel by the fields of KernelParameters, each of them one define.
//
// A transform is two kernels, for rows and for columns, with parameters of their own: rows like buffers, whose
// neighbours lie side by side, and columns like images, whose memory is arranged in blocks.
#pragma once

#include "engine/gl/device.h"
#include "engine/gl/program.h"
#include "engine/gl/texture.h"
#include "fft/transform.h"

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace spindrift::fft {

/// One end of a kernel: where it reads from, or writes to, and in which numbers.
struct KernelEnd {
    Storage storage = Storage::buffer;
    Precision precision = Precision::fp32;

    auto operator<=>(const KernelEnd&) const = default;
};

/// How the twiddles of a butterfly are had: all from the table, or those whose exponent is a power of two from the
/// table and the others as products, with a rounding more.
enum class Twiddles : std::uint8_t { table, products };

/// in_place: one store serves both ends, which must then be equal.
enum class Placement : std::uint8_t { out_of_place, in_place };

/// Everything that a kernel's text depends on, but the scale of its results. No padding bytes: equal parameters have
/// equal bytes.
struct KernelParameters {
    static constexpr std::size_t most_stages = 12;

    std::array<std::uint8_t, most_stages> radices{}; ///< of the stages in order: 2, 4, 8 or 16; 0 after the last
    Axis axis = Axis::horizontal;
    Direction direction = Direction::inverse;
    Packing packing = Packing::vec4;
    std::uint8_t points = 4; ///< elements of a line in an invocation's registers: 2, 4, 8 or 16, at least every radix
    std::uint8_t lines = 1;  ///< that a work group transforms, a power of two
    std::uint8_t layers = 1; ///< that an invocation transforms side by side: 1, 2, or with vec2 4
    std::uint8_t lanes = 1;  ///< 2: two invocations share a vec4, one complex number each; buffers only
    std::uint8_t layer_lanes = 1; ///< 1, 2 or 4: as many invocations, each with `layers` of its own, share an element
    std::uint8_t exchange_components = 4; ///< floats that are exchanged at once: 1, 2 or 4, at most a texel's
    std::uint8_t exchange_buffers = 1;    ///< 2 needs half the barriers and twice the shared memory
    std::uint8_t padded = 0; ///< 1: elements of shared memory are left free so that no two invocations write to a bank
    std::uint8_t slot_offsets = 1; ///< 1: the slots of a butterfly lie at constant offsets from its first; 0: each is
                                   ///< computed, in more instructions and, on one compiler, fewer registers
    Twiddles twiddles = Twiddles::table;
    std::uint8_t early_twiddles =
        0;                  ///< 1: loaded before the exchange in front of their stage, whose latency hides theirs
    std::uint8_t turns = 1; ///< times that a work group takes `lines` lines, loading the next ones while it computes
    Placement placement = Placement::out_of_place;
    KernelEnd source, target;

    auto operator<=>(const KernelParameters&) const = default;

    int size() const noexcept;         ///< product of the radices
    int group_layers() const noexcept; ///< that a work group transforms: layers times layer_lanes
    int stages() const noexcept;
    int invocations() const noexcept; ///< of a work group
    int barriers() const noexcept;    ///< that an invocation passes between its first load and its last store
    std::size_t shared_memory_bytes() const noexcept;

    /// "8.8.8 x8 1r 2c" for tables: radices, points, lines, exchange, and what is not the default.
    std::string to_string() const;
    std::size_t hash() const noexcept;
};

/// How the elements of a line lie in shared memory during one exchange: `padding` elements are left free after every
/// `period`, a power of two. An exchange after butterflies of radix r at stride s writes, at one moment, s neighbours
/// of every block of r s elements; the strides between blocks would meet in a few of the 32 banks. With s elements free
/// after each block, or after as many elements as the banks hold at once if those are more, neighbouring invocations
/// write to different banks wherever a line has 32 floats for them; they read side by side, which stays so.
struct ExchangePadding {
    int period = 1;
    int padding = 0;
};

/// Of the exchange behind stage `stage`, below stages() - 1.
ExchangePadding exchange_padding(const KernelParameters& parameters, int stage) noexcept;

/// Why these parameters make no kernel, whatever the device, or why this device cannot run it; empty when it can.
std::optional<std::string> why_no_kernel(const KernelParameters& parameters, const gl::DeviceLimits& limits);

/// One define for each field. `file` has the includes of fft/tuned.comp or others in place of its load or store.
gl::ProgramRecipe tuned_recipe(const KernelParameters& parameters, const std::string& scale = {},
                               const std::string& file = "fft/tuned.comp");

/// exp(+-2 pi i q k / (r s)) for the stages after the first, of radix r and stride s: for q = 1 .. r - 1, for k = 0 ..
/// s - 1; (re, im) pairs, computed in double and rounded to float. A single 1 when there is one stage only.
std::vector<float> tuned_twiddle_table(const KernelParameters& parameters);

/// Where a transform's rows leave what its columns read.
enum class Intermediate : std::uint8_t { in_place, buffer, image };
std::string_view to_string(Intermediate intermediate) noexcept;

/// A transform: the row kernel writes what the column kernel reads.
struct TunedSchedule {
    KernelParameters rows, columns;

    auto operator<=>(const TunedSchedule&) const = default;
    Intermediate intermediate() const noexcept;
    /// Bytes of the store between the two; 0 when they work in place.
    std::size_t scratch_bytes(const TransformDesc& desc) const noexcept;
    std::string to_string() const;
};

/// The kernel parameters that a transform fixes, for one axis and with these ends; the rest is the default.
KernelParameters kernel_for(const TransformDesc& desc, Axis axis, KernelEnd source, KernelEnd target);
/// The end that `desc`'s data is.
KernelEnd data_end(const TransformDesc& desc) noexcept;

/// The schedule that is used when nothing has been measured: from times on one GPU (NOTES.md), fitted to the limits.
/// Empty when no kernel fits.
std::optional<TunedSchedule> default_schedule(const TransformDesc& desc, const gl::DeviceLimits& limits);

/// Why `schedule` is none for `desc` on this device; empty when it is one.
std::optional<std::string> why_no_schedule(const TunedSchedule& schedule, const TransformDesc& desc,
                                           const gl::DeviceLimits& limits);

/// The texture between rows and columns.
gl::TextureDesc intermediate_texture_desc(const TransformDesc& desc, Precision precision);

/// Work groups of one dispatch.
std::array<int, 3> tuned_work_groups(const KernelParameters& parameters, int layers) noexcept;

} // namespace spindrift::fft
