// A picture there and back: from pixels to a square of real numbers, through a forward transform on the GPU, a band
// filter and the inverse, with the spectrum to look at and the differences measured. No files are touched here.
//
// Light: samples are decoded with the sRGB curve (IEC 61966-2-1), so that every number between decoding and encoding is
// linear light from 0 to 1. Averages over pixels, luminance and PSNR (peak 1) are of linear light.
#pragma once

#include "engine/gl/program.h"
#include "engine/render/image_file.h"
#include "engine/render/png_file.h"
#include "fft/plan.h"

#include <complex>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace spindrift {

/// How a picture of any size becomes N x N. resample stretches both sides to N, each on its own: where that shrinks, a
/// pixel is the mean over its area; where it enlarges, bilinear between pixel centres. pad keeps the pixels, in the
/// middle, with black around; pad_edge with the nearest pixel of the edge, so that the border adds less to the
/// spectrum.
enum class ImageFit { resample, pad, pad_edge };
inline constexpr std::array all_image_fits{ImageFit::resample, ImageFit::pad, ImageFit::pad_edge};

/// luminance: one real plane, 0.2126 R + 0.7152 G + 0.0722 B (ITU-R BT.709). rgb: three.
enum class ImageChannels { luminance, rgb };
inline constexpr std::array all_image_channels{ImageChannels::luminance, ImageChannels::rgb};

/// Names on the command line: "resample", "pad", "pad-edge"; "luminance", "rgb".
std::string_view to_string(ImageFit fit) noexcept;
std::string_view to_string(ImageChannels channels) noexcept;
std::optional<ImageFit> parse_image_fit(std::string_view name) noexcept;
std::optional<ImageChannels> parse_image_channels(std::string_view name) noexcept;

/// N x N real numbers, row-major, top row first.
using Plane = std::vector<float>;
using SpectrumPlane = std::vector<std::complex<double>>;

/// Where the picture lies in the square; everything around it is padding. The whole square after resampling.
struct ImageRegion {
    int left = 0, top = 0, width = 0, height = 0;
    bool operator==(const ImageRegion&) const = default;
};

struct FittedImage {
    int size = 0; ///< N
    ImageRegion region;
    std::vector<Plane> planes = {}; ///< luminance, or red, green and blue
    bool was_transparent = false;   ///< some pixels were not opaque; they were laid over black
};

/// The size when the user named none: 512 to resample, else the smallest power of two that holds the picture. May be
/// beyond fft::max_size.
int default_image_size(int width, int height, ImageFit fit);

/// Throws Error when a picture that is to be padded is larger than `size`, a power of two.
FittedImage fit_image(const render::Image& image, ImageFit fit, ImageChannels channels, int size);

/// Which wave numbers pass, by radial frequency: sqrt(kx^2 + ky^2) over the Nyquist wave number N / 2, so that 1 is the
/// middle of an edge of the spectrum and sqrt(2) its corner. Both given: a band. The mean (wave number 0) always
/// passes, so that a picture keeps its brightness.
struct BandFilter {
    std::optional<double> low_pass;  ///< lower frequencies pass; above 0, at most 1
    std::optional<double> high_pass; ///< higher frequencies pass

    bool passes_all() const noexcept { return !low_pass && !high_pass; }
    bool operator==(const BandFilter&) const = default;
    /// From 0 to 1. An edge at F falls as a raised cosine from 0.9 F to 1.1 F and is 1/2 at F, against ringing.
    double gain(double radial_frequency) const noexcept;
};

/// The radial frequency of wave number index (column, row) in wrapped storage.
double radial_frequency(int column, int row, int size) noexcept;

/// Two real planes ride in one complex number (fft/real_pair.h), and `desc` has room for two more when its packing is
/// vec4; what is left over is zero. Texels in the order of Texture::upload.
int layers_for(std::size_t planes, fft::Packing packing) noexcept;
std::vector<float> pack_planes(std::span<const Plane> planes, const fft::TransformDesc& desc);
std::vector<Plane> unpack_planes(std::span<const float> texels, const fft::TransformDesc& desc, std::size_t count);
/// The planes' own spectra, taken apart by their Hermitian symmetry.
std::vector<SpectrumPlane> unpack_spectra(std::span<const float> texels, const fft::TransformDesc& desc,
                                          std::size_t count);

struct ImageDifference {
    double maximum = 0.0;
    double rms = 0.0;
    double psnr_db = 0.0; ///< 20 log10(1 / rms); infinity when nothing differs
};
/// Over all pixels of all planes, padding included. NaN anywhere makes maximum and rms NaN.
ImageDifference compare_planes(std::span<const Plane> a, std::span<const Plane> b);
/// What a round trip without a filter must reach: single precision leaves far more.
inline constexpr double required_psnr_db = 100.0;

/// The magnitudes with the origin in the middle, at (N / 2, N / 2): black is 1e-6 of the largest magnitude of all
/// planes or less, white the largest, logarithmic between. One plane gives grey, three give red, green and blue.
render::RgbImage spectrum_picture(std::span<const SpectrumPlane> spectra, int size);
/// The region of the planes as 8-bit sRGB; what lies outside 0 to 1 is cut off.
render::RgbImage picture_of(std::span<const Plane> planes, int size, const ImageRegion& region);

/// One picture on the GPU. Lives in the context that it was made in, and not longer than the library.
class ImageTransform {
public:
    struct Desc {
        fft::Algorithm algorithm = fft::Algorithm::stockham_radix4;
        fft::Packing packing = fft::Packing::vec4;
        fft::Storage storage = fft::Storage::image;
        int size = 512;
        std::size_t planes = 1; ///< 1 or 3
    };

    /// Throws Error with the sentence of fft::why_unavailable().
    ImageTransform(const Desc& desc, gl::ProgramLibrary& library, const gl::DeviceLimits& limits);

    /// Forward; the unfiltered spectrum is kept for any number of apply().
    void transform(std::span<const Plane> planes);
    /// The filter, then the inverse by 1 / N^2.
    void apply(const BandFilter& filter);

    const std::vector<Plane>& restored() const noexcept { return restored_; } ///< of the last apply()
    std::vector<SpectrumPlane> spectra() const;                               ///< filtered by the last apply()
    const fft::TransformDesc& forward_desc() const noexcept { return forward_.desc(); }

private:
    std::vector<float> execute(fft::Plan& plan, std::span<const float> texels);

    std::size_t planes_;
    fft::Plan forward_;
    fft::Plan inverse_;
    gl::Texture texture_{gl::no_create};
    std::vector<float> spectrum_; ///< as transform() left it
    std::vector<float> filtered_;
    std::vector<Plane> restored_;
};

} // namespace spindrift
