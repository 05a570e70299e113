// Programs in processes of their own: what they say, how they end, and that nothing waits for them.
#include "engine/error.h"
#include "engine/platform/child_process.h"

#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <thread>
#include <unistd.h>

namespace spindrift {
namespace {

using platform::ChildProcess;
using platform::ProcessEnd;
using Clock = std::chrono::steady_clock;

std::vector<std::string> shell(const std::string& script) {
    return {"/bin/sh", "-c", script};
}

struct Outcome {
    std::vector<std::string> lines;
    std::string errors;
    std::optional<ProcessEnd> end; ///< empty: it has not ended in a minute
};

Outcome run(const std::vector<std::string>& command) {
    ChildProcess process(command);
    Outcome outcome;
    for (const auto start = Clock::now(); !outcome.end && Clock::now() - start < std::chrono::minutes(1);) {
        for (std::string& line : process.read_lines()) outcome.lines.push_back(std::move(line));
        outcome.end = process.end();
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    outcome.errors = process.error_output();
    return outcome;
}

TEST(ChildProcess, SaysLinesAndEnds) {
    const Outcome outcome = run(shell("echo one; echo; printf 'two\\nwithout an end'; echo words >&2; exit 3"));
    EXPECT_EQ(outcome.lines, (std::vector<std::string>{"one", "", "two", "without an end"}));
    EXPECT_EQ(outcome.errors, "words\n");
    ASSERT_TRUE(outcome.end);
    EXPECT_EQ(outcome.end->exit_code, 3);
    EXPECT_FALSE(outcome.end->succeeded());
    EXPECT_EQ(outcome.end->to_string(), "exit code 3");
    EXPECT_TRUE(run(shell("exit 0")).end->succeeded());
    EXPECT_EQ(run({"echo", "a b", "$HOME"}).lines, std::vector<std::string>{"a b $HOME"}) << "found on PATH, no shell";
}

TEST(ChildProcess, NothingIsLostOfALongOutput) {
    const Outcome outcome = run(shell("i=0; while [ $i -lt 20000 ]; do echo line $i; i=$((i+1)); done"));
    ASSERT_EQ(outcome.lines.size(), 20000U);
    EXPECT_EQ(outcome.lines.back(), "line 19999");
}

TEST(ChildProcess, OfErrorsTheEndIsKept) {
    const Outcome outcome = run(shell("i=0; while [ $i -lt 9000 ]; do echo error $i >&2; i=$((i+1)); done"));
    EXPECT_LE(outcome.errors.size(), ChildProcess::most_errors);
    EXPECT_TRUE(outcome.errors.ends_with("error 8999\n"));
}

TEST(ChildProcess, ReadingAndKillingDoNotWait) {
    const auto start = Clock::now();
    {
        ChildProcess process(shell("echo first; exec sleep 1000"));
        std::vector<std::string> lines;
        while (lines.empty()) lines = process.read_lines();
        EXPECT_EQ(lines, std::vector<std::string>{"first"});
        EXPECT_FALSE(process.end());
        EXPECT_TRUE(process.read_lines().empty());
        process.kill();
        std::optional<ProcessEnd> end;
        while (!(end = process.end())) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        EXPECT_EQ(end->signal, SIGKILL);
        EXPECT_NE(end->to_string().find("signal 9"), std::string::npos);
        process.kill(); // of what is gone: nothing
        const ChildProcess left_running(shell("exec sleep 1000"));
    }
    EXPECT_LT(Clock::now() - start, std::chrono::seconds(60));
}

TEST(ChildProcess, GetsNoFilesAndNoInputOfThisProcess) {
    const int file = ::open("/dev/null", O_RDONLY); // without O_CLOEXEC, as a driver's may be
    ASSERT_GE(file, 0);
    const Outcome outcome =
        run(shell(fmt::format("if [ -e /proc/self/fd/{} ]; then echo inherited; fi; cat; echo end", file)));
    ::close(file);
    EXPECT_EQ(outcome.lines, std::vector<std::string>{"end"});
}

TEST(ChildProcess, WhatCannotBeStartedIsTold) {
    try {
        const ChildProcess process({"/no/such/program", "--help"});
        FAIL() << "it was started";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("/no/such/program: No such file"), std::string::npos) << error.what();
    }
}

} // namespace
} // namespace spindrift
