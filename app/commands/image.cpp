#include "app/commands/image.h"

#include "app/command_line.h"
#include "app/commands/command.h"
#include "app/suggestion.h"
#include "engine/error.h"
#include "engine/files.h"
#include "engine/platform/headless_context.h"
#include "fft/cuda_module.h"
#include "fft/registry.h"

#include <CLI/CLI.hpp>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <utility>

namespace spindrift {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array channel_names{"grey", "grey and alpha", "RGB", "RGB and alpha"};

template <class Choice, class Parse, class Choices>
void read_choice(Choice& choice, const std::string& flag, const std::string& text, Parse parse,
                 const Choices& choices) {
    if (text.empty()) return;
    if (const auto parsed = parse(text)) {
        choice = *parsed;
        return;
    }
    std::vector<std::string> names;
    names.reserve(choices.size());
    for (const Choice known : choices) names.emplace_back(to_string(known));
    throw Error(ExitCode::usage, fmt::format("{} {}: must be one of {}{}", flag, text, fmt::join(names, ", "),
                                             did_you_mean(text, names)));
}

void read_frequency(std::optional<double>& frequency, const std::string& flag, const std::string& text) {
    if (text.empty()) return;
    double value = 0.0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || stop != text.data() + text.size() || !(value > 0.0 && value <= 1.0))
        throw Error(ExitCode::usage,
                    fmt::format("{} {}: must be a number above 0 and at most 1, the Nyquist frequency", flag, text));
    frequency = value;
}

/// Throws before anything is read or computed.
void check_files(const ImageSettings& settings) {
    const std::array<std::pair<std::string_view, const std::string*>, 4> files{{{"IN", &settings.input},
                                                                                {"--spectrum", &settings.spectrum_file},
                                                                                {"--restored", &settings.restored_file},
                                                                                {"--json", &settings.json_file}}};
    for (std::size_t second = 1; second < files.size(); ++second)
        for (std::size_t first = 0; first < second; ++first)
            if (same_file(*files[first].second, *files[second].second))
                throw Error(ExitCode::usage,
                            fmt::format("{} {}: is also the file of {}; each needs its own", files[second].first,
                                        *files[second].second, files[first].first));
    for (std::size_t index = 1; index < files.size(); ++index)
        if (!files[index].second->empty()) check_writable(*files[index].second);
}

int choose_size(const ImageSettings& settings, const render::Image& image) {
    if (settings.size > 0) return settings.size;
    const int size = default_image_size(image.width, image.height, settings.fit);
    if (size > fft::max_size)
        throw Error(fmt::format("{}: a picture of {} x {} pixels, padded, needs a transform of size {}; the largest is "
                                "{}. --fit resample takes any picture",
                                settings.input, image.width, image.height, size, fft::max_size));
    return size;
}

std::string filter_text(const BandFilter& filter) {
    std::string text;
    if (filter.high_pass) text += fmt::format("above {:g}", *filter.high_pass);
    if (filter.low_pass) text += fmt::format("{}below {:g}", text.empty() ? "" : " and ", *filter.low_pass);
    return text + " of the Nyquist frequency";
}

std::string difference_text(const ImageDifference& difference) {
    return fmt::format("maximum difference {:.3g}, RMS {:.3g}, PSNR {:.1f} dB", difference.maximum, difference.rms,
                       difference.psnr_db);
}

Json difference_json(const ImageDifference& difference) {
    const auto finite = [](double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); };
    return {{"maximum", finite(difference.maximum)},
            {"rms", finite(difference.rms)},
            {"psnr_db", finite(difference.psnr_db)}};
}

std::string report_text(const ImageSettings& settings, const ImageReport& report, const gl::DeviceInfo& device) {
    std::string text = fmt::format("{}, {}\n\n", device.renderer, device.version);
    const auto line = [&text](std::string_view name, const std::string& value) {
        text += fmt::format("{:<11} {}\n", name, value);
    };
    line("picture", fmt::format("{} x {}, {}, {} bits", report.width, report.height,
                                channel_names.at(static_cast<std::size_t>(report.channels) - 1), report.bits));
    if (report.was_transparent) line("", "transparent pixels are laid over black");
    line("transform",
         fmt::format("{} {} {} {}, {}, {}", to_string(settings.algorithm), to_string(settings.packing),
                     to_string(settings.storage), report.size, to_string(settings.fit), to_string(settings.channels)));
    line("round trip", difference_text(report.round_trip));
    if (report.filtered)
        line("filtered", fmt::format("{}: {}", filter_text(settings.filter), difference_text(*report.filtered)));
    for (const std::string* file : {&settings.spectrum_file, &settings.restored_file, &settings.json_file})
        if (!file->empty()) line("wrote", *file);
    if (!report.ok())
        text += fmt::format("FAILED: the picture must come back with at least {:g} dB\n", required_psnr_db);
    return text;
}

void write_picture(const std::string& file, const render::RgbImage& picture) {
    render::write_png(file, picture.width, picture.height, picture.pixels);
}

class ImageCommand : public Command {
public:
    std::string name() const override { return "image"; }
    std::string summary() const override { return "takes a picture through a transform and back: image photo.jpg"; }

    void add_options(CLI::App& options) override {
        options.add_option("IN", settings_.input, "The picture: a PNG, JPEG or BMP file")->required();
        add(options, "--spectrum", settings_.spectrum_file, "FILE.png", "Writes the magnitudes, origin in the middle");
        add(options, "--restored", settings_.restored_file, "FILE.png", "Writes the picture that came back");
        add(options, "--json", settings_.json_file, "FILE.json", "Writes the figures as JSON");
        add(options, "--algorithm", algorithm_, "NAME", "Default stockham-radix4; --list-algorithms names them");
        add(options, "--packing", packing_, "NAME", "vec2 or vec4 [default vec4]");
        add(options, "--storage", storage_, "NAME", "image or buffer [default image]");
        add(options, "--size", size_, "N",
            "Of the transform, a power of two [default 512; what holds the picture when padded]");
        add(options, "--fit", fit_, "NAME", "resample, pad (with black) or pad-edge [default resample]");
        add(options, "--channels", channels_, "NAME", "luminance or rgb [default luminance]");
        add(options, "--low-pass", low_pass_, "F", "Passes radial frequencies below F, 1 = Nyquist");
        add(options, "--high-pass", high_pass_, "F", "Passes radial frequencies above F, and the mean");
        add(options, "--shader-dir", settings_.shader_dir, "FOLDER", "Reads shaders from a folder");
    }

    int run() override {
        read_choice(settings_.algorithm, "--algorithm", algorithm_, fft::parse_algorithm, fft::all_algorithms);
        read_choice(settings_.packing, "--packing", packing_, fft::parse_packing, fft::all_packings);
        read_choice(settings_.storage, "--storage", storage_, fft::parse_storage, fft::all_storages);
        read_choice(settings_.fit, "--fit", fit_, parse_image_fit, all_image_fits);
        read_choice(settings_.channels, "--channels", channels_, parse_image_channels, all_image_channels);
        read_size();
        read_frequency(settings_.filter.low_pass, "--low-pass", low_pass_);
        read_frequency(settings_.filter.high_pass, "--high-pass", high_pass_);
        if (const BandFilter& filter = settings_.filter;
            filter.low_pass && filter.high_pass && *filter.high_pass >= *filter.low_pass)
            throw Error(ExitCode::usage, fmt::format("--high-pass {}: must be below --low-pass {}, or nothing passes",
                                                     high_pass_, low_pass_));
        check_ending("--spectrum", settings_.spectrum_file, ".png");
        check_ending("--restored", settings_.restored_file, ".png");
        return run_image(settings_);
    }

private:
    static void add(CLI::App& options, const std::string& flag, std::string& value, const std::string& place,
                    const std::string& help) {
        options.add_option(flag, value, help)->type_name(place)->take_last();
    }

    void read_size() {
        if (size_.empty()) return;
        const auto [stop, error] = std::from_chars(size_.data(), size_.data() + size_.size(), settings_.size);
        if (error != std::errc{} || stop != size_.data() + size_.size() || !fft::is_power_of_two(settings_.size) ||
            settings_.size < fft::min_size || settings_.size > fft::max_size)
            throw Error(ExitCode::usage, fmt::format("--size {}: must be a power of two from {} to {}", size_,
                                                     fft::min_size, fft::max_size));
    }

    static void check_ending(const std::string& flag, const std::string& file, const std::string& ending) {
        if (!file.empty() && !file.starts_with("/dev/") && std::filesystem::path(file).extension() != ending)
            throw Error(ExitCode::usage, fmt::format("{} {}: the name must end in {}", flag, file, ending));
    }

    ImageSettings settings_;
    std::string algorithm_, packing_, storage_, size_, fit_, channels_, low_pass_, high_pass_;
};

const RegisterCommand<ImageCommand> registration;

} // namespace

nlohmann::ordered_json image_json(const ImageSettings& settings, const ImageReport& report,
                                  const gl::DeviceInfo& device) {
    const auto optional = [](const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); };
    Json json{{"schema", "spindrift.image/1"}};
    json["gpu"] = {{"vendor", device.vendor},
                   {"renderer", device.renderer},
                   {"gl", device.version},
                   {"software_renderer", device.software_renderer}};
    json["picture"] = {{"file", settings.input},      {"width", report.width}, {"height", report.height},
                       {"channels", report.channels}, {"bits", report.bits},   {"transparent", report.was_transparent}};
    json["transform"] = {{"algorithm", to_string(settings.algorithm)},
                         {"packing", to_string(settings.packing)},
                         {"storage", to_string(settings.storage)},
                         {"size", report.size},
                         {"fit", to_string(settings.fit)},
                         {"channels", to_string(settings.channels)}};
    json["filter"] = {{"low_pass", optional(settings.filter.low_pass)},
                      {"high_pass", optional(settings.filter.high_pass)}};
    json["round_trip"] = difference_json(report.round_trip);
    json["filtered"] = report.filtered ? difference_json(*report.filtered) : Json(nullptr);
    json["required_psnr_db"] = required_psnr_db;
    json["ok"] = report.ok();
    return json;
}

int run_image(const ImageSettings& settings) {
    check_files(settings);
    const render::Image image = render::read_image(settings.input);
    ImageReport report{.width = image.width, .height = image.height, .channels = image.channels, .bits = image.bits};
    report.size = choose_size(settings, image);
    const FittedImage fitted = fit_image(image, settings.fit, settings.channels, report.size);
    report.was_transparent = fitted.was_transparent;

    platform::HeadlessContext context;
    fft::cuda::connect(context);
    gl::ProgramLibrary library(settings.shader_dir.empty() ? gl::ShaderSources::embedded()
                                                           : gl::ShaderSources::directory(settings.shader_dir));
    ImageTransform transform({.algorithm = settings.algorithm,
                              .packing = settings.packing,
                              .storage = settings.storage,
                              .size = report.size,
                              .planes = fitted.planes.size()},
                             library, context.device().limits);
    transform.transform(fitted.planes);
    transform.apply({});
    report.round_trip = compare_planes(fitted.planes, transform.restored());
    if (!settings.filter.passes_all()) {
        transform.apply(settings.filter);
        report.filtered = compare_planes(fitted.planes, transform.restored());
    }
    if (const std::string errors = gl::drain_errors(); !errors.empty())
        throw Error(fmt::format("the transform failed: {}", errors));

    if (!settings.spectrum_file.empty())
        write_picture(settings.spectrum_file, spectrum_picture(transform.spectra(), report.size));
    if (!settings.restored_file.empty())
        write_picture(settings.restored_file, picture_of(transform.restored(), report.size, fitted.region));
    if (!settings.json_file.empty())
        write_file_atomically(
            settings.json_file,
            image_json(settings, report, context.device()).dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
    print_out(report_text(settings, report, context.device()));
    return static_cast<int>(report.ok() ? ExitCode::success : ExitCode::runtime_failure);
}

} // namespace spindrift
