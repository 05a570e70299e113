#include "app/image_transform.h"

#include "engine/error.h"
#include "fft/real_pair.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <numbers>

namespace spindrift {
namespace {

constexpr double filter_edge = 0.1;     ///< half of an edge's width, as a share of its frequency
constexpr double spectrum_floor = 1e-6; ///< shown as black, relative to the largest magnitude

std::size_t area(int size) {
    return static_cast<std::size_t>(size) * static_cast<std::size_t>(size);
}

double decode_srgb(double encoded) {
    return encoded <= 0.04045 ? encoded / 12.92 : std::pow((encoded + 0.055) / 1.055, 2.4);
}

std::uint8_t encode_srgb(double linear) {
    if (!(linear > 0.0)) return 0;
    const double encoded = linear <= 0.0031308 ? 12.92 * linear : 1.055 * std::pow(linear, 1.0 / 2.4) - 0.055;
    return static_cast<std::uint8_t>(std::lround(std::min(encoded, 1.0) * 255.0));
}

/// Linear light of every 16-bit sample.
const std::vector<float>& decoding_table() {
    static const std::vector<float> table = [] {
        std::vector<float> values(65536);
        for (std::size_t sample = 0; sample < values.size(); ++sample)
            values[sample] = static_cast<float>(decode_srgb(static_cast<double>(sample) / 65535.0));
        return values;
    }();
    return table;
}

/// Rows of a picture as planes of linear light.
class Rows {
public:
    Rows(const render::Image& image, ImageChannels channels)
        : image_(image), table_(decoding_table()), luminance_(channels == ImageChannels::luminance) {}

    std::size_t planes() const { return luminance_ ? 1 : 3; }
    bool was_transparent() const { return was_transparent_; }

    /// planes() values for each pixel, interleaved.
    void read(int row, std::vector<float>& values) {
        const auto channels = static_cast<std::size_t>(image_.channels);
        const auto width = static_cast<std::size_t>(image_.width);
        const std::uint16_t* sample = image_.samples.data() + static_cast<std::size_t>(row) * width * channels;
        values.clear();
        for (std::size_t column = 0; column < width; ++column, sample += channels) {
            const bool grey = channels < 3;
            float alpha = 1.0F;
            if (channels % 2 == 0 && sample[channels - 1] != 65535) {
                was_transparent_ = true;
                alpha = static_cast<float>(sample[channels - 1]) / 65535.0F; // alpha is linear in the file already
            }
            const float red = alpha * table_[sample[0]];
            const float green = grey ? red : alpha * table_[sample[1]];
            const float blue = grey ? red : alpha * table_[sample[2]];
            if (!luminance_)
                values.insert(values.end(), {red, green, blue});
            else
                values.push_back(grey ? red : 0.2126F * red + 0.7152F * green + 0.0722F * blue);
        }
    }

private:
    const render::Image& image_;
    const std::vector<float>& table_;
    bool luminance_;
    bool was_transparent_ = false;
};

/// Which old pixels a new one is made of, along one side.
struct Taps {
    int first = 0;
    std::vector<float> weights; ///< they add up to 1
};

std::vector<Taps> resampling_taps(int old_length, int new_length) {
    std::vector<Taps> all(static_cast<std::size_t>(new_length));
    const double step = static_cast<double>(old_length) / new_length;
    for (int index = 0; index < new_length; ++index) {
        Taps& taps = all[static_cast<std::size_t>(index)];
        if (step < 1.0) { // between the two nearest centres; beyond the outermost there is only one
            const double place = std::clamp((index + 0.5) * step - 0.5, 0.0, old_length - 1.0);
            taps.first = std::min(static_cast<int>(place), std::max(old_length - 2, 0));
            const auto share = static_cast<float>(place - taps.first);
            taps.weights = old_length == 1 ? std::vector{1.0F} : std::vector{1.0F - share, share};
            continue;
        }
        const double begin = index * step, end = (index + 1) * step;
        taps.first = static_cast<int>(begin);
        const int last = std::min(static_cast<int>(std::ceil(end)), old_length);
        for (int pixel = taps.first; pixel < last; ++pixel) {
            const double covered = std::min(end, pixel + 1.0) - std::max(begin, static_cast<double>(pixel));
            taps.weights.push_back(static_cast<float>(covered / step));
        }
    }
    return all;
}

/// One old row at a time, so that a large picture needs no large copy in floats.
std::vector<Plane> resample(Rows& rows, int width, int height, int size) {
    const std::size_t planes = rows.planes(), length = static_cast<std::size_t>(size);
    const std::vector<Taps> columns = resampling_taps(width, size);
    const std::vector<Taps> lines = resampling_taps(height, size);
    std::vector<Plane> result(planes, Plane(area(size), 0.0F));
    std::vector<float> row, narrowed(length * planes);
    std::size_t first_line = 0; // lines before this one lie above the old row
    for (int old_row = 0; old_row < height; ++old_row) {
        rows.read(old_row, row);
        std::fill(narrowed.begin(), narrowed.end(), 0.0F);
        for (std::size_t column = 0; column < length; ++column)
            for (std::size_t tap = 0; tap < columns[column].weights.size(); ++tap)
                for (std::size_t plane = 0; plane < planes; ++plane)
                    narrowed[column * planes + plane] +=
                        columns[column].weights[tap] *
                        row[(static_cast<std::size_t>(columns[column].first) + tap) * planes + plane];
        const auto ends_above = [old_row](const Taps& taps) {
            return taps.first + static_cast<int>(taps.weights.size()) <= old_row;
        };
        while (first_line < length && ends_above(lines[first_line])) ++first_line;
        for (std::size_t line = first_line; line < length && lines[line].first <= old_row; ++line) {
            const float weight = lines[line].weights[static_cast<std::size_t>(old_row - lines[line].first)];
            for (std::size_t column = 0; column < length; ++column)
                for (std::size_t plane = 0; plane < planes; ++plane)
                    result[plane][line * length + column] += weight * narrowed[column * planes + plane];
        }
    }
    return result;
}

std::vector<Plane> pad(Rows& rows, const ImageRegion& region, int size, bool repeat_edge) {
    const std::size_t planes = rows.planes(), length = static_cast<std::size_t>(size);
    std::vector<Plane> result(planes, Plane(area(size), 0.0F));
    std::vector<float> row;
    int read_row = -1;
    for (int y = 0; y < size; ++y) {
        const int old_row = std::clamp(y - region.top, 0, region.height - 1);
        if (!repeat_edge && old_row != y - region.top) continue;
        if (old_row != read_row) rows.read(old_row, row);
        read_row = old_row;
        for (int x = 0; x < size; ++x) {
            const int column = std::clamp(x - region.left, 0, region.width - 1);
            if (!repeat_edge && column != x - region.left) continue;
            for (std::size_t plane = 0; plane < planes; ++plane)
                result[plane][static_cast<std::size_t>(y) * length + static_cast<std::size_t>(x)] =
                    row[static_cast<std::size_t>(column) * planes + plane];
        }
    }
    return result;
}

/// The place of a complex number in a batch's floats, and the planes that ride in it: 2 * index and 2 * index + 1.
std::size_t float_offset(std::size_t index, std::size_t texel, const fft::TransformDesc& desc) {
    const auto per_texel = static_cast<std::size_t>(fft::complex_per_texel(desc.packing));
    return ((index / per_texel * area(desc.size) + texel) * per_texel + index % per_texel) * 2;
}

double low_pass_gain(double frequency, double edge) noexcept {
    const double place = (frequency / edge - (1.0 - filter_edge)) / (2.0 * filter_edge);
    return 0.5 * (1.0 + std::cos(std::numbers::pi * std::clamp(place, 0.0, 1.0)));
}

template <class Choice, class Choices>
std::optional<Choice> parse(std::string_view name, const Choices& choices) noexcept {
    for (const Choice choice : choices)
        if (to_string(choice) == name) return choice;
    return std::nullopt;
}

fft::TransformDesc transform_desc(const ImageTransform::Desc& desc, fft::Direction direction) {
    return {.size = desc.size,
            .direction = direction,
            .algorithm = desc.algorithm,
            .packing = desc.packing,
            .layers = layers_for(desc.planes, desc.packing),
            .storage = desc.storage,
            .scaling = direction == fft::Direction::inverse ? fft::Scaling::by_n2 : fft::Scaling::none};
}

} // namespace

std::string_view to_string(ImageFit fit) noexcept {
    switch (fit) {
    case ImageFit::resample:
        return "resample";
    case ImageFit::pad:
        return "pad";
    case ImageFit::pad_edge:
        return "pad-edge";
    }
    return "";
}

std::string_view to_string(ImageChannels channels) noexcept {
    return channels == ImageChannels::luminance ? "luminance" : "rgb";
}

std::optional<ImageFit> parse_image_fit(std::string_view name) noexcept {
    return parse<ImageFit>(name, all_image_fits);
}

std::optional<ImageChannels> parse_image_channels(std::string_view name) noexcept {
    return parse<ImageChannels>(name, all_image_channels);
}

int default_image_size(int width, int height, ImageFit fit) {
    if (fit == ImageFit::resample) return 512;
    const auto longer = static_cast<unsigned>(std::max({width, height, fft::min_size}));
    return static_cast<int>(std::bit_ceil(longer));
}

FittedImage fit_image(const render::Image& image, ImageFit fit, ImageChannels channels, int size) {
    assert(fft::is_power_of_two(size) && image.width > 0 && image.height > 0);
    FittedImage fitted{.size = size, .region = {0, 0, size, size}};
    Rows rows(image, channels);
    if (fit == ImageFit::resample) {
        fitted.planes = resample(rows, image.width, image.height, size);
    } else {
        if (image.width > size || image.height > size)
            throw Error(fmt::format("a picture of {0} x {1} pixels cannot be padded to {2} x {2}: each side may have "
                                    "at most {2}; resample it, or choose a larger size",
                                    image.width, image.height, size));
        fitted.region = {(size - image.width) / 2, (size - image.height) / 2, image.width, image.height};
        fitted.planes = pad(rows, fitted.region, size, fit == ImageFit::pad_edge);
    }
    fitted.was_transparent = rows.was_transparent();
    return fitted;
}

double BandFilter::gain(double radial_frequency) const noexcept {
    if (radial_frequency == 0.0) return 1.0;
    const double low = low_pass ? low_pass_gain(radial_frequency, *low_pass) : 1.0;
    const double high = high_pass ? 1.0 - low_pass_gain(radial_frequency, *high_pass) : 1.0;
    return low * high;
}

double radial_frequency(int column, int row, int size) noexcept {
    const double kx = column < size / 2 ? column : column - size;
    const double ky = row < size / 2 ? row : row - size;
    return std::hypot(kx, ky) / (size * 0.5);
}

int layers_for(std::size_t planes, fft::Packing packing) noexcept {
    const std::size_t per_layer = std::size_t{2} * static_cast<std::size_t>(fft::complex_per_texel(packing));
    return static_cast<int>((planes + per_layer - 1) / per_layer);
}

std::vector<float> pack_planes(std::span<const Plane> planes, const fft::TransformDesc& desc) {
    assert(desc.layers == layers_for(planes.size(), desc.packing));
    std::vector<float> texels(fft::float_count(desc), 0.0F);
    for (std::size_t plane = 0; plane < planes.size(); ++plane)
        for (std::size_t texel = 0; texel < planes[plane].size(); ++texel)
            texels[float_offset(plane / 2, texel, desc) + plane % 2] = planes[plane][texel];
    return texels;
}

std::vector<Plane> unpack_planes(std::span<const float> texels, const fft::TransformDesc& desc, std::size_t count) {
    assert(texels.size() == fft::float_count(desc) && desc.layers == layers_for(count, desc.packing));
    std::vector<Plane> planes(count, Plane(area(desc.size)));
    for (std::size_t plane = 0; plane < count; ++plane)
        for (std::size_t texel = 0; texel < planes[plane].size(); ++texel)
            planes[plane][texel] = texels[float_offset(plane / 2, texel, desc) + plane % 2];
    return planes;
}

std::vector<SpectrumPlane> unpack_spectra(std::span<const float> texels, const fft::TransformDesc& desc,
                                          std::size_t count) {
    assert(texels.size() == fft::float_count(desc) && desc.layers == layers_for(count, desc.packing));
    std::vector<SpectrumPlane> spectra;
    SpectrumPlane packed(area(desc.size));
    for (std::size_t index = 0; 2 * index < count; ++index) {
        for (std::size_t texel = 0; texel < packed.size(); ++texel) {
            const std::size_t offset = float_offset(index, texel, desc);
            packed[texel] = {texels[offset], texels[offset + 1]};
        }
        auto [first, second] = fft::unpack_spectrum_pair(packed, desc.size);
        spectra.push_back(std::move(first));
        if (spectra.size() < count) spectra.push_back(std::move(second));
    }
    return spectra;
}

ImageDifference compare_planes(std::span<const Plane> a, std::span<const Plane> b) {
    assert(a.size() == b.size());
    ImageDifference difference;
    double sum = 0.0;
    std::size_t count = 0;
    for (std::size_t plane = 0; plane < a.size(); ++plane) {
        assert(a[plane].size() == b[plane].size());
        for (std::size_t texel = 0; texel < a[plane].size(); ++texel) {
            const double distance = std::abs(static_cast<double>(a[plane][texel]) - b[plane][texel]);
            if (!(distance <= difference.maximum)) difference.maximum = distance; // a NaN comes in as well
            sum += distance * distance;
        }
        count += a[plane].size();
    }
    difference.rms = std::sqrt(sum / static_cast<double>(std::max<std::size_t>(count, 1)));
    if (std::isnan(difference.rms)) difference.maximum = difference.rms;
    difference.psnr_db = -20.0 * std::log10(difference.rms);
    return difference;
}

render::RgbImage spectrum_picture(std::span<const SpectrumPlane> spectra, int size) {
    assert(spectra.size() == 1 || spectra.size() == 3);
    double largest = 0.0;
    for (const SpectrumPlane& spectrum : spectra)
        for (const std::complex<double> value : spectrum) largest = std::max(largest, std::abs(value));
    render::RgbImage picture{size, size, std::vector<std::uint8_t>(3 * area(size), 0)};
    if (!(largest > 0.0)) return picture; // a black picture has no spectrum
    const auto length = static_cast<std::size_t>(size);
    for (std::size_t y = 0; y < length; ++y)
        for (std::size_t x = 0; x < length; ++x)
            for (std::size_t channel = 0; channel < 3; ++channel) {
                const SpectrumPlane& spectrum = spectra[spectra.size() == 1 ? 0 : channel];
                const std::size_t row = (y + length / 2) % length, column = (x + length / 2) % length;
                const double relative = std::abs(spectrum[row * length + column]) / largest;
                const double level = 1.0 - std::log(std::max(relative, spectrum_floor)) / std::log(spectrum_floor);
                picture.pixels[3 * (y * length + x) + channel] =
                    static_cast<std::uint8_t>(std::lround(255.0 * std::clamp(level, 0.0, 1.0)));
            }
    return picture;
}

render::RgbImage picture_of(std::span<const Plane> planes, int size, const ImageRegion& region) {
    assert(planes.size() == 1 || planes.size() == 3);
    render::RgbImage picture{region.width, region.height, {}};
    for (int y = region.top; y < region.top + region.height; ++y)
        for (int x = region.left; x < region.left + region.width; ++x)
            for (std::size_t channel = 0; channel < 3; ++channel)
                picture.pixels.push_back(
                    encode_srgb(planes[planes.size() == 1 ? 0 : channel]
                                      [static_cast<std::size_t>(y) * static_cast<std::size_t>(size) +
                                       static_cast<std::size_t>(x)]));
    return picture;
}

ImageTransform::ImageTransform(const Desc& desc, gl::ProgramLibrary& library, const gl::DeviceLimits& limits)
    : planes_(desc.planes), forward_(transform_desc(desc, fft::Direction::forward), library, limits),
      inverse_(transform_desc(desc, fft::Direction::inverse), library, limits) {
    if (desc.storage == fft::Storage::image)
        texture_ = gl::Texture(fft::data_texture_desc(forward_.desc()), "image transform");
}

void ImageTransform::transform(std::span<const Plane> planes) {
    assert(planes.size() == planes_);
    spectrum_ = execute(forward_, pack_planes(planes, forward_.desc()));
    filtered_.clear();
    restored_.clear();
}

void ImageTransform::apply(const BandFilter& filter) {
    assert(!spectrum_.empty());
    filtered_ = spectrum_;
    if (!filter.passes_all()) {
        const int size = forward_.desc().size;
        std::size_t texel = 0;
        for (int row = 0; row < size; ++row)
            for (int column = 0; column < size; ++column, ++texel) {
                // Real and the same for k and -k, so the two planes in a complex number stay apart.
                const auto gain = static_cast<float>(filter.gain(radial_frequency(column, row, size)));
                for (std::size_t index = 0; 2 * index < planes_; ++index) {
                    const std::size_t offset = float_offset(index, texel, forward_.desc());
                    filtered_[offset] *= gain;
                    filtered_[offset + 1] *= gain;
                }
            }
    }
    restored_ = unpack_planes(execute(inverse_, filtered_), inverse_.desc(), planes_);
}

std::vector<SpectrumPlane> ImageTransform::spectra() const {
    assert(!filtered_.empty());
    return unpack_spectra(filtered_, forward_.desc(), planes_);
}

std::vector<float> ImageTransform::execute(fft::Plan& plan, std::span<const float> texels) {
    std::vector<float> result(texels.size());
    if (plan.desc().storage == fft::Storage::image) {
        texture_.upload(texels);
        plan.execute(texture_);
        plan.detach(); // the other direction's plan takes the same texture
        texture_.download(result);
    } else {
        gl::Buffer data = gl::Buffer::from(texels, "image transform");
        plan.execute(data);
        data.download(std::as_writable_bytes(std::span(result)));
        plan.detach();
    }
    return result;
}

} // namespace spindrift
