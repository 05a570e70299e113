#include "engine/gl/program.h"

#include "engine/error.h"
#include "engine/gl/gl.h"
#include "engine/gl/program_build.h"

#include <algorithm>
#include <cassert>
#include <fmt/format.h>
#include <glm/gtc/type_ptr.hpp>
#include <glm/mat4x4.hpp>
#include <spdlog/spdlog.h>

namespace spindrift::gl {
namespace {

bool is_linked(GLuint program) {
    GLint linked = GL_FALSE;
    glGetProgramiv(program, GL_LINK_STATUS, &linked);
    return linked == GL_TRUE;
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

std::vector<ExpandedSource> ProgramRecipe::expand(const ShaderSources& sources) const {
    std::vector<ExpandedSource> expanded;
    for (const Stage& stage : stages) expanded.push_back(sources.expand(stage.path, defines));
    return expanded;
}

Program::Program(Name name) : Object(name, Ownership::owned) {}

Program::Program(const ShaderSources& sources, const ProgramRecipe& recipe) : Program(recipe.expand(sources), recipe) {}

Program::Program(std::span<const ExpandedSource> stages, const ProgramRecipe& recipe)
    : Program(ProgramBuild(stages, recipe).take()) {}

std::optional<Program> Program::from_binary(const ProgramBinary& binary, const ProgramRecipe& recipe) {
    Program program(glCreateProgram());
    glProgramBinary(program.name(), binary.format, binary.bytes.data(), static_cast<GLsizei>(binary.bytes.size()));
    if (!is_linked(program.name())) return std::nullopt;
    program.finish_link(recipe);
    return program;
}

ProgramBinary Program::binary() const {
    GLint size = 0;
    glGetProgramiv(name(), GL_PROGRAM_BINARY_LENGTH, &size);
    ProgramBinary binary;
    if (size <= 0) return binary;
    binary.bytes.resize(static_cast<std::size_t>(size));
    GLsizei written = 0;
    GLenum format = 0;
    glGetProgramBinary(name(), size, &written, &format, binary.bytes.data());
    binary.bytes.resize(static_cast<std::size_t>(std::clamp(written, 0, size)));
    binary.format = format;
    return binary;
}

void Program::finish_link(const ProgramRecipe& recipe) {
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

ProgramLibrary::ProgramLibrary(ShaderSources sources, std::shared_ptr<ProgramCache> cache)
    : sources_(std::move(sources)), cache_(std::move(cache)) {
    ProgramBuild::ask_for_threads();
    if (cache_ != nullptr && !cache_->usable()) {
        spdlog::debug("shader cache: not used: the driver has no format for program binaries");
        cache_.reset();
    }
}

struct ProgramLibrary::Pending {
    std::unique_ptr<Entry> entry;
    std::string cache_key;
    ProgramBuild build;
};

ProgramLibrary::ProgramLibrary(ProgramLibrary&&) noexcept = default;
ProgramLibrary::~ProgramLibrary() = default;

Program& ProgramLibrary::get(const ProgramRecipe& recipe) {
    const std::string key = recipe.key();
    if (const auto found = entries_.find(key); found != entries_.end()) return found->second->program;
    if (auto pending = pending_.extract(key); !pending.empty()) {
        Pending& begun = *pending.mapped();
        begun.entry->program = begun.build.take();
        if (cache_ != nullptr) cache_->store(begun.cache_key, begun.entry->program.binary());
        return entries_.emplace(key, std::move(begun.entry)).first->second->program;
    }
    auto entry = std::make_unique<Entry>();
    entry->recipe = recipe;
    build(*entry, Lookup::cache_first);
    return entries_.emplace(key, std::move(entry)).first->second->program;
}

bool ProgramLibrary::prepare(const ProgramRecipe& recipe) {
    const std::string key = recipe.key();
    if (entries_.contains(key)) return true;
    if (const auto found = pending_.find(key); found != pending_.end()) return found->second->build.finished();
    if (!ProgramBuild::in_background()) return true;
    auto entry = std::make_unique<Entry>();
    entry->recipe = recipe;
    const std::vector<ExpandedSource> stages = expand(*entry);
    const std::string cache_key = cache_ == nullptr ? std::string() : cache_->key_of(recipe, stages);
    if (std::optional<Program> program = find_in_cache(cache_key, recipe)) {
        entry->program = std::move(*program);
        entries_.emplace(key, std::move(entry));
        return true;
    }
    ++compile_count_;
    pending_.emplace(key, std::unique_ptr<Pending>(new Pending{std::move(entry), cache_key, {stages, recipe}}));
    return false;
}

/// Once for a build: a file that is saved meanwhile must not put an old text's program under the new text's key.
std::vector<ExpandedSource> ProgramLibrary::expand(Entry& entry) const {
    std::vector<ExpandedSource> stages = entry.recipe.expand(sources_);
    entry.files.clear();
    for (const ExpandedSource& stage : stages)
        entry.files.insert(entry.files.end(), stage.files.begin(), stage.files.end());
    entry.newest = newest_change(entry.files);
    return stages;
}

void ProgramLibrary::build(Entry& entry, Lookup lookup) {
    const std::vector<ExpandedSource> stages = expand(entry);
    const std::string key = cache_ == nullptr ? std::string() : cache_->key_of(entry.recipe, stages);
    if (lookup == Lookup::cache_first)
        if (std::optional<Program> program = find_in_cache(key, entry.recipe)) {
            entry.program = std::move(*program);
            return;
        }
    ++compile_count_;
    Program program(stages, entry.recipe);
    if (cache_ != nullptr) cache_->store(key, program.binary());
    entry.program = std::move(program);
}

std::optional<Program> ProgramLibrary::find_in_cache(const std::string& key, const ProgramRecipe& recipe) {
    if (cache_ == nullptr) return std::nullopt;
    const std::optional<ProgramBinary> binary = cache_->find(key);
    if (!binary) return std::nullopt;
    std::optional<Program> program = Program::from_binary(*binary, recipe);
    if (program)
        ++cache_hits_;
    else
        spdlog::debug("shader cache: {} is ignored: the driver refuses it", cache_->path_of(key).string());
    return program;
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
    // What the driver is building from an old text is nobody's yet: prepare() begins anew.
    std::erase_if(pending_, [&](const auto& begun) {
        const Entry& entry = *begun.second->entry;
        return all || newest_change(entry.files) != entry.newest;
    });
    for (auto& [key, entry] : entries_) {
        if (!all && newest_change(entry->files) == entry->newest) continue;
        try {
            build(*entry, Lookup::compile);
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
