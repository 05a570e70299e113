#include "app/kernel_export.h"

#include "engine/error.h"
#include "fft/plan.h"
#include "fft/registry.h"

#include <fmt/format.h>
#include <map>

namespace spindrift {
namespace {

using Json = nlohmann::ordered_json;

/// Expanded, with the line directives of our file table left out.
std::string shader_text(const gl::ProgramRecipe& recipe, const gl::ShaderSources& sources) {
    const std::string expanded = recipe.expand(sources).front().text;
    std::string text;
    std::size_t begin = 0;
    while (begin < expanded.size()) {
        const std::size_t end = std::min(expanded.find('\n', begin), expanded.size());
        const std::string_view line = std::string_view(expanded).substr(begin, end - begin);
        if (!line.starts_with("#line ")) text += std::string(line) + "\n";
        begin = end + 1;
    }
    return text;
}

void add_tuned_passes(ExportedTransform& transform, const fft::LaunchPlan& launch, const gl::ShaderSources& sources) {
    const fft::TransformDesc& desc = transform.desc;
    const fft::TunedSchedule& schedule = *launch.schedule;
    const bool data_is_image = desc.storage == fft::Storage::image;
    transform.schedule = schedule.to_string();
    transform.tables[0] = fft::tuned_twiddle_table(schedule.rows);
    transform.tables[1] = fft::tuned_twiddle_table(schedule.columns);
    if (transform.tables[1] == transform.tables[0]) transform.tables[1].clear();
    transform.has_scratch = schedule.intermediate() != fft::Intermediate::in_place;
    transform.scratch_is_image = schedule.intermediate() == fft::Intermediate::image;
    transform.scratch_is_half = schedule.rows.target.precision == fft::Precision::fp16;
    transform.scratch_bytes = schedule.scratch_bytes(desc);
    for (const fft::Axis axis : {fft::Axis::horizontal, fft::Axis::vertical}) {
        const bool rows = axis == fft::Axis::horizontal;
        const fft::KernelParameters& kernel = rows ? schedule.rows : schedule.columns;
        const bool scaled = !rows && desc.scaling == fft::Scaling::by_n2;
        ExportedPass pass{.name = std::string(to_string(axis)),
                          .file = fmt::format("{}.comp", to_string(axis)),
                          .shader = shader_text(fft::kernel_recipe(desc, launch, axis, 0, scaled), sources),
                          .work_group = {kernel.invocations(), 1, 1},
                          .work_groups = fft::tuned_work_groups(kernel, desc.layers),
                          .bindings = {},
                          .uniforms = {}};
        const ExportedBinding data{rows || !transform.has_scratch ? 0U : 1U, "data", data_is_image};
        pass.bindings.push_back(data);
        if (transform.has_scratch) pass.bindings.push_back({1 - data.binding, "scratch", transform.scratch_is_image});
        pass.bindings.push_back({2, rows || transform.tables[1].empty() ? "twiddles" : "twiddles_2", false});
        pass.image_barrier = rows && transform.has_scratch ? transform.scratch_is_image : data_is_image;
        transform.passes.push_back(std::move(pass));
    }
}

void add_plain_passes(ExportedTransform& transform, const fft::LaunchPlan& launch, const gl::ShaderSources& sources) {
    const fft::TransformDesc& desc = transform.desc;
    const bool image = desc.storage == fft::Storage::image;
    transform.tables[0] = fft::twiddle_table(desc.size);
    transform.has_scratch = true;
    transform.scratch_is_image = image;
    transform.scratch_bytes = fft::byte_count(desc);
    const bool by_stages = launch.dispatches_per_axis > 1;
    const int stages_per_dispatch = launch.stages_per_axis / launch.dispatches_per_axis;
    int store = 0; // as in fft::Plan: each stage reads one store and writes the other
    for (const fft::Axis axis : {fft::Axis::horizontal, fft::Axis::vertical})
        for (int index = 0; index < launch.dispatches_per_axis; ++index) {
            const bool last = axis == fft::Axis::vertical && index == launch.dispatches_per_axis - 1;
            const bool scaled = last && desc.scaling == fft::Scaling::by_n2;
            ExportedPass pass{.name = by_stages ? fmt::format("{}.{}", to_string(axis), index)
                                                : std::string(to_string(axis)),
                              .file = fmt::format("{}.comp", to_string(axis)),
                              .shader = shader_text(fft::kernel_recipe(desc, launch, axis, store, scaled), sources),
                              .work_group = launch.work_group,
                              .work_groups = launch.work_groups,
                              .bindings = {{0, "data", image}, {1, "scratch", image}, {2, "twiddles", false}},
                              .uniforms = {},
                              .image_barrier = image};
            if (by_stages) {
                const double scale = scaled ? 1.0 / (static_cast<double>(desc.size) * desc.size) : 1.0;
                pass.uniforms = {{0, fmt::format("{}", fft::log2_exact(desc.size))},
                                 {1, fmt::format("{}", index)},
                                 {2, fmt::format("{}", store)},
                                 {3, fmt::format("{:.9e}", scale)}};
            }
            transform.passes.push_back(std::move(pass));
            store = (store + stages_per_dispatch) % 2;
        }
}

bool is_float(const std::string& value) {
    return value.find_first_of(".e") != std::string::npos;
}

const char* table_file(std::size_t index) {
    return index == 0 ? "twiddles.bin" : "twiddles_2.bin";
}

std::string image_format(const fft::TransformDesc& desc, bool half) {
    return fmt::format("GL_{}{}", desc.packing == fft::Packing::vec4 ? "RGBA" : "RG", half ? "16F" : "32F");
}

std::string qualifier(const fft::TransformDesc& desc, bool half) {
    return fmt::format("{}{}", desc.packing == fft::Packing::vec4 ? "rgba" : "rg", half ? "16f" : "32f");
}

Json barrier_bits(const ExportedPass& pass) {
    if (pass.image_barrier)
        return {"GL_SHADER_IMAGE_ACCESS_BARRIER_BIT", "GL_TEXTURE_FETCH_BARRIER_BIT", "GL_TEXTURE_UPDATE_BARRIER_BIT"};
    return {"GL_SHADER_STORAGE_BARRIER_BIT", "GL_BUFFER_UPDATE_BARRIER_BIT"};
}

Json store_json(const fft::TransformDesc& desc, bool image, bool half, std::size_t bytes) {
    if (image)
        return {{"kind", "texture_2d_array"},
                {"format", qualifier(desc, half)},
                {"width", desc.size},
                {"height", desc.size},
                {"layers", desc.layers}};
    return {{"kind", "storage_buffer"}, {"bytes", bytes}};
}

Json table_json(const ExportedTransform& transform, std::size_t index) {
    return {{"kind", "storage_buffer"},
            {"bytes", transform.tables[index].size() * sizeof(float)},
            {"file", table_file(index)},
            {"values", transform.tables[index]}};
}

// The parts of the example that depend on the transform.

std::string example_store(const char* name, const fft::TransformDesc& desc, bool image, bool half, std::size_t bytes) {
    if (image) return fmt::format("    GLuint {} = image({});\n", name, image_format(desc, half));
    return fmt::format("    GLuint {} = buffer(NULL, {});\n", name, bytes);
}

std::string example_pass(const ExportedTransform& transform, const ExportedPass& pass) {
    std::string text =
        fmt::format("    glUseProgram({}); /* {} */\n", pass.file.substr(0, pass.file.find('.')), pass.name);
    for (const ExportedBinding& binding : pass.bindings) {
        if (binding.image) {
            const bool half = binding.resource == "scratch" && transform.scratch_is_half;
            text += fmt::format("    glBindImageTexture({}, {}, 0, GL_TRUE, 0, GL_READ_WRITE, {});\n", binding.binding,
                                binding.resource, image_format(transform.desc, half));
        } else {
            text += fmt::format("    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, {}, {});\n", binding.binding,
                                binding.resource);
        }
    }
    for (const auto& [location, value] : pass.uniforms)
        text += fmt::format("    glUniform1{}({}, {});\n", is_float(value) ? 'f' : 'i', location, value);
    text += fmt::format("    glDispatchCompute({}, {}, {});\n", pass.work_groups[0], pass.work_groups[1],
                        pass.work_groups[2]);
    std::string bits;
    for (const Json& bit : barrier_bits(pass)) bits += (bits.empty() ? "" : " | ") + bit.get<std::string>();
    return text + fmt::format("    glMemoryBarrier({});\n", bits);
}

constexpr const char* example_head = R"(#define GL_GLEXT_PROTOTYPES
#include <EGL/egl.h>
#include <GL/glcorearb.h>
#include <stdio.h>
#include <stdlib.h>

static void* read_file(const char* name, size_t* bytes) {
    FILE* file = fopen(name, "rb");
    if (!file) { perror(name); exit(1); }
    fseek(file, 0, SEEK_END);
    *bytes = (size_t)ftell(file);
    rewind(file);
    char* content = calloc(*bytes + 1, 1);
    if (fread(content, 1, *bytes, file) != *bytes) { perror(name); exit(1); }
    fclose(file);
    return content;
}

static GLuint program(const char* name) {
    size_t bytes;
    const char* text = read_file(name, &bytes);
    GLuint made = glCreateShaderProgramv(GL_COMPUTE_SHADER, 1, &text);
    GLint linked = 0;
    char log[4096];
    glGetProgramiv(made, GL_LINK_STATUS, &linked);
    glGetProgramInfoLog(made, sizeof log, NULL, log);
    if (!linked) { fprintf(stderr, "%s: %s\n", name, log); exit(1); }
    return made;
}

static GLuint buffer(const void* content, size_t bytes) {
    GLuint made;
    glCreateBuffers(1, &made);
    glNamedBufferStorage(made, (GLsizeiptr)bytes, content, GL_DYNAMIC_STORAGE_BIT);
    return made;
}
)";

constexpr const char* example_image = R"(
static GLuint image(GLenum format) {{
    GLuint made;
    glCreateTextures(GL_TEXTURE_2D_ARRAY, 1, &made);
    glTextureStorage3D(made, 1, format, {0}, {0}, {1});
    return made;
}}
)";

constexpr const char* example_context = R"(
int main(int count, char** names) {
    if (count != 3) { fprintf(stderr, "example INPUT OUTPUT: raw floats\n"); return 2; }
    EGLDisplay display = eglGetPlatformDisplay(0x31DD /* EGL_PLATFORM_SURFACELESS_MESA */, EGL_DEFAULT_DISPLAY, NULL);
    if (!eglInitialize(display, NULL, NULL)) eglInitialize(display = eglGetDisplay(EGL_DEFAULT_DISPLAY), NULL, NULL);
    eglBindAPI(EGL_OPENGL_API);
    const EGLint version[] = {EGL_CONTEXT_MAJOR_VERSION, 4, EGL_CONTEXT_MINOR_VERSION, 5, EGL_NONE};
    EGLContext context = eglCreateContext(display, NULL, EGL_NO_CONTEXT, version);
    if (!eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context)) { fputs("no OpenGL 4.5\n", stderr); return 1; }

    size_t bytes;
    float* values = read_file(names[1], &bytes);
)";

} // namespace

ExportedTransform export_transform(const fft::TransformDesc& desc, const gl::ShaderSources& sources,
                                   const gl::DeviceLimits& limits) {
    const fft::LaunchPlan launch = fft::plan_launch(desc, limits);
    ExportedTransform transform;
    transform.desc = desc;
    if (launch.schedule)
        add_tuned_passes(transform, launch, sources);
    else
        add_plain_passes(transform, launch, sources);
    return transform;
}

Json export_json(const ExportedTransform& transform) {
    const fft::TransformDesc& desc = transform.desc;
    Json json{
        {"schema", "spindrift.export/1"},
        {"algorithm", to_string(desc.algorithm)},
        {"size", desc.size},
        {"direction", to_string(desc.direction)},
        {"scaling", to_string(desc.scaling)},
        {"packing", to_string(desc.packing)},
        {"layers", desc.layers},
        {"storage", to_string(desc.storage)},
        {"intermediate", to_string(desc.intermediate)},
        {"layout", desc.storage == fft::Storage::image
                       ? "x is the column, y the row; a texel holds re, im of one (vec2) or two (vec4) numbers"
                       : "std430, element (layer * size + row) * size + column; re, im of one (vec2) or two (vec4) "
                         "numbers"}};
    if (!transform.schedule.empty()) json["schedule"] = transform.schedule;
    json["resources"]["data"] = store_json(desc, desc.storage == fft::Storage::image, false, fft::byte_count(desc));
    if (transform.has_scratch)
        json["resources"]["scratch"] =
            store_json(desc, transform.scratch_is_image, transform.scratch_is_half, transform.scratch_bytes);
    json["resources"]["twiddles"] = table_json(transform, 0);
    if (!transform.tables[1].empty()) json["resources"]["twiddles_2"] = table_json(transform, 1);
    json["passes"] = Json::array();
    for (const ExportedPass& pass : transform.passes) {
        Json entry{
            {"name", pass.name}, {"file", pass.file}, {"local_size", pass.work_group}, {"dispatch", pass.work_groups}};
        entry["bindings"] = Json::array();
        for (const ExportedBinding& binding : pass.bindings)
            entry["bindings"].push_back({{"binding", binding.binding},
                                         {"kind", binding.image ? "image" : "storage_buffer"},
                                         {"resource", binding.resource}});
        entry["uniforms"] = Json::array();
        for (const auto& [location, value] : pass.uniforms)
            entry["uniforms"].push_back({{"location", location}, {"value", Json::parse(value)}});
        entry["barrier"] = barrier_bits(pass);
        json["passes"].push_back(std::move(entry));
    }
    return json;
}

std::string export_example(const ExportedTransform& transform) {
    const fft::TransformDesc& desc = transform.desc;
    const bool data_is_image = desc.storage == fft::Storage::image;
    std::string text =
        fmt::format("/* {} {} {} x {}, {} layers of {}, {}. Build: cc example.c -o example -lEGL -lGL */\n",
                    to_string(desc.algorithm), to_string(desc.direction), desc.size, desc.size, desc.layers,
                    to_string(desc.packing), to_string(desc.storage));
    text += example_head;
    const bool images = data_is_image || (transform.has_scratch && transform.scratch_is_image);
    if (images) text += fmt::format(fmt::runtime(example_image), desc.size, desc.layers);
    text += example_context;
    text += fmt::format("    if (bytes != {}) {{ fputs(\"the input must have {} bytes\\n\", stderr); return 1; }}\n",
                        fft::byte_count(desc), fft::byte_count(desc));
    text += "    size_t table_bytes;\n";
    for (std::size_t index = 0; index < 2; ++index)
        if (!transform.tables[index].empty())
            text += fmt::format("    void* table{0} = read_file(\"{1}\", &table_bytes);\n"
                                "    GLuint {2} = buffer(table{0}, table_bytes);\n",
                                index + 1, table_file(index), index == 0 ? "twiddles" : "twiddles_2");
    text += example_store("data", desc, data_is_image, false, fft::byte_count(desc));
    if (transform.has_scratch)
        text += example_store("scratch", desc, transform.scratch_is_image, transform.scratch_is_half,
                              transform.scratch_bytes);
    text += "    GLuint horizontal = program(\"horizontal.comp\"), vertical = program(\"vertical.comp\");\n\n";
    const std::string channels = desc.packing == fft::Packing::vec4 ? "GL_RGBA" : "GL_RG";
    if (data_is_image)
        text += fmt::format("    glTextureSubImage3D(data, 0, 0, 0, 0, {0}, {0}, {1}, {2}, GL_FLOAT, values);\n",
                            desc.size, desc.layers, channels);
    else
        text += "    glNamedBufferSubData(data, 0, (GLsizeiptr)bytes, values);\n";
    for (const ExportedPass& pass : transform.passes) text += example_pass(transform, pass);
    if (data_is_image)
        text += fmt::format("    glGetTextureImage(data, 0, {}, GL_FLOAT, (GLsizei)bytes, values);\n", channels);
    else
        text += "    glGetNamedBufferSubData(data, 0, (GLsizeiptr)bytes, values);\n";
    text += "\n    FILE* output = fopen(names[2], \"wb\");\n"
            "    if (!output || fwrite(values, 1, bytes, output) != bytes || fclose(output)) { perror(names[2]); "
            "return 1; }\n"
            "    return glGetError() == GL_NO_ERROR ? 0 : 1;\n}\n";
    return text;
}

} // namespace spindrift
