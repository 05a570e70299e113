// The folder that `spindrift export` fills: a whole export or none.
#pragma once

#include "app/kernel_export.h"

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace spindrift {

/// Every name that an export may write, in any of its forms.
inline constexpr std::string_view export_file_names[] = {"horizontal.comp", "vertical.comp", "twiddles.bin",
                                                         "twiddles_2.bin",  "example.c",     "transform.json"};

struct ExportedFile {
    std::string name; ///< one of export_file_names
    std::string bytes;
};

/// All files of the folder, transform.json last.
std::vector<ExportedFile> export_files(const ExportedTransform& transform);

/// Throws Error when write_export() would: `folder` is no folder, or has anything in it and `force` is not given, or
/// has a folder where a file is to be.
void check_export_folder(const std::filesystem::path& folder, bool force);

/// Makes `folder` when it does not exist. All files are written first, beside it when it is new and inside it
/// otherwise, so that a full disk leaves things as they were. Then a new folder gets its name in one step. In one that
/// exists, transform.json goes, then what is left of an earlier export under export_file_names, and the new files get
/// their names one by one, transform.json last: a folder without it holds no complete export. Other files are not
/// touched. Throws Error.
void write_export(const std::filesystem::path& folder, std::span<const ExportedFile> files, bool force);

} // namespace spindrift
