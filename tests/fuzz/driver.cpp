// Runs a target where there is no libFuzzer (GCC), with those of libFuzzer's arguments that matter:
//
//   fuzz_image [-runs=N] [-max_total_time=SECONDS] [-seed=N] [-max_len=BYTES] [-timeout=SECONDS] [-dict=FILE]
//              [-artifact_prefix=PATH] [FILE ...] [FOLDER ...]
//
// Folders hold valid inputs to begin with. Files alone are run once each: that repeats a finding. Without folders,
// files and -dict the target's own seeds and tokens are taken. -timeout is CPU time for one input.
#include "tests/fuzz/mutator.h"
#include "tests/fuzz/target.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

// The sanitizers' runtime, where it is linked: to be told of a report, and to set limits that the command line of a
// test need not repeat. An allocation of more than 2 GiB is a finding: the largest picture needs less than 1 GiB.
extern "C" {
__attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)());
// NOLINTNEXTLINE(bugprone-reserved-identifier): the runtime's name
const char* __asan_default_options() {
    return "max_allocation_size_mb=2048:allocator_may_return_null=0:hard_rss_limit_mb=4096:handle_abort=0";
}
// NOLINTNEXTLINE(bugprone-reserved-identifier)
const char* __ubsan_default_options() {
    return "print_stacktrace=1:abort_on_error=1"; // its runtime is another one, which the callback does not reach
}
}

namespace spindrift::fuzz {
namespace {

namespace fs = std::filesystem;

struct Options {
    std::uint64_t runs = 0; ///< 0 = no limit
    std::uint64_t seconds = 0;
    std::uint64_t seed = 1;
    std::uint64_t largest = 65536;
    std::uint64_t timeout = 60;
    std::string dictionary;
    std::string artifact_prefix = "./";
    std::vector<fs::path> files, folders;
};

/// What a signal handler needs: no allocation happens there.
struct Current {
    const char* data = nullptr;
    std::size_t size = 0;
    std::array<char, 4096> path{}; ///< where the input is kept if it is a finding
    bool is_kept = false;
};
Current current; // NOLINT(cppcoreguidelines-avoid-non-const-global-variables): signal handlers see nothing else

void tell(const char* text) {
    const ssize_t written = ::write(STDERR_FILENO, text, std::strlen(text));
    static_cast<void>(written); // there is nobody else to tell
}

void keep_input() {
    if (current.data == nullptr || current.is_kept) return;
    current.is_kept = true;
    const int file = ::open(current.path.data(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    const bool is_written =
        file >= 0 && ::write(file, current.data, current.size) == static_cast<ssize_t>(current.size);
    if (file >= 0) ::close(file);
    tell(is_written ? "\nfuzzing: FINDING; the input is kept in " : "\nfuzzing: FINDING; the input cannot be kept in ");
    tell(current.path.data());
    tell("\n");
}

extern "C" void on_signal(int number) {
    if (number == SIGPROF) tell("\nfuzzing: one input took longer than -timeout allows\n");
    if (number == SIGSEGV) tell("\nfuzzing: memory that is not there, or a stack that ran over\n");
    keep_input();
    ::_exit(EXIT_FAILURE);
}

void watch_for_crashes() {
    std::signal(SIGABRT, on_signal);
    std::signal(SIGPROF, on_signal);
    if (__sanitizer_set_death_callback != nullptr) {
        __sanitizer_set_death_callback(keep_input);
        return; // the runtime reports the other signals
    }
    // A stack that has run over has no room for the handler.
    static std::array<char, 65536> stack;
    stack_t alternative{};
    alternative.ss_sp = stack.data();
    alternative.ss_size = stack.size();
    ::sigaltstack(&alternative, nullptr);
    struct sigaction action {};
    action.sa_handler = on_signal;
    action.sa_flags = SA_ONSTACK;
    for (const int number : {SIGSEGV, SIGBUS, SIGILL, SIGFPE}) ::sigaction(number, &action, nullptr);
    // A sanitizer needs more address space than any limit; it has limits of its own.
    const rlimit memory{rlim_t{4} << 30U, rlim_t{4} << 30U};
    ::setrlimit(RLIMIT_AS, &memory);
}

std::string read(const fs::path& path) {
    std::ifstream stream(path, std::ios::binary);
    if (!stream) throw std::runtime_error("cannot read " + path.string());
    return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<std::string> read_corpus(const std::vector<fs::path>& folders) {
    std::vector<fs::path> paths;
    for (const fs::path& folder : folders)
        for (const auto& entry : fs::directory_iterator(folder))
            if (entry.is_regular_file()) paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end()); // the same seed gives the same inputs on every file system
    std::vector<std::string> corpus;
    std::transform(paths.begin(), paths.end(), std::back_inserter(corpus), read);
    return corpus;
}

std::uint64_t parse_number(const std::string& argument, std::string_view value) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc{} || end != value.data() + value.size())
        throw std::runtime_error(argument + ": needs a whole number");
    return number;
}

Options parse_options(const std::vector<std::string>& arguments) {
    Options options;
    for (const std::string& argument : arguments) {
        if (!argument.starts_with('-')) {
            (fs::is_directory(argument) ? options.folders : options.files).emplace_back(argument);
            continue;
        }
        const std::size_t equals = std::min(argument.find('='), argument.size());
        const std::string name = argument.substr(0, equals);
        const std::string value = argument.substr(std::min(equals + 1, argument.size()));
        if (name == "-runs")
            options.runs = parse_number(argument, value);
        else if (name == "-max_total_time")
            options.seconds = parse_number(argument, value);
        else if (name == "-seed")
            options.seed = parse_number(argument, value);
        else if (name == "-max_len")
            options.largest = parse_number(argument, value);
        else if (name == "-timeout")
            options.timeout = parse_number(argument, value);
        else if (name == "-dict")
            options.dictionary = value;
        else if (name == "-artifact_prefix")
            options.artifact_prefix = value;
        else
            throw std::runtime_error(argument + ": unknown; the comment at the top of tests/fuzz/driver.cpp has all");
    }
    if (options.folders.empty() && options.files.empty())
        for (const char* folder : {SPINDRIFT_FUZZ_SEEDS}) options.folders.emplace_back(folder);
    if (options.dictionary.empty()) options.dictionary = SPINDRIFT_FUZZ_TOKENS;
    return options;
}

/// Of an input's bytes, so that the same finding has the same name.
std::uint64_t hash_of(std::string_view text) {
    std::uint64_t hash = 14695981039346656037U; // FNV-1a
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
    return hash;
}

/// Ends the process when it is a finding.
void run(const std::string& input, const Options& options) {
    const std::string path =
        options.artifact_prefix + "crash-" + SPINDRIFT_FUZZ_NAME + "-" + std::to_string(hash_of(input));
    if (path.size() >= current.path.size()) throw std::runtime_error("-artifact_prefix is too long");
    std::copy_n(path.c_str(), path.size() + 1, current.path.begin());
    current.data = input.data();
    current.size = input.size();
    const auto limit = static_cast<time_t>(options.timeout);
    const itimerval timer{{0, 0}, {limit, 0}};
    ::setitimer(ITIMER_PROF, &timer, nullptr);
    try {
        LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
    } catch (const std::exception& error) {
        fail((std::string("an exception of another type: ") + error.what()).c_str());
    } catch (...) {
        fail("something was thrown that is no exception");
    }
    const itimerval off{};
    ::setitimer(ITIMER_PROF, &off, nullptr);
    current.data = nullptr;
}

int run_all(const Options& options) {
    if (options.folders.empty()) {
        for (const fs::path& file : options.files) run(read(file), options);
        std::fprintf(stderr, "fuzzing %s: %zu inputs, no finding\n", SPINDRIFT_FUZZ_NAME, options.files.size());
        return EXIT_SUCCESS;
    }
    std::vector<std::string> corpus = read_corpus(options.folders);
    for (const fs::path& file : options.files) corpus.push_back(read(file));
    if (corpus.empty()) throw std::runtime_error("the folders hold no inputs to begin with");
    for (const std::string& input : corpus) run(input, options);
    std::vector<std::string> tokens;
    if (!options.dictionary.empty()) tokens = parse_dictionary(read(options.dictionary));
    std::fprintf(stderr, "fuzzing %s: %zu seeds, %zu tokens, -seed=%llu\n", SPINDRIFT_FUZZ_NAME, corpus.size(),
                 tokens.size(), static_cast<unsigned long long>(options.seed));

    Mutator mutator(std::move(corpus), std::move(tokens), options.largest, options.seed);
    using Clock = std::chrono::steady_clock;
    const Clock::time_point begin = Clock::now();
    const auto seconds = [begin] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
    std::uint64_t runs = 0;
    while ((options.runs == 0 || runs < options.runs) &&
           (options.seconds == 0 || seconds() < static_cast<double>(options.seconds))) {
        run(mutator.next(), options);
        ++runs;
    }
    std::fprintf(stderr, "fuzzing %s: %llu inputs in %.1f s, no finding\n", SPINDRIFT_FUZZ_NAME,
                 static_cast<unsigned long long>(runs), seconds());
    return EXIT_SUCCESS;
}

} // namespace
} // namespace spindrift::fuzz

int main(int argc, char** argv) {
    try {
        const spindrift::fuzz::Options options = spindrift::fuzz::parse_options({argv + 1, argv + argc});
        spindrift::fuzz::watch_for_crashes();
        return spindrift::fuzz::run_all(options);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "fuzzing: %s\n", error.what());
        return 2;
    }
}
