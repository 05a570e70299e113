#include "engine/gl/program.h"

#include "engine/error.h"
#include "engine/gl/gl.h"

#include <algorithm>
#include <cassert>
#include <fmt/format.h>
#include <glm/gtc/type_ptr.hpp>
#include <glm/mat4x4.hpp>
#include <spdlog/spdlog.h>

namespace spindrift::gl {
namespace {

/// Deletes a shader object on every way out.
class ShaderObject {
public:
    explicit ShaderObject(Stage::Kind kind) : name_(glCreateShader(static_cast<GLenum>(kind))) {}
    ShaderObject(const ShaderObject&) = delete;
    ShaderObject& operator=(const ShaderObject&) = delete;
    ShaderObject(ShaderObject&& other) noexcept : name_(std::exchange(other.name_, 0)) {}
    ShaderObject& operator=(ShaderObject&&) = delete;
    ~ShaderObject() { glDeleteShader(name_); }
    GLuint name() const { return name_; }

private:
    GLuint name_;
};

std::string shader_log(GLuint shader) {
    GLint length = 0;
    glGetShaderiv(shader, GL_INFO_LOG_LENGTH, &length);
    std::string log(static_cast<std::size_t>(std::max(length, 1)), '\0');
    glGetShaderInfoLog(shader, length, nullptr, log.data());
    log.resize(std::char_traits<char>::length(log.c_str()));
    return log;
}

std::string program_log(GLuint program) {
    GLint length = 0;
    glGetProgramiv(program, GL_INFO_LOG_LENGTH, &length);
    std::string log(static_cast<std::size_t>(std::max(length, 1)), '\0');
    glGetProgramInfoLog(program, length, nullptr, log.data());
    log.resize(std::char_traits<char>::length(log.c_str()));
    return log;
}

ShaderObject compile(const ShaderSources& sources, const Stage& stage, const Defines& defines) {
    const ExpandedSource expanded = sources.expand(stage.path, defines);
    ShaderObject shader(stage.kind);
    const char* text = expanded.text.c_str();
    glShaderSource(shader.name(), 1, &text, nullptr);
    glCompileShader(shader.name());
    GLint compiled = GL_FALSE;
    glGetShaderiv(shader.name(), GL_COMPILE_STATUS, &compiled);
    if (compiled != GL_TRUE)
        throw Error(fmt::format("shader {} does not compile:\n{}", stage.path,
                                name_files_in_log(shader_log(shader.name()), expanded.files)));
    return shader;
}

} // namespace

ProgramRecipe ProgramRecipe::compute(std::string path, Defines defines) {
    return {{{Stage::Kind::compute, std::move(path)}}, std::move(defines)};
}

ProgramRecipe ProgramRecipe::graphics(std::string vertex_path, std::string fragment_path, Defines defines) {
    return {{{Stage::Kind::vertex, std::move(vertex_path)}, {Stage::Kind::fragment, std::move(fragment_path)}},
            std::move(defines)};
}

std::string ProgramRecipe::key() const {
    std::string text;
    for (const Stage& stage : stages) text += stage.path + ' ';
    for (const auto& [name, value] : defines) text += fmt::format("-D{}={} ", name, value);
    return text;
}

Program::Program(const ShaderSources& sources, const ProgramRecipe& recipe)
    : Object(glCreateProgram(), Ownership::owned) {
    std::vector<ShaderObject> shaders;
    for (const Stage& stage : recipe.stages) {
        shaders.push_back(compile(sources, stage, recipe.defines));
        glAttachShader(name(), shaders.back().name());
    }
    glLinkProgram(name());
    GLint linked = GL_FALSE;
    glGetProgramiv(name(), GL_LINK_STATUS, &linked);
    if (linked != GL_TRUE) throw Error(fmt::format("program {}does not link:\n{}", recipe.key(), program_log(name())));
    for (const ShaderObject& shader : shaders) glDetachShader(name(), shader.name());
    if (recipe.stages.size() == 1 && recipe.stages[0].kind == Stage::Kind::compute)
        glGetProgramiv(name(), GL_COMPUTE_WORK_GROUP_SIZE, local_size_.data());
    set_label(recipe.key());
}

void Program::use() const {
    glUseProgram(name());
}

void Program::set(int location, int value) const {
    glProgramUniform1i(name(), location, value);
}
void Program::set(int location, unsigned value) const {
    glProgramUniform1ui(name(), location, value);
}
void Program::set(int location, float value) const {
    glProgramUniform1f(name(), location, value);
}
void Program::set(int location, const glm::vec2& value) const {
    glProgramUniform2fv(name(), location, 1, glm::value_ptr(value));
}
void Program::set(int location, const glm::vec3& value) const {
    glProgramUniform3fv(name(), location, 1, glm::value_ptr(value));
}
void Program::set(int location, const glm::vec4& value) const {
    glProgramUniform4fv(name(), location, 1, glm::value_ptr(value));
}
void Program::set(int location, const glm::mat4& value) const {
    glProgramUniformMatrix4fv(name(), location, 1, GL_FALSE, glm::value_ptr(value));
}

void Program::dispatch(int invocations_x, int invocations_y, int invocations_z) const {
    const auto groups = [this](int invocations, std::size_t axis) {
        return (invocations + local_size_[axis] - 1) / local_size_[axis];
    };
    dispatch_groups(groups(invocations_x, 0), groups(invocations_y, 1), groups(invocations_z, 2));
}

void Program::dispatch_groups(int groups_x, int groups_y, int groups_z) const {
    assert(local_size_[0] > 0 && "not a compute program");
    assert(groups_x > 0 && groups_y > 0 && groups_z > 0);
    use();
    glDispatchCompute(static_cast<GLuint>(groups_x), static_cast<GLuint>(groups_y), static_cast<GLuint>(groups_z));
}

ProgramLibrary::ProgramLibrary(ShaderSources sources) : sources_(std::move(sources)) {}

Program& ProgramLibrary::get(const ProgramRecipe& recipe) {
    const std::string key = recipe.key();
    if (const auto found = entries_.find(key); found != entries_.end()) return found->second->program;
    auto entry = std::make_unique<Entry>();
    entry->recipe = recipe;
    build(*entry);
    return entries_.emplace(key, std::move(entry)).first->second->program;
}

void ProgramLibrary::build(Entry& entry) {
    std::vector<std::string> files;
    for (const Stage& stage : entry.recipe.stages)
        for (std::string& file : sources_.expand(stage.path, entry.recipe.defines).files)
            files.push_back(std::move(file));
    entry.files = std::move(files);
    entry.newest = newest_change(entry.files);
    ++compile_count_;
    entry.program = Program(sources_, entry.recipe);
}

std::filesystem::file_time_type ProgramLibrary::newest_change(const std::vector<std::string>& files) const {
    auto newest = std::filesystem::file_time_type::min();
    if (!sources_.is_directory()) return newest;
    for (const std::string& file : files) {
        std::error_code missing;
        const auto time = std::filesystem::last_write_time(sources_.folder() / file, missing);
        if (!missing) newest = std::max(newest, time);
    }
    return newest;
}

ProgramLibrary::ReloadResult ProgramLibrary::reload(bool all) {
    ReloadResult result;
    for (auto& [key, entry] : entries_) {
        if (!all && newest_change(entry->files) == entry->newest) continue;
        try {
            build(*entry);
            ++result.rebuilt;
        } catch (const Error& error) {
            ++result.failed;
            entry->newest = newest_change(entry->files); // say it once, and try again when a file changes
            if (result.error.empty()) result.error = error.what();
            spdlog::error("reload: {}", error.what());
        }
    }
    return result;
}

} // namespace spindrift::gl
