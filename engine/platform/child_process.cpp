#include "engine/platform/child_process.h"

#include "engine/error.h"

#include <array>
#include <cassert>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <memory>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace spindrift::platform {
namespace {

class Pipe {
public:
    Pipe() {
        if (::pipe2(ends_.data(), O_CLOEXEC) != 0) throw Error(fmt::format("pipe: {}", std::strerror(errno)));
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    ~Pipe() {
        for (const int end : ends_)
            if (end >= 0) ::close(end);
    }

    int write_end() const noexcept { return ends_[1]; }
    /// For a reader that never waits; the caller closes it.
    int take_read_end() {
        const int end = ends_[0];
        if (::fcntl(end, F_SETFL, O_NONBLOCK) != 0) throw Error(fmt::format("pipe: {}", std::strerror(errno)));
        ends_[0] = -1;
        return end;
    }

private:
    std::array<int, 2> ends_{-1, -1};
};

void check(int error, const char* call) {
    if (error != 0) throw Error(fmt::format("{}: {}", call, std::strerror(error)));
}

/// What the new process does before it becomes the program.
class SpawnActions {
public:
    SpawnActions(int output, int errors) {
        check(::posix_spawn_file_actions_init(&files_), "posix_spawn_file_actions_init");
        check(::posix_spawnattr_init(&attributes_), "posix_spawnattr_init");
        check(::posix_spawn_file_actions_addopen(&files_, STDIN_FILENO, "/dev/null", O_RDONLY, 0), "/dev/null");
        check(::posix_spawn_file_actions_adddup2(&files_, output, STDOUT_FILENO), "dup2");
        check(::posix_spawn_file_actions_adddup2(&files_, errors, STDERR_FILENO), "dup2");
        // A driver's files are not for others: the new process opens its own.
        check(::posix_spawn_file_actions_addclosefrom_np(&files_, STDERR_FILENO + 1), "closefrom");
        // Signals as a shell would start it with, whatever this process ignores.
        sigset_t defaults, none;
        sigemptyset(&defaults);
        sigemptyset(&none);
        for (const int signal : {SIGPIPE, SIGINT, SIGTERM, SIGHUP}) sigaddset(&defaults, signal);
        check(::posix_spawnattr_setsigdefault(&attributes_, &defaults), "posix_spawnattr_setsigdefault");
        check(::posix_spawnattr_setsigmask(&attributes_, &none), "posix_spawnattr_setsigmask");
        check(::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK),
              "posix_spawnattr_setflags");
    }
    SpawnActions(const SpawnActions&) = delete;
    SpawnActions& operator=(const SpawnActions&) = delete;
    ~SpawnActions() {
        ::posix_spawn_file_actions_destroy(&files_);
        ::posix_spawnattr_destroy(&attributes_);
    }

    const posix_spawn_file_actions_t* files() const noexcept { return &files_; }
    const posix_spawnattr_t* attributes() const noexcept { return &attributes_; }

private:
    posix_spawn_file_actions_t files_{};
    posix_spawnattr_t attributes_{};
};

/// Appends what is there; closes the file at its end.
void drain(int& file, std::string& text, std::size_t most) {
    std::array<char, 16384> part{};
    while (file >= 0 && text.size() < most) {
        const ssize_t count = ::read(file, part.data(), part.size());
        if (count > 0) {
            text.append(part.data(), static_cast<std::size_t>(count));
        } else if (count == 0 || (errno != EAGAIN && errno != EINTR)) {
            ::close(file);
            file = -1;
        } else if (errno == EAGAIN) {
            return;
        }
    }
}

} // namespace

std::string ProcessEnd::to_string() const {
    if (signal == 0) return fmt::format("exit code {}", exit_code);
    const char* name = ::strsignal(signal);
    return fmt::format("signal {} ({})", signal, name != nullptr ? name : "unknown");
}

ChildProcess::ChildProcess(const std::vector<std::string>& command) {
    assert(!command.empty() && "the program comes first");
    Pipe output, errors;
    const SpawnActions actions(output.write_end(), errors.write_end());
    std::vector<char*> arguments;
    arguments.reserve(command.size() + 1);
    for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);
    check(
        ::posix_spawnp(&process_, arguments.front(), actions.files(), actions.attributes(), arguments.data(), environ),
        arguments.front());
    output_ = output.take_read_end();
    errors_ = errors.take_read_end();
}

ChildProcess::~ChildProcess() {
    kill();
    if (!end_) {
        int status = 0;
        while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
        }
    }
    for (const int file : {output_, errors_})
        if (file >= 0) ::close(file);
}

void ChildProcess::read_what_is_there() {
    drain(output_, pending_, longest_line + 1);
    drain(errors_, error_text_, 2 * most_errors);
    if (error_text_.size() > most_errors) error_text_.erase(0, error_text_.size() - most_errors);
}

std::vector<std::string> ChildProcess::read_lines() {
    read_what_is_there();
    std::vector<std::string> lines;
    std::size_t begin = 0;
    for (std::size_t end = 0; (end = pending_.find('\n', begin)) != std::string::npos; begin = end + 1)
        lines.push_back(pending_.substr(begin, end - begin));
    pending_.erase(0, begin);
    if (pending_.size() > longest_line)
        throw Error(fmt::format("a line of output is longer than {} bytes", longest_line));
    if (output_ < 0 && !pending_.empty()) lines.push_back(std::exchange(pending_, {}));
    return lines;
}

const std::string& ChildProcess::error_output() {
    read_what_is_there();
    return error_text_;
}

std::optional<ProcessEnd> ChildProcess::end() {
    if (!end_) {
        int status = 0;
        const pid_t gone = ::waitpid(process_, &status, WNOHANG);
        if (gone == 0 || (gone < 0 && errno == EINTR)) return std::nullopt;
        // Somebody else may have waited for it (gone < 0): how it ended cannot be known.
        if (gone < 0)
            end_ = ProcessEnd{.exit_code = static_cast<int>(ExitCode::runtime_failure)};
        else if (WIFSIGNALED(status))
            end_ = ProcessEnd{.signal = WTERMSIG(status)};
        else
            end_ = ProcessEnd{.exit_code = WEXITSTATUS(status)};
    }
    // Its output may hold more than was read; a process that it has started may keep the pipe open for ever.
    read_what_is_there();
    return pending_.empty() ? end_ : std::nullopt;
}

void ChildProcess::kill() noexcept {
    if (!end_) ::kill(process_, SIGKILL);
}

} // namespace spindrift::platform
