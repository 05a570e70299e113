// Linked programs, and the library that builds each variant once and reloads it when its files change.
#pragma once

#include "engine/gl/object.h"
#include "engine/gl/program_cache.h"
#include "engine/gl/shader_source.h"

#include <array>
#include <filesystem>
#include <glm/fwd.hpp>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace spindrift::gl {

struct Stage {
    enum class Kind : std::uint32_t { vertex = 0x8B31, fragment = 0x8B30, compute = 0x91B9 };
    Kind kind;
    std::string path; ///< below shaders/
};

/// Everything that a program is made from; two equal recipes are the same program.
struct ProgramRecipe {
    std::vector<Stage> stages;
    Defines defines;

    static ProgramRecipe compute(std::string path, Defines defines = {});
    static ProgramRecipe graphics(std::string vertex_path, std::string fragment_path, Defines defines = {});
    std::string key() const; ///< readable, unique
    /// The text of each stage, in order. Throws Error when a file cannot be found.
    std::vector<ExpandedSource> expand(const ShaderSources& sources) const;
};

class ProgramBuild;

class Program : public Object<ObjectKind::program> {
public:
    explicit Program(NoCreate) noexcept {}
    /// Compiles and links. Throws Error with the driver's log, file names in place of source numbers.
    Program(const ShaderSources& sources, const ProgramRecipe& recipe);
    /// The same from expanded stages, in the recipe's order.
    Program(std::span<const ExpandedSource> stages, const ProgramRecipe& recipe);
    /// From what an equal program's binary() gave; nullopt when the driver refuses it, as it may at any time.
    static std::optional<Program> from_binary(const ProgramBinary& binary, const ProgramRecipe& recipe);
    /// No bytes when the driver gives none.
    ProgramBinary binary() const;

    void use() const;

    /// Explicit uniform locations: `layout(location = n) uniform`. A location that the compiler removed is ignored.
    void set(int location, int value) const;
    void set(int location, unsigned value) const;
    void set(int location, float value) const;
    void set(int location, const glm::vec2& value) const;
    void set(int location, const glm::vec3& value) const;
    void set(int location, const glm::vec4& value) const;
    void set(int location, const glm::mat4& value) const;

    /// Work group of a compute program; zeros for graphics programs.
    const std::array<int, 3>& local_size() const noexcept { return local_size_; }
    /// Uses the program and dispatches at least this many invocations, rounded up to whole work groups, so kernels must
    /// guard their loads and stores unless the counts are multiples of local_size(). Throws Error beyond the device's
    /// group count limit.
    void dispatch(int invocations_x, int invocations_y = 1, int invocations_z = 1) const;
    void dispatch_groups(int groups_x, int groups_y = 1, int groups_z = 1) const;

private:
    friend class ProgramBuild;
    explicit Program(Name name);
    void finish_link(const ProgramRecipe& recipe);

    std::array<int, 3> local_size_{};
};

/// Builds programs on demand and keeps them: asking again for an equal recipe costs a look-up.
/// References stay valid for the library's life; a reload replaces a program's content in place.
class ProgramLibrary {
public:
    /// With a cache, programs that it has are loaded and others are stored in it once they are compiled.
    explicit ProgramLibrary(ShaderSources sources, std::shared_ptr<ProgramCache> cache = nullptr);

    ProgramLibrary(ProgramLibrary&&) noexcept;
    ProgramLibrary& operator=(ProgramLibrary&&) = delete;
    ~ProgramLibrary();

    /// Throws Error when the program cannot be built.
    Program& get(const ProgramRecipe& recipe);

    /// Whether get() has built it.
    bool contains(const ProgramRecipe& recipe) const { return entries_.contains(recipe.key()); }

    /// For a program that must not hold up a frame: begins to build it, and is called again until it returns true; then
    /// get() waits for no compiler. Where the driver builds nothing in the background it returns true at once, and
    /// get() takes as long as ever. Throws Error when a file cannot be found; what does not compile is get()'s to tell.
    bool prepare(const ProgramRecipe& recipe);

    /// Rebuilds every program whose files changed on disk (or all of them); the last good program stays in use when the
    /// new text does not compile. Does nothing for embedded sources unless `all`. Never takes a program from the cache.
    struct ReloadResult {
        int rebuilt = 0;
        int failed = 0;
        std::string error; ///< first failure's log, empty when none
    };
    ReloadResult reload(bool all = false);

    const ShaderSources& sources() const noexcept { return sources_; }
    std::size_t program_count() const noexcept { return entries_.size(); }
    /// Programs compiled since the library was made: constant once every variant in use is built.
    std::uint64_t compile_count() const noexcept { return compile_count_; }
    /// Programs taken from the cache in place of compiling them.
    std::uint64_t cache_hits() const noexcept { return cache_hits_; }

private:
    struct Entry {
        ProgramRecipe recipe;
        Program program{no_create};
        std::vector<std::string> files;
        std::filesystem::file_time_type newest{};
    };
    /// A program that the driver is building in the background.
    struct Pending;
    std::vector<ExpandedSource> expand(Entry& entry) const;
    std::filesystem::file_time_type newest_change(const std::vector<std::string>& files) const;
    enum class Lookup { cache_first, compile };
    void build(Entry& entry, Lookup lookup);
    std::optional<Program> find_in_cache(const std::string& key, const ProgramRecipe& recipe);

    ShaderSources sources_;
    std::shared_ptr<ProgramCache> cache_;
    std::map<std::string, std::unique_ptr<Entry>> entries_;
    std::map<std::string, std::unique_ptr<Pending>> pending_;
    std::uint64_t compile_count_ = 0;
    std::uint64_t cache_hits_ = 0;
};

} // namespace spindrift::gl
