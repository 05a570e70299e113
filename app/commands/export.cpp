// `spindrift export`: a transform to take home, as shaders that need nothing of ours.
#include "app/command_line.h"
#include "app/commands/command.h"
#include "app/commands/verify.h"
#include "app/export_folder.h"
#include "app/suggestion.h"
#include "app/wisdom_file.h"
#include "engine/error.h"
#include "engine/platform/headless_context.h"
#include "fft/registry.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace spindrift {
namespace {

class ExportCommand : public Command {
public:
    std::string name() const override { return "export"; }
    std::string summary() const override {
        return "writes a transform's kernels as self-contained GLSL, with an example";
    }

    void add_options(CLI::App& options) override {
        const auto add = [&options](const char* flag, std::string& value, const char* place, const char* help) {
            return options.add_option(flag, value, help)->type_name(place)->take_last();
        };
        add("--out", folder_, "FOLDER", "Where the files go; it is made when it does not exist")->required();
        add("--algorithm", algorithm_, "NAME", "Which [default tuned]");
        add("--size", size_, "N", "A power of two from 16 to 4096 [default 512]");
        add("--packing", packing_, "NAME", "vec2 or vec4 [default vec4]");
        add("--layers", layers_, "N", "Images in the batch, 1 to 1024 [default 2]");
        add("--storage", storage_, "NAME", "Of the data: image or buffer [default buffer]");
        add("--direction", direction_, "NAME", "forward or inverse [default inverse]");
        add("--scaling", scaling_, "NAME", "none or by_n2 [default none]");
        add("--intermediate", intermediate_, "NAME", "fp32 or fp16: numbers between rows and columns [default fp32]");
        add("--shader-dir", shader_dir_, "FOLDER", "Reads shaders from a folder");
        options.add_flag(std::string("--force"), force_,
                         std::string("Into a folder with files in it: those of an earlier export are replaced"));
    }

    int run() override {
        const fft::TransformDesc desc = description();
        check_export_folder(folder_, force_);
        const gl::ShaderSources sources =
            shader_dir_.empty() ? gl::ShaderSources::embedded() : gl::ShaderSources::directory(shader_dir_);
        // What is exported fits the device that is here, with what was measured on it; without one, the guaranteed
        // limits.
        gl::DeviceLimits limits;
        std::string limits_of = "the limits that OpenGL 4.5 guarantees";
        try {
            const platform::HeadlessContext context;
            limits = context.device().limits;
            limits_of = context.device().renderer;
            use_wisdom(context.device(), sources);
        } catch (const Error&) {
            limits.max_group_size = {1024, 1024, 64};
        }
        const ExportedTransform transform = export_transform(desc, sources, limits);
        write_export(folder_, export_files(transform), force_);
        std::string text = fmt::format("{}: {} for {}\n", folder_, to_string(desc.algorithm), limits_of);
        if (!transform.schedule.empty()) text += transform.schedule + "\n";
        print_out(text + "transform.json tells what to bind and dispatch; example.c does it\n");
        return static_cast<int>(ExitCode::success);
    }

private:
    fft::TransformDesc description() const {
        fft::TransformDesc desc{
            .size = 512, .algorithm = fft::Algorithm::tuned, .layers = 2, .storage = fft::Storage::buffer};
        if (!algorithm_.empty()) {
            const auto algorithm = fft::parse_algorithm(algorithm_);
            std::vector<std::string> names;
            for (const auto& info : fft::algorithms()) names.emplace_back(info.name);
            if (!algorithm)
                throw Error(ExitCode::usage, fmt::format("--algorithm {}: must be one of {}{}", algorithm_,
                                                         fft::algorithm_names(), did_you_mean(algorithm_, names)));
            desc.algorithm = *algorithm;
            if (desc.algorithm == fft::Algorithm::cufft)
                throw Error(ExitCode::usage,
                            "--algorithm cufft: is a library of NVIDIA's and has no GLSL to take home");
        }
        choose("--packing", packing_, desc.packing, fft::parse_packing, "vec2, vec4");
        choose("--storage", storage_, desc.storage, fft::parse_storage, "image, buffer");
        choose("--direction", direction_, desc.direction, fft::parse_direction, "forward, inverse");
        choose("--scaling", scaling_, desc.scaling, fft::parse_scaling, "none, by_n2");
        choose("--intermediate", intermediate_, desc.intermediate, fft::parse_precision, "fp32, fp16");
        check_intermediate(desc.algorithm, desc.intermediate);
        if (!layers_.empty()) desc.layers = parse_integer("--layers", layers_, 1, 1024);
        if (!size_.empty()) {
            desc.size = parse_integer("--size", size_, fft::min_size, fft::largest_size);
            if (!fft::is_power_of_two(desc.size))
                throw Error(ExitCode::usage, fmt::format("--size {}: must be a power of two from {} to {}", size_,
                                                         fft::min_size, fft::largest_size));
        }
        return desc;
    }

    template <class Choice, class Parse>
    static void choose(const char* flag, const std::string& text, Choice& choice, Parse parse, const char* names) {
        if (text.empty()) return;
        const auto value = parse(text);
        if (!value) throw Error(ExitCode::usage, fmt::format("{} {}: must be one of {}", flag, text, names));
        choice = *value;
    }

    std::string folder_, algorithm_, size_, packing_, layers_, storage_, direction_, scaling_, intermediate_,
        shader_dir_;
    bool force_ = false;
};

const RegisterCommand<ExportCommand> registration;

} // namespace
} // namespace spindrift
