// The program's entry: everything that goes wrong ends here as one line on standard error and an exit code.
#include "app/command_line.h"
#include "engine/error.h"

#include <csignal>
#include <cstdio>
#include <exception>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

namespace {

/// Standard output belongs to results; everything that is told on the way goes to standard error.
void log_to_standard_error() {
    spdlog::set_default_logger(spdlog::stderr_color_mt("spindrift"));
    spdlog::set_pattern("%^%l%$: %v");
}

int fail(const char* message, spindrift::ExitCode code) {
    std::fflush(stdout);
    std::fprintf(stderr, "spindrift: %s\n", message);
    return static_cast<int>(code);
}

} // namespace

// The C locale stays in force: numbers have a decimal point whatever the user's language.
int main(int argc, char** argv) {
    std::signal(SIGXFSZ, SIG_IGN); // a file beyond the user's limit is an error of writing, not the end
    try {
        log_to_standard_error();
        return spindrift::run_command_line({argv + (argc > 0 ? 1 : 0), argv + argc});
    } catch (const spindrift::Error& error) {
        return fail(error.what(), error.exit_code());
    } catch (const std::exception& error) {
        return fail(error.what(), spindrift::ExitCode::runtime_failure);
    }
}
