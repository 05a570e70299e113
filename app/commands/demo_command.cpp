// `spindrift [demo]`: from flags to settings to the demo.
#include "app/command_line.h"
#include "app/commands/command.h"
#include "app/commands/demo.h"
#include "app/parameters.h"
#include "engine/error.h"

namespace spindrift {
namespace {

class DemoCommand : public Command {
public:
    std::string name() const override { return "demo"; }
    std::string summary() const override { return "shows the sea in a window, or with --headless without one"; }
    void add_options(CLI::App& options) override { options_.add_to(options); }

    int run() override {
        const Settings settings = options_.settings();
        if (!options_.dump_config()) return run_demo(settings);
        print_out(to_toml(settings));
        return static_cast<int>(ExitCode::success);
    }

private:
    SettingsOptions options_;
};

const RegisterCommand<DemoCommand> registration;

} // namespace
} // namespace spindrift
