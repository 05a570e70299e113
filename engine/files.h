// Whole files in and out: a file that was begun is either complete under its name or was never there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace spindrift {

/// Writes beside the target, flushes to the disk and renames: readers see the old content or the new, never a part.
/// A symbolic link is followed. What is no regular file (/dev/stdout, a pipe) cannot be renamed over and is written to
/// directly. Throws Error with the path and the system's reason; then the target is as it was and nothing is left
/// beside.
void write_file_atomically(const std::filesystem::path& path, std::span<const std::uint8_t> bytes);
void write_file_atomically(const std::filesystem::path& path, std::string_view text);

/// Throws the Error that write_file_atomically() would throw for a target that is a folder, lies in a folder that does
/// not exist, or in one where no file can be created: before a long run instead of after it. Changes nothing.
void check_writable(const std::filesystem::path& path);

/// Whether two names, of which either may not exist yet, lead to the same file, so that writing one would replace the
/// other. False when one is empty, and for devices such as /dev/null, which may be shared.
bool same_file(const std::filesystem::path& a, const std::filesystem::path& b);

/// The running program's own path, symbolic links resolved; empty where the system does not tell.
std::filesystem::path executable_path();

/// The whole file. Throws Error when it cannot be read, is a folder, or has more than `limit` bytes.
std::string read_file(const std::filesystem::path& path, std::size_t limit = std::size_t{64} << 20);

} // namespace spindrift
