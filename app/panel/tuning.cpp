#include "app/panel/tuning.h"

#include "app/scene.h"

#include <algorithm>
#include <fmt/format.h>
#include <imgui.h>

namespace spindrift {
namespace {

const ImVec4 warning_color{1.0F, 0.75F, 0.35F, 1.0F};
const ImVec4 error_color{1.0F, 0.42F, 0.36F, 1.0F};

void start_controls(const PanelFrame& frame) {
    DemoState& state = frame.state;
    const bool records = state.recording.active;
    ImGui::BeginDisabled(records);
    if (ImGui::Button("Tune")) state.tuning_requested = state.chosen_effort;
    ImGui::EndDisabled();
    if (ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) {
        if (records)
            ImGui::SetTooltip("Not while frame times are recorded: they would be disturbed.");
        else
            ImGui::SetTooltip("Measures the kernels of this transform, fused as they run, on this GPU, keeps\n"
                              "the fastest as wisdom, and runs it at once. --effort measure, --effort patient");
    }
    ImGui::SameLine();
    ImGui::SetNextItemWidth(ImGui::GetFontSize() * 7.0F);
    if (ImGui::BeginCombo("##effort", fft::to_string(state.chosen_effort).data())) {
        for (const fft::Effort effort : {fft::Effort::measure, fft::Effort::patient})
            if (ImGui::Selectable(fft::to_string(effort).data(), effort == state.chosen_effort))
                state.chosen_effort = effort;
        ImGui::EndCombo();
    }
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("patient tries more kernels, and takes longer");
}

void progress_of_search(const PanelFrame& frame) {
    const TuningStatus& status = frame.tuning;
    const TuningProgress& progress = status.progress;
    if (ImGui::Button("Cancel###tune")) frame.state.tuning_cancel_requested = true;
    ImGui::SameLine();
    const std::string text = progress.searches_finished < progress.searches || progress.searches == 0
                                 ? fmt::format("search {} of {}", progress.searches_finished + 1, progress.searches)
                                 : std::string("whole transforms");
    ImGui::ProgressBar(static_cast<float>(status.fraction()), {-1.0F, 0.0F}, text.c_str());
    ImGui::TextWrapped("%s", progress.doing.c_str());
    const std::string best =
        progress.best_microseconds > 0 ? fmt::format(", fastest pass {:.2f} us", progress.best_microseconds) : "";
    ImGui::TextDisabled("%zu kernels tried%s", progress.kernels, best.c_str());
    ImGui::TextColored(warning_color, "Frame times are disturbed meanwhile.");
    if (!status.elsewhere) ImGui::TextColored(warning_color, "Frames wait for the compiler: see the log.");
}

void trial_line(const char* what, const fft::ScheduleTrial& trial) {
    if (trial.time.samples > 0)
        ImGui::TextWrapped("%s %.2f us, rel. L2 %.1e: %s", what, trial.time.median, trial.relative_l2,
                           trial.schedule.to_string().c_str());
    else
        ImGui::TextWrapped("%s refused (%s): %s", what, trial.failure.c_str(), trial.schedule.to_string().c_str());
}

void outcome(const TuningStatus& status) {
    switch (status.phase) {
    case TuningPhase::done:
        ImGui::TextDisabled("tuned %s, effort %s", describe_tuned(status.desc, status.fused).c_str(),
                            fft::to_string(status.effort).data());
        if (status.before) trial_line("before", *status.before);
        if (status.after) trial_line("now   ", *status.after);
        if (status.before && status.after && status.before->schedule == status.after->schedule)
            ImGui::TextDisabled("what ran before is the fastest");
        if (!status.why.empty()) {
            ImGui::PushStyleColor(ImGuiCol_Text, error_color);
            ImGui::TextWrapped("In use, but not kept: %s", status.why.c_str());
            ImGui::PopStyleColor();
        }
        return;
    case TuningPhase::cancelled:
        ImGui::TextWrapped("Tuning was cancelled: %s.", status.why.c_str());
        return;
    case TuningPhase::failed:
        ImGui::PushStyleColor(ImGuiCol_Text, error_color);
        ImGui::TextWrapped("Tuning failed: %s", status.why.c_str());
        ImGui::PopStyleColor();
        return;
    case TuningPhase::idle:
    case TuningPhase::running:
        return;
    }
}

} // namespace

void tuning_controls(const PanelFrame& frame) {
    if (frame.tuning.phase == TuningPhase::running) {
        progress_of_search(frame);
        return;
    }
    start_controls(frame);
    outcome(frame.tuning);
}

} // namespace spindrift
