#include "fft/kernel_store.h"

#include <algorithm>
#include <glm/glm.hpp>
#include <glm/packing.hpp>
#include <limits>

namespace spindrift::fft {
namespace {

constexpr std::size_t slice_bytes = std::size_t{4} << 20;
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

bool holds_packed_halves(KernelEnd end) {
    return end.storage == Storage::buffer && end.precision == Precision::fp16;
}

std::vector<std::uint32_t> packed_halves(std::span<const float> values) {
    std::vector<std::uint32_t> halves(values.size() / 2);
    for (std::size_t index = 0; index < halves.size(); ++index)
        halves[index] = glm::packHalf2x16({values[2 * index], values[2 * index + 1]});
    return halves;
}

} // namespace

KernelStore::KernelStore(const TransformDesc& desc, KernelEnd end, std::string_view label) : desc_(desc), end_(end) {
    if (end.storage == Storage::image)
        texture_ = gl::Texture(intermediate_texture_desc(desc, end.precision), label);
    else
        buffer_ = gl::Buffer(byte_count(desc) / (holds_packed_halves(end) ? 2 : 1), gl::BufferUsage::gpu_only, label);
}

bool KernelStore::fill_some(std::span<const float> values) {
    const auto size = static_cast<std::size_t>(desc_.size);
    const std::size_t all_rows = size * static_cast<std::size_t>(desc_.layers);
    if (rows_filled_ == all_rows) return true;
    const std::size_t row = values.size() / all_rows;
    const std::size_t row_in_layer = rows_filled_ % size;
    const std::size_t rows =
        std::min(std::max<std::size_t>(1, slice_bytes / (row * sizeof(float))), size - row_in_layer);
    const std::span<const float> slice = values.subspan(rows_filled_ * row, rows * row);
    if (end_.storage == Storage::image) {
        texture_.upload_rows(slice, static_cast<int>(rows_filled_ / size), static_cast<int>(row_in_layer));
    } else if (holds_packed_halves(end_)) {
        const std::vector<std::uint32_t> halves = packed_halves(slice);
        buffer_.copy_from(gl::Buffer::from(std::span(halves), "tuner upload"),
                          rows_filled_ * row / 2 * sizeof(std::uint32_t));
    } else {
        buffer_.copy_from(gl::Buffer::from(slice, "tuner upload"), rows_filled_ * row * sizeof(float));
    }
    rows_filled_ += rows;
    return rows_filled_ == all_rows;
}

void KernelStore::bind(unsigned binding, gl::Access access) const {
    if (end_.storage == Storage::image)
        texture_.bind_image(binding, access);
    else
        buffer_.bind(gl::BufferTarget::shader_storage, binding);
}

void KernelStore::poison() {
    if (end_.storage == Storage::image)
        texture_.clear({nan, nan, nan, nan});
    else
        buffer_.clear(nan);
}

void KernelStore::begin(gl::Readback& readback) const {
    if (end_.storage == Storage::image)
        readback.begin(texture_);
    else
        readback.begin(buffer_);
}

std::size_t readback_bytes(const TransformDesc& desc) noexcept {
    return byte_count(desc); // a texture of half floats comes as floats
}

std::span<const float> floats_of(std::span<const std::byte> bytes, KernelEnd end, std::vector<float>& converted) {
    if (!holds_packed_halves(end)) return {reinterpret_cast<const float*>(bytes.data()), bytes.size() / sizeof(float)};
    const std::span halves(reinterpret_cast<const std::uint32_t*>(bytes.data()), bytes.size() / sizeof(std::uint32_t));
    converted.resize(2 * halves.size());
    for (std::size_t index = 0; index < halves.size(); ++index) {
        const glm::vec2 pair = glm::unpackHalf2x16(halves[index]);
        converted[2 * index] = pair.x;
        converted[2 * index + 1] = pair.y;
    }
    return converted;
}

} // namespace spindrift::fft
