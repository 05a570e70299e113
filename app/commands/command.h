// How a command joins the program: a class in a file of its own, and one line that registers it.
//
//     class VerifyCommand : public Command { ... };
//     const RegisterCommand<VerifyCommand> registration;
//
// The registration is seen because the program links app/ as object files; nothing else has to be edited.
#pragma once

#include <memory>
#include <string>
#include <vector>

// NOLINTNEXTLINE(readability-identifier-naming): the library names itself so
namespace CLI {
class App;
}

namespace spindrift {

class Command {
public:
    Command() = default;
    Command(const Command&) = delete;
    Command& operator=(const Command&) = delete;
    virtual ~Command() = default;

    virtual std::string name() const = 0;    ///< what is typed after `spindrift`
    virtual std::string summary() const = 0; ///< for --help: what it does, in lower case and without a full stop
    /// Declares flags and arguments. --help, --version, --keys and --log-level exist already.
    virtual void add_options(CLI::App& options) = 0;
    /// Runs with what the options received; returns the exit code (ExitCode), or throws Error.
    virtual int run() = 0;
};

using MakeCommand = std::unique_ptr<Command> (*)();
void register_command(MakeCommand make);

template <class Type>
struct RegisterCommand {
    RegisterCommand() {
        register_command([]() -> std::unique_ptr<Command> { return std::make_unique<Type>(); });
    }
};

/// One of each command: the demo, which is the default, then the others by name.
std::vector<std::unique_ptr<Command>> make_commands();

} // namespace spindrift
