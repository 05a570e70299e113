// A program between glLinkProgram and its first use: the driver may build it on threads of its own meanwhile.
#pragma once

#include "engine/gl/program.h"

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace spindrift::gl {

/// Compiles and links without asking how it went, because an answer would have to be waited for. Destroyed before
/// take(), it leaves nothing behind.
class ProgramBuild {
public:
    /// `stages` are the recipe's, in its order.
    ProgramBuild(std::span<const ExpandedSource> stages, const ProgramRecipe& recipe);
    ProgramBuild(const ProgramBuild&) = delete;
    ProgramBuild& operator=(const ProgramBuild&) = delete;

    /// True when take() does not wait for a compiler. Never waits; always true where the driver cannot tell.
    bool finished() const;
    /// Waits for the driver; once. Throws Error with the driver's log, file names in place of source numbers.
    Program take();

    /// Whether this context's driver builds programs in the background (GL_KHR_parallel_shader_compile).
    static bool in_background();
    /// Asks it for as many threads as it likes; some drivers build in the foreground until they are asked.
    static void ask_for_threads();

private:
    /// Deleted on every way out.
    class Shader {
    public:
        explicit Shader(Stage::Kind kind);
        Shader(Shader&& other) noexcept : name_(std::exchange(other.name_, 0)) {}
        Shader& operator=(Shader&&) = delete;
        ~Shader();
        Name name() const noexcept { return name_; }

    private:
        Name name_;
    };

    void check_stages() const;

    ProgramRecipe recipe_;
    std::vector<std::vector<std::string>> files_; ///< of each stage, for messages
    std::vector<Shader> shaders_;                 ///< parallel to the recipe's stages
    Program program_;
};

} // namespace spindrift::gl
