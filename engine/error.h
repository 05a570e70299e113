// Errors that a user, a file or a driver can cause. Programmer errors use assert() instead.
#pragma once

#include <stdexcept>
#include <string>

namespace spindrift {

/// Exit codes of the program; the README's table of exit codes lists the same values.
enum class ExitCode : int {
    success = 0,
    runtime_failure = 1, ///< something failed while running: a file, a driver, an algorithm that is not available here
    usage = 2,           ///< the command line or a configuration file is wrong
    regression = 3,      ///< a comparison found a regression
    no_gpu = 4,          ///< no usable GPU, driver or OpenGL 4.5
    skipped = 77,        ///< a test that cannot run here
};

/// Thrown with a sentence that names the object, the field, the value and the limit.
/// main() prints what() and exits with exit_code(); nothing may be half-written when it is thrown.
class Error : public std::runtime_error {
public:
    Error(ExitCode exit_code, const std::string& message) : std::runtime_error(message), exit_code_(exit_code) {}
    explicit Error(const std::string& message) : Error(ExitCode::runtime_failure, message) {}

    ExitCode exit_code() const noexcept { return exit_code_; }

private:
    ExitCode exit_code_;
};

} // namespace spindrift
