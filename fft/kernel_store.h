// Memory that a tuned kernel reads or writes while it is being measured.
#pragma once

#include "engine/gl/buffer.h"
#include "engine/gl/readback.h"
#include "engine/gl/texture.h"
#include "fft/tuned.h"

#include <span>
#include <string_view>
#include <vector>

namespace spindrift::fft {

/// A texture or a buffer, as a kernel's end says, for all values of one transform.
class KernelStore {
public:
    /// Its content is undefined. Throws Error when memory runs out.
    KernelStore(const TransformDesc& desc, KernelEnd end, std::string_view label);

    KernelEnd end() const noexcept { return end_; }
    gl::Texture& texture() noexcept { return texture_; }
    gl::Buffer& buffer() noexcept { return buffer_; }

    /// Uploads some megabytes of `values`, all of which it gets in each call. True when all are there.
    bool fill_some(std::span<const float> values);
    void bind(unsigned binding, gl::Access access) const;
    void poison(); ///< with NaN
    void begin(gl::Readback& readback) const;

private:
    TransformDesc desc_;
    KernelEnd end_;
    std::size_t rows_filled_ = 0; ///< of all layers
    gl::Texture texture_{gl::no_create};
    gl::Buffer buffer_{gl::no_create};
};

/// Bytes that KernelStore::begin() reads back at most.
std::size_t readback_bytes(const TransformDesc& desc) noexcept;

/// What was read back from a store with that end, as floats. `converted` holds them where they are half floats.
std::span<const float> floats_of(std::span<const std::byte> bytes, KernelEnd end, std::vector<float>& converted);

} // namespace spindrift::fft
