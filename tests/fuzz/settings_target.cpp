// Settings and seas in TOML. What is read and written again must read back to the same settings.
#include "tests/fuzz/target.h"

#include "app/parameters.h"
#include "engine/error.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace spindrift;
    const std::string_view text = fuzz::as_text(data, size);
    describe_sea(text);
    for (const bool sea_file : {true, false}) {
        Settings settings;
        try {
            read_toml(settings, text, "input", sea_file);
        } catch (const Error& error) {
            if (error.exit_code() != ExitCode::usage) fuzz::fail("a bad file must be an error of usage");
            if (!same_values(settings, Settings{})) fuzz::fail("an error must leave the settings as they were");
            continue;
        }
        Settings again;
        try {
            read_toml(again, to_toml(settings), "written", false);
        } catch (const Error& error) {
            fuzz::fail(error.what());
        }
        if (!same_values(settings, again)) fuzz::fail("settings that were written read back to others");
    }
    return 0;
}
