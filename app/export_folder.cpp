#include "app/export_folder.h"

#include "engine/error.h"
#include "engine/files.h"

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstdlib>
#include <fmt/format.h>
#include <set>
#include <sys/stat.h>
#include <system_error>

namespace spindrift {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view description_name = "transform.json";

[[noreturn]] void refuse(const fs::path& folder, const std::string& reason) {
    throw Error(fmt::format("--out {}: {}", folder.string(), reason));
}

void check(const std::error_code& failure, const fs::path& folder, const char* what) {
    if (failure) refuse(folder, fmt::format("{}: {}", what, failure.message()));
}

/// A folder that is removed with what is in it, unless it was given its name.
class StagingFolder {
public:
    /// `named` is what an Error speaks of.
    StagingFolder(const fs::path& parent, const fs::path& named) {
        std::string name = (parent / ".spindrift-export-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) check({errno, std::generic_category()}, named, "cannot write there");
        path_ = name;
    }
    StagingFolder(const StagingFolder&) = delete;
    StagingFolder& operator=(const StagingFolder&) = delete;
    ~StagingFolder() {
        std::error_code failure; // of what is already gone
        if (!path_.empty()) fs::remove_all(path_, failure);
    }

    const fs::path& path() const noexcept { return path_; }

    void become(const fs::path& folder, const fs::path& named) {
        const mode_t mask = ::umask(0);
        ::umask(mask);
        ::chmod(path_.c_str(), 0777 & ~mask); // mkdtemp() lets only the owner in
        std::error_code failure;
        fs::rename(path_, folder, failure);
        check(failure, named, "cannot be made a folder");
        path_.clear();
    }

private:
    fs::path path_;
};

/// Without the separator at the end, behind which std::filesystem sees an empty name.
fs::path without_separator(const fs::path& folder) {
    const fs::path plain = fs::absolute(folder).lexically_normal();
    return plain.has_filename() ? plain : plain.parent_path();
}

void replace_files(const fs::path& staging, const fs::path& folder, std::span<const ExportedFile> files,
                   const fs::path& named) {
    std::set<std::string_view> written;
    for (const ExportedFile& file : files) written.insert(file.name);
    std::error_code failure;
    fs::remove(folder / description_name, failure);
    check(failure, named, "cannot remove transform.json");
    for (const std::string_view name : export_file_names)
        if (!written.contains(name)) {
            fs::remove(folder / name, failure);
            check(failure, named, "cannot remove what an earlier export left");
        }
    for (const ExportedFile& file : files) {
        fs::rename(staging / file.name, folder / file.name, failure);
        check(failure, named, "cannot write there");
    }
}

} // namespace

std::vector<ExportedFile> export_files(const ExportedTransform& transform) {
    std::vector<ExportedFile> files;
    for (const ExportedPass& pass : transform.passes) {
        const auto known =
            std::find_if(files.begin(), files.end(), [&](const ExportedFile& file) { return file.name == pass.file; });
        assert(known == files.end() || known->bytes == pass.shader); // the stages of an axis share one shader
        if (known == files.end()) files.push_back({pass.file, pass.shader});
    }
    const char* table_names[] = {"twiddles.bin", "twiddles_2.bin"};
    for (std::size_t index = 0; index < 2; ++index) {
        const std::vector<float>& table = transform.tables[index];
        if (table.empty()) continue;
        files.push_back({table_names[index],
                         std::string(reinterpret_cast<const char*>(table.data()), table.size() * sizeof(float))});
    }
    files.push_back({"example.c", export_example(transform)});
    files.push_back({std::string(description_name), export_json(transform).dump(2) + "\n"});
    return files;
}

void check_export_folder(const fs::path& folder, bool force) {
    std::error_code failure;
    const fs::file_status status = fs::status(folder, failure);
    if (status.type() == fs::file_type::not_found) return;
    check(failure, folder, "cannot be looked at");
    if (!fs::is_directory(status)) refuse(folder, "is no folder");
    const bool empty = fs::is_empty(folder, failure);
    check(failure, folder, "cannot be looked at");
    if (!empty && !force)
        refuse(folder, "the folder has files in it; --force replaces those of an earlier export, and no others");
    for (const std::string_view name : export_file_names)
        if (fs::is_directory(folder / name, failure))
            refuse(folder, fmt::format("{} is a folder there, and would be a file of the export", name));
}

void write_export(const fs::path& folder, std::span<const ExportedFile> files, bool force) {
    assert(!files.empty() && files.back().name == description_name);
    check_export_folder(folder, force);
    const fs::path target = without_separator(folder);
    std::error_code failure;
    const bool is_new = !fs::exists(target, failure);
    if (is_new) fs::create_directories(target.parent_path(), failure);
    check(failure, folder, "cannot be made a folder");
    StagingFolder staging(is_new ? target.parent_path() : target, folder);
    try {
        for (const ExportedFile& file : files) write_file_atomically(staging.path() / file.name, file.bytes);
    } catch (const Error& error) {
        refuse(folder, error.what());
    }
    if (is_new)
        staging.become(target, folder);
    else
        replace_files(staging.path(), target, files, folder);
}

} // namespace spindrift
