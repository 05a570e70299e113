#include "engine/gl/program_build.h"

#include "engine/error.h"
#include "engine/gl/gl.h"

#include <algorithm>
#include <cassert>
#include <fmt/format.h>

namespace spindrift::gl {
namespace {

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

} // namespace

ProgramBuild::ProgramBuild(std::span<const ExpandedSource> stages, const ProgramRecipe& recipe)
    : recipe_(recipe), program_(glCreateProgram()) {
    assert(stages.size() == recipe.stages.size());
    for (std::size_t index = 0; index < stages.size(); ++index) {
        files_.push_back(stages[index].files);
        const GLuint shader = shaders_.emplace_back(recipe.stages[index].kind).name();
        const char* text = stages[index].text.c_str();
        glShaderSource(shader, 1, &text, nullptr);
        glCompileShader(shader);
        // Asking for the status would wait for a compiler thread.
        if (!in_background()) check_stages();
        glAttachShader(program_.name(), shader);
    }
    // Always, although only a library with a cache asks for it: programs that are built alike can be the same ones to a
    // driver's own cache, whichever process builds them.
    glProgramParameteri(program_.name(), GL_PROGRAM_BINARY_RETRIEVABLE_HINT, GL_TRUE);
    glLinkProgram(program_.name());
}

ProgramBuild::Shader::Shader(Stage::Kind kind) : name_(glCreateShader(static_cast<GLenum>(kind))) {}

ProgramBuild::Shader::~Shader() {
    glDeleteShader(name_);
}

bool ProgramBuild::in_background() {
    return GLAD_GL_KHR_parallel_shader_compile != 0;
}

void ProgramBuild::ask_for_threads() {
    constexpr GLuint as_many_as_it_likes = 0xFFFFFFFF;
    if (in_background()) glMaxShaderCompilerThreadsKHR(as_many_as_it_likes);
}

bool ProgramBuild::finished() const {
    if (!in_background()) return true;
    GLint done = GL_TRUE;
    glGetProgramiv(program_.name(), GL_COMPLETION_STATUS_KHR, &done);
    return done == GL_TRUE;
}

void ProgramBuild::check_stages() const {
    for (std::size_t index = 0; index < shaders_.size(); ++index) {
        GLint compiled = GL_FALSE;
        glGetShaderiv(shaders_[index].name(), GL_COMPILE_STATUS, &compiled);
        if (compiled != GL_TRUE)
            throw Error(fmt::format("shader {} does not compile:\n{}", recipe_.stages[index].path,
                                    name_files_in_log(shader_log(shaders_[index].name()), files_[index])));
    }
}

Program ProgramBuild::take() {
    assert(program_.name() != 0 && "taken already");
    check_stages();
    GLint linked = GL_FALSE;
    glGetProgramiv(program_.name(), GL_LINK_STATUS, &linked);
    if (linked != GL_TRUE)
        throw Error(fmt::format("program {}does not link:\n{}", recipe_.key(), program_log(program_.name())));
    for (const Shader& shader : shaders_) glDetachShader(program_.name(), shader.name());
    program_.finish_link(recipe_);
    return std::move(program_);
}

} // namespace spindrift::gl
