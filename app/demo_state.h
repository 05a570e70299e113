// What the demo's window and its panel share: the settings in force and what the user has just asked for.
#pragma once

#include "app/demo_report.h"
#include "app/settings.h"
#include "fft/effort.h"
#include "fft/verification.h"

#include <optional>
#include <string>
#include <vector>

namespace spindrift {

/// How the last shader reload went; the panel shows it by colour.
enum class ReloadState { idle, reloaded, failed };

/// A recording as the window shows it.
struct RecordingMark {
    bool active = false;
    bool of_run = false; ///< asked for on the command line: the user cannot end it, only close the window
    bool warming_up = false;
    std::int64_t frames = 0; ///< recorded so far
    /// Of the recording; of a warm-up at most so many. NaN when unknown.
    double remaining_seconds = profiler::not_available;
};

struct DemoState {
    Settings settings;  ///< edited by the panel and the keys; the scene follows in the next frame
    Settings reference; ///< what "reset" goes back to: the defaults with the chosen sea

    double time = 0.0; ///< seconds of sea
    bool paused = false;
    bool panel_visible = true;
    bool help_visible = false;

    // Requests, cleared by the window when it has carried them out.
    bool step_requested = false;
    bool screenshot_requested = false;
    bool reload_requested = false;
    bool copy_command_line_requested = false;
    bool verification_requested = false;
    bool recording_toggle_requested = false;
    std::optional<fft::Effort> tuning_requested; ///< how much may be measured
    bool tuning_cancel_requested = false;
    fft::Effort chosen_effort = fft::Effort::measure; ///< what the panel's button asks for
    bool quit_requested = false;

    RecordingMark recording;
    std::vector<KeptRecording> recordings; ///< the last three, the newest first

    bool verifying = false;                              ///< a check of the transform is under way
    std::optional<fft::VerificationResult> verification; ///< of the last one; its desc says what was checked
    ReloadState reload_state = ReloadState::idle;
    std::string message; ///< last thing worth telling, below the panel's buttons
    bool message_is_error = false;

    void tell(std::string text) {
        message = std::move(text);
        message_is_error = false;
    }
    void complain(std::string text) {
        message = std::move(text);
        message_is_error = true;
    }
};

/// Takes the sea of this name and makes it the reference for "reset". Throws Error and changes nothing when it cannot
/// be read.
void choose_sea(DemoState& state, const std::string& name);
/// The named sea `steps` places after the current one, around the end of the list.
void choose_next_sea(DemoState& state, int steps);

} // namespace spindrift
