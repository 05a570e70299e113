// The folder of an export: whole or not at all, and nobody else's files.
#include "app/export_folder.h"
#include "engine/error.h"
#include "engine/files.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <set>
#include <unistd.h>

namespace spindrift {
namespace {

namespace fs = std::filesystem;

class ExportFolder : public ::testing::Test {
protected:
    void SetUp() override {
        base_ = fs::temp_directory_path() / fmt::format("spindrift-export-test-{}", getpid());
        fs::remove_all(base_);
        fs::create_directories(base_);
    }
    void TearDown() override {
        fs::permissions(base_, fs::perms::owner_all);
        fs::remove_all(base_);
    }

    static std::set<std::string> names_in(const fs::path& folder) {
        std::set<std::string> names;
        for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename().string());
        return names;
    }

    static std::string message_of(const fs::path& folder, const std::vector<ExportedFile>& files, bool force) {
        try {
            write_export(folder, files, force);
        } catch (const Error& error) {
            EXPECT_EQ(error.exit_code(), ExitCode::runtime_failure);
            return error.what();
        }
        return {};
    }

    const std::vector<ExportedFile> large_{
        {"horizontal.comp", "h"}, {"twiddles_2.bin", "t2"}, {"example.c", "c"}, {"transform.json", "{}"}};
    const std::vector<ExportedFile> small_{{"horizontal.comp", "new"}, {"transform.json", "[]"}};
    fs::path base_;
};

TEST_F(ExportFolder, ANewOneIsWholeAndNothingIsLeftBesideIt) {
    const fs::path folder = base_ / "a" / "b";
    write_export(folder.string() + "/", large_, false);
    EXPECT_EQ(names_in(folder),
              (std::set<std::string>{"horizontal.comp", "twiddles_2.bin", "example.c", "transform.json"}));
    EXPECT_EQ(names_in(folder.parent_path()), (std::set<std::string>{"b"}));
    EXPECT_EQ(read_file(folder / "horizontal.comp"), "h");
    EXPECT_NE(fs::status(folder).permissions() & fs::perms::owner_exec, fs::perms::none);
}

TEST_F(ExportFolder, FilesInItAreRefusedAndWithForceOnlyThoseOfAnExportGo) {
    const fs::path folder = base_ / "kit";
    write_export(folder, large_, false);
    write_file_atomically(folder / "notes.txt", std::string_view("mine"));
    EXPECT_NE(message_of(folder, small_, false).find("--force"), std::string::npos);
    EXPECT_EQ(read_file(folder / "horizontal.comp"), "h");
    write_export(folder, small_, true);
    EXPECT_EQ(names_in(folder), (std::set<std::string>{"horizontal.comp", "transform.json", "notes.txt"}));
    EXPECT_EQ(read_file(folder / "horizontal.comp"), "new");
    EXPECT_EQ(read_file(folder / "notes.txt"), "mine");
    fs::create_directories(base_ / "empty");
    write_export(base_ / "empty", small_, false);
    EXPECT_EQ(names_in(base_ / "empty"), (std::set<std::string>{"horizontal.comp", "transform.json"}));
}

TEST_F(ExportFolder, WhatFailsLeavesTheOldExportAndNoPartOfTheNew) {
    const fs::path folder = base_ / "kit";
    write_export(folder, large_, false);
    const std::vector<ExportedFile> unwritable{
        {"horizontal.comp", "new"}, {"no/such.comp", ""}, {"transform.json", ""}};
    EXPECT_TRUE(message_of(folder, unwritable, true).starts_with("--out " + folder.string()));
    EXPECT_EQ(names_in(folder),
              (std::set<std::string>{"horizontal.comp", "twiddles_2.bin", "example.c", "transform.json"}));
    EXPECT_EQ(read_file(folder / "horizontal.comp"), "h");
    EXPECT_NE(message_of(base_ / "other", unwritable, true), "");
    EXPECT_EQ(names_in(base_), (std::set<std::string>{"kit"}));
    // A folder in the way is seen before anything is removed.
    fs::remove(folder / "example.c");
    fs::create_directories(folder / "example.c" / "inside");
    EXPECT_NE(message_of(folder, large_, true).find("example.c"), std::string::npos);
    EXPECT_TRUE(fs::exists(folder / "transform.json"));
    write_file_atomically(base_ / "file", std::string_view("x"));
    EXPECT_NE(message_of(base_ / "file", large_, true).find("no folder"), std::string::npos);
}

TEST_F(ExportFolder, HoldsEveryFileThatAnExportCanHave) {
    ExportedTransform transform;
    for (const char* axis : {"horizontal", "horizontal", "vertical"}) { // two stages of one axis
        ExportedPass& pass = transform.passes.emplace_back();
        pass.file = fmt::format("{}.comp", axis);
        pass.shader = axis;
    }
    transform.tables[0] = transform.tables[1] = {1.0F, 0.0F};
    std::set<std::string_view> names;
    const std::vector<ExportedFile> files = export_files(transform);
    for (const ExportedFile& file : files) names.insert(file.name);
    EXPECT_EQ(files.size(), names.size());
    EXPECT_EQ(names, std::set<std::string_view>(std::begin(export_file_names), std::end(export_file_names)));
    EXPECT_EQ(files.back().name, "transform.json");
    EXPECT_EQ(files[2].bytes.size(), 8U);
}

} // namespace
} // namespace spindrift
