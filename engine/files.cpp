#include "engine/files.h"

#include "engine/error.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace spindrift {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(std::string_view action, const fs::path& path, int code) {
    throw Error(fmt::format("cannot {} {}: {}", action, path.string(), std::generic_category().message(code)));
}

/// Owns a file descriptor.
class Descriptor {
public:
    explicit Descriptor(int number) noexcept : number_(number) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (number_ >= 0) ::close(number_);
    }
    int number() const noexcept { return number_; }
    bool valid() const noexcept { return number_ >= 0; }
    /// A network file system may report a full disk only here. Returns 0 or the error's number.
    int close() noexcept {
        const int result = ::close(number_);
        number_ = -1;
        return result == 0 ? 0 : errno;
    }

private:
    int number_;
};

/// Removes a temporary file unless it was renamed.
class TemporaryFile {
public:
    explicit TemporaryFile(fs::path path) : path_(std::move(path)) {}
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    ~TemporaryFile() {
        if (!path_.empty()) ::unlink(path_.c_str());
    }
    const fs::path& path() const noexcept { return path_; }
    void keep() noexcept { path_.clear(); }

private:
    fs::path path_;
};

/// Returns 0 or the error's number.
int write_all(int descriptor, std::span<const std::uint8_t> bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
        if (written < 0) {
            if (errno == EINTR) continue;
            return errno;
        }
        bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
    return 0;
}

fs::path folder_of(const fs::path& path) {
    return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

/// The file that the name leads to; a dangling link leads to the file to be made.
fs::path resolve(const fs::path& path) {
    std::error_code error;
    fs::path target = path;
    for (int links = 0; fs::is_symlink(target, error); ++links) {
        if (links == 32) fail("write", path, ELOOP);
        const fs::path next = fs::read_symlink(target, error);
        if (error) fail("write", path, error.value());
        target = next.is_absolute() ? next : folder_of(target) / next;
    }
    return target;
}

/// A new file beside `target`; its short fixed name fits wherever the target's own does.
fs::path make_temporary(const fs::path& target, const fs::path& named, int& descriptor) {
    std::string name = (folder_of(target) / ".spindrift-XXXXXX").string();
    descriptor = ::mkostemp(name.data(), O_CLOEXEC);
    if (descriptor < 0) fail("write", named, errno);
    return name;
}

/// The old file's permissions, or those of any new file: mkostemp() alone lets only the owner read.
mode_t permissions_for(const fs::path& target) {
    struct stat status {};
    if (::stat(target.c_str(), &status) == 0) return status.st_mode & 07777;
    const mode_t mask = ::umask(0);
    ::umask(mask);
    return 0666 & ~mask;
}

void write_directly(const fs::path& path, std::span<const std::uint8_t> bytes) {
    Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (!file.valid()) fail("write", path, errno);
    if (const int code = write_all(file.number(), bytes); code != 0) fail("write", path, code);
}

/// What no regular file can replace.
bool is_special(const fs::path& target) {
    struct stat status {};
    return ::stat(target.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

void check_name(const fs::path& path) {
    if (path.empty()) throw Error("cannot write a file without a name");
    std::error_code error;
    if (fs::is_directory(path, error) || !path.has_filename()) fail("write", path, EISDIR);
}

} // namespace

void write_file_atomically(const fs::path& path, std::span<const std::uint8_t> bytes) {
    check_name(path);
    if (is_special(path)) return write_directly(path, bytes);
    const fs::path target = resolve(path);
    int number = -1;
    TemporaryFile temporary(make_temporary(target, path, number));
    Descriptor file(number);
    if (const int code = write_all(file.number(), bytes); code != 0) fail("write", path, code);
    if (::fchmod(file.number(), permissions_for(target)) != 0) fail("write", path, errno);
    if (::fsync(file.number()) != 0) fail("write", path, errno);
    if (const int code = file.close(); code != 0) fail("write", path, code);
    if (::rename(temporary.path().c_str(), target.c_str()) != 0) fail("write", path, errno);
    temporary.keep();
    // The rename itself reaches the disk with its folder; a folder that cannot be opened loses only that promise.
    const Descriptor folder(::open(folder_of(target).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder.valid()) ::fsync(folder.number());
}

void write_file_atomically(const fs::path& path, std::string_view text) {
    write_file_atomically(path, std::span(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()));
}

void check_writable(const fs::path& path) {
    check_name(path);
    if (is_special(path)) {
        if (::access(path.c_str(), W_OK) != 0) fail("write", path, errno);
        return;
    }
    int number = -1;
    const TemporaryFile temporary(make_temporary(resolve(path), path, number));
    const Descriptor file(number);
}

bool same_file(const fs::path& a, const fs::path& b) {
    if (a.empty() || b.empty() || a.string().starts_with("/dev/")) return false;
    std::error_code failure; // of what cannot be looked up, reading or writing will say why
    const auto resolved = [&failure](const fs::path& path) {
        return fs::weakly_canonical(fs::absolute(path), failure);
    };
    const fs::path first = resolved(a);
    if (failure) return false;
    const fs::path second = resolved(b);
    return !failure && first == second;
}

fs::path executable_path() {
    std::error_code failure;
    fs::path path = fs::read_symlink("/proc/self/exe", failure);
    return failure ? fs::path{} : path;
}

std::string read_file(const fs::path& path, std::size_t limit) {
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file.valid()) fail("read", path, errno);
    std::string content;
    // Read by pieces and not by size: pipes and /proc have none.
    constexpr std::size_t piece = std::size_t{1} << 16;
    while (true) {
        const std::size_t used = content.size();
        content.resize(used + piece);
        const ssize_t count = ::read(file.number(), content.data() + used, piece);
        if (count < 0) {
            content.resize(used);
            if (errno == EINTR) continue;
            fail("read", path, errno);
        }
        content.resize(used + static_cast<std::size_t>(count));
        if (content.size() > limit)
            throw Error(fmt::format("cannot read {}: it has more than {} bytes, the limit for this kind of file",
                                    path.string(), limit));
        if (count == 0) return content;
    }
}

} // namespace spindrift
