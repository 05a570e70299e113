// A program in a process of its own, whose output is read between frames. POSIX.
#pragma once

#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace spindrift::platform {

/// How a process ended: by itself with an exit code, or by a signal.
struct ProcessEnd {
    int exit_code = 0; ///< of a process that no signal ended
    int signal = 0;    ///< 0 = none

    bool succeeded() const noexcept { return exit_code == 0 && signal == 0; }
    std::string to_string() const; ///< "exit code 1", "signal 9 (Killed)"
};

/// Nothing here waits for the process but the destructor. The process gets no standard input, and none of this
/// process's open files; when this process goes away, its next line of output ends it.
class ChildProcess {
public:
    /// `command` is the program, a path or a name for PATH, and its arguments. Throws Error with the reason when it
    /// cannot be started.
    explicit ChildProcess(const std::vector<std::string>& command);
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;
    /// Ends the process, if it still runs, and waits until it is gone.
    ~ChildProcess();

    /// Whole lines of its standard output that have come since the last call, without their ends; of a process that has
    /// ended, what follows the last end of line, too. Throws Error for a line beyond longest_line.
    std::vector<std::string> read_lines();
    /// The end of what it has written to standard error so far, up to most_errors bytes.
    const std::string& error_output();
    /// How it ended; empty while it runs, and as long as there is output to be read.
    std::optional<ProcessEnd> end();
    /// Asks the system to end it at once. It may take a while to be gone: end() tells.
    void kill() noexcept;

    static constexpr std::size_t longest_line = std::size_t{16} << 20, most_errors = std::size_t{16} << 10;

private:
    void read_what_is_there();

    pid_t process_ = -1;
    int output_ = -1, errors_ = -1; ///< read ends of pipes; -1 = closed
    std::string pending_, error_text_;
    std::optional<ProcessEnd> end_;
};

} // namespace spindrift::platform
