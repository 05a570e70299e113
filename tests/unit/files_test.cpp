// Atomic writing: the target is whole or untouched, and nothing is left beside it.
#include "engine/error.h"
#include "engine/files.h"

#include <csignal>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace spindrift {
namespace {

namespace fs = std::filesystem;

class Files : public ::testing::Test {
protected:
    void SetUp() override {
        folder_ = fs::path(::testing::TempDir()) / ("spindrift files ü " + std::to_string(::getpid()));
        fs::remove_all(folder_);
        fs::create_directories(folder_);
    }
    void TearDown() override { fs::remove_all(folder_); }

    std::size_t entries() const {
        return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator{}));
    }
    static std::string failure(const fs::path& path, std::string_view text = "x") {
        try {
            write_file_atomically(path, text);
        } catch (const Error& error) {
            EXPECT_EQ(error.exit_code(), ExitCode::runtime_failure);
            EXPECT_NE(std::string(error.what()).find(path.string()), std::string::npos) << "the path is named";
            return error.what();
        }
        return {};
    }

    fs::path folder_;
};

TEST_F(Files, WritesAndReplaces) {
    const fs::path path = folder_ / "report of today.json";
    write_file_atomically(path, "old");
    write_file_atomically(path, "new and longer");
    EXPECT_EQ(read_file(path), "new and longer");
    write_file_atomically(path, std::string_view{});
    EXPECT_EQ(read_file(path), "");
    EXPECT_EQ(entries(), 1u);
}

TEST_F(Files, KeepsPermissionsAndFollowsLinks) {
    const fs::path path = folder_ / "target", link = folder_ / "link";
    write_file_atomically(path, "1");
    fs::permissions(path, static_cast<fs::perms>(0640));
    fs::create_symlink("target", link);
    write_file_atomically(link, "2");
    EXPECT_TRUE(fs::is_symlink(link));
    EXPECT_EQ(read_file(path), "2");
    EXPECT_EQ(static_cast<int>(fs::status(path).permissions()), 0640);
    fs::create_symlink("made later", folder_ / "dangling");
    write_file_atomically(folder_ / "dangling", "3");
    EXPECT_EQ(read_file(folder_ / "made later"), "3");
    EXPECT_EQ(entries(), 4u);
}

TEST_F(Files, ANameAsLongAsTheFileSystemAllows) {
    write_file_atomically(folder_ / std::string(255, 'n'), "x");
    EXPECT_NE(failure(folder_ / std::string(256, 'n')).find("too long"), std::string::npos);
    EXPECT_EQ(entries(), 1u);
}

TEST_F(Files, WhenTheDiskIsFullTheOldFileStaysAndNothingIsLeftBeside) {
    const fs::path path = folder_ / "report.json";
    write_file_atomically(path, "old");
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    rlimit small = before;
    small.rlim_cur = 1000; // the same path through the code as a full disk: write() stops part-way
    const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    const std::string message = failure(path, std::string(100'000, 'x'));
    ::setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, old_handler);
    EXPECT_NE(message.find("File too large"), std::string::npos) << message;
    EXPECT_EQ(read_file(path), "old");
    EXPECT_EQ(entries(), 1u);
    EXPECT_NE(failure("/dev/full").find("No space left on device"), std::string::npos);
    EXPECT_TRUE(fs::is_character_file("/dev/full")) << "a device is written to, never replaced";
}

TEST_F(Files, PlacesThatCannotBeWrittenAreNamed) {
    const fs::path file = folder_ / "file";
    write_file_atomically(file, "x");
    EXPECT_NE(failure(folder_).find("Is a directory"), std::string::npos);
    EXPECT_NE(failure(folder_ / "missing" / "report.json").find("No such file or directory"), std::string::npos);
    EXPECT_NE(failure(file / "report.json").find("Not a directory"), std::string::npos);
    EXPECT_NE(failure("/proc/spindrift.json"), "");
    EXPECT_THROW(write_file_atomically("", "x"), Error);
    for (const fs::path& bad : {folder_, folder_ / "missing" / "report.json", file / "report.json"})
        EXPECT_THROW(check_writable(bad), Error) << bad;
    EXPECT_EQ(entries(), 1u);
}

TEST_F(Files, CheckingChangesNothing) {
    check_writable(folder_ / "report.json");
    EXPECT_EQ(entries(), 0u);
    write_file_atomically(folder_ / "report.json", "old");
    check_writable(folder_ / "report.json");
    EXPECT_EQ(read_file(folder_ / "report.json"), "old");
    EXPECT_EQ(entries(), 1u);
    check_writable("/dev/null");
}

TEST_F(Files, AFolderWithoutPermission) {
    if (::geteuid() == 0) GTEST_SKIP() << "the superuser may write everywhere";
    fs::permissions(folder_, fs::perms::owner_read | fs::perms::owner_exec);
    EXPECT_NE(failure(folder_ / "report.json").find("Permission denied"), std::string::npos);
    EXPECT_THROW(check_writable(folder_ / "report.json"), Error);
    fs::permissions(folder_, fs::perms::owner_all);
}

TEST_F(Files, ReadingHasALimit) {
    const fs::path path = folder_ / "big";
    write_file_atomically(path, std::string(200'000, 'b'));
    EXPECT_EQ(read_file(path, 200'000).size(), 200'000u);
    EXPECT_THROW(read_file(path, 199'999), Error);
    EXPECT_THROW(read_file(folder_), Error);
    EXPECT_FALSE(read_file("/proc/self/status").empty()) << "a file that claims to have no bytes";
}

TEST_F(Files, NamesOfTheSameFile) {
    write_file_atomically(folder_ / "file", "x");
    fs::create_symlink("file", folder_ / "link");
    EXPECT_TRUE(same_file(folder_ / "file", folder_ / "." / "file"));
    EXPECT_TRUE(same_file(folder_ / "link", folder_ / "file"));
    EXPECT_TRUE(same_file(folder_ / "not yet", folder_ / "nowhere" / ".." / "not yet"));
    EXPECT_TRUE(same_file("relative.png", fs::current_path() / "relative.png"));
    EXPECT_FALSE(same_file(folder_ / "file", folder_ / "other"));
    EXPECT_FALSE(same_file("/dev/null", "/dev/null"));
    EXPECT_FALSE(same_file("", ""));
    fs::create_symlink("loop", folder_ / "loop");
    EXPECT_FALSE(same_file(folder_ / "loop", folder_ / "file"));
}

} // namespace
} // namespace spindrift
