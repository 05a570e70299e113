// How benchmarks end: reasons said once, faults one by one, files and the exit code.
#include "app/commands/bench_output.h"
#include "engine/error.h"
#include "engine/files.h"

#include <filesystem>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace spindrift {
namespace {

namespace fs = std::filesystem;

TEST(BenchOutput, EachReasonStandsOnceWithAllThatItConcerns) {
    const BenchFailure failures[] = {{"cufft vec2 16", "no CUDA", true},
                                     {"tuned vec4 32", "rel L2 is 0.5", false},
                                     {"tuned vec4 8192", "size is 8192; too large", true},
                                     {"cufft vec4 16", "no CUDA", true},
                                     {"cufft vec2 16", "no CUDA", true},
                                     {"tuned vec4 64", "rel L2 is 0.5", false}};
    EXPECT_EQ(failures_text(failures), "not run: no CUDA\n"
                                       "  cufft vec2 16, cufft vec4 16\n"
                                       "not run: size is 8192; too large\n"
                                       "  tuned vec4 8192\n"
                                       "FAILED tuned vec4 32: rel L2 is 0.5\n"
                                       "FAILED tuned vec4 64: rel L2 is 0.5\n");
    EXPECT_EQ(failures_text({}), "");
}

TEST(BenchOutput, WritesItsFilesAndFailsForFaultsOnly) {
    const fs::path folder = fs::temp_directory_path() / fmt::format("spindrift-bench-output-{}", getpid());
    fs::create_directories(folder);
    const BenchFiles files{.json = folder / "b.json", .csv = folder / "b.csv", .markdown = folder / "b.md"};
    const TextTable table{"Title", {"name", "value"}, {{"a", "1"}}, "Note."};
    const BenchFailure unavailable[] = {{"cufft 16", "no CUDA", true}};
    const BenchFailure fault[] = {{"cufft 16", "no CUDA", true}, {"tuned 16", "wrong", false}};
    ::testing::internal::CaptureStdout();
    EXPECT_EQ(finish_bench(files, table, {{"schema", "x"}}, "Source.", unavailable), 0);
    EXPECT_EQ(::testing::internal::GetCapturedStdout(),
              "Title\nname  value\na         1\nNote.\nSource.\nnot run: no CUDA\n  cufft 16\n");
    EXPECT_EQ(read_file(files.json), "{\n  \"schema\": \"x\"\n}\n");
    EXPECT_EQ(read_file(files.csv), "name,value\na,1\n");
    EXPECT_NE(read_file(files.markdown).find("Note.\n\nSource.\n"), std::string::npos);
    ::testing::internal::CaptureStdout();
    EXPECT_EQ(finish_bench({}, table, {}, "Source.", fault), static_cast<int>(ExitCode::runtime_failure));
    EXPECT_NE(::testing::internal::GetCapturedStdout().find("FAILED tuned 16: wrong"), std::string::npos);
    fs::remove_all(folder);
    EXPECT_THROW(check_bench({.json = folder / "gone" / "b.json"}, true), Error);
    EXPECT_NO_THROW(check_bench({}, true));
}

} // namespace
} // namespace spindrift
