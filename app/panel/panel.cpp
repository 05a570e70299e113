#include "app/panel/panel.h"

#include "app/assets.h"
#include "app/keys.h"
#include "app/panel/image_tab.h"
#include "app/panel/measurements.h"
#include "app/panel/parameter_widget.h"
#include "app/panel/tuning.h"
#include "app/scene.h"
#include "engine/error.h"
#include "engine/platform/window.h"
#include "fft/registry.h"

#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <cassert>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <imgui.h>
#include <system_error>

namespace spindrift {
namespace {

const ImVec4 error_color{1.0F, 0.42F, 0.36F, 1.0F};
const ImVec4 good_color{0.47F, 0.86F, 0.55F, 1.0F};

/// An entry of a list that is greyed, with the reason on hover, when it cannot run here.
bool selectable_if_available(const char* label, bool selected, const std::optional<std::string>& reason) {
    if (!reason) return ImGui::Selectable(label, selected);
    ImGui::TextDisabled("%s", label);
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", reason->c_str());
    return false;
}

fft::TransformDesc transform_of(const Settings& settings) {
    return ocean::transform_desc(simulation_desc(settings));
}

/// The last check's numbers: green within the gate, red beyond it, grey once another variant runs.
void verification_outcome(const fft::VerificationResult& result, bool is_running_variant) {
    const ImVec4 color = !is_running_variant ? ImGui::GetStyleColorVec4(ImGuiCol_TextDisabled)
                         : result.ok         ? good_color
                                             : error_color;
    ImGui::PushStyleColor(ImGuiCol_Text, color);
    if (!result.failure.empty())
        ImGui::TextWrapped("%s", result.describe().c_str());
    else
        ImGui::Text("%s: rel. L2 %.2g %s %.2g, max/rms %.2g", result.ok ? "ok" : "failed", result.norms.relative_l2,
                    result.norms.relative_l2 < result.gate ? "<" : ">=", result.gate, result.norms.max_over_rms);
    ImGui::PopStyleColor();
    if (ImGui::IsItemHovered())
        ImGui::SetTooltip("%s\n%s\n"
                          "rel. L2: length of the difference over length of the result, ok below the gate.\n"
                          "max/rms: largest difference over the result's root mean square.",
                          result.variant().c_str(),
                          result.fused ? "One step of this sea against the same one by the unfused kernels of radix 4."
                                       : "One transform of random numbers against the same one in double precision.");
}

void verification_controls(const PanelFrame& frame) {
    DemoState& state = frame.state;
    ImGui::BeginDisabled(state.verifying);
    if (ImGui::Button(state.verifying ? "Verifying...###verify" : "Verify now###verify"))
        state.verification_requested = true;
    ImGui::EndDisabled();
    if (!state.verification) return;
    const ocean::Simulation& sea = frame.scene.simulation();
    verification_outcome(*state.verification,
                         state.verification->desc == sea.plan().desc() && state.verification->fused == sea.is_fused());
}

/// cuFFT does not tell what it runs; what matters is around it.
void interop_facts() {
    ImGui::TextWrapped("Between map and unmap the GPU leaves the OpenGL context for CUDA's and comes back: two context "
                       "switches. Under Measurements, fft.interop is what the frame pays, cufft the transform alone; "
                       "the difference goes into the switches, whatever the size.");
}

void kernel_facts(const fft::KernelFacts& facts) {
    ImGui::TextDisabled("radix %d, work group %d x %d x %d", facts.radix, facts.work_group[0], facts.work_group[1],
                        facts.work_group[2]);
    ImGui::TextDisabled("%d dispatches a transform, %d barrier%s in each", facts.dispatches_per_transform,
                        facts.barriers_per_dispatch, facts.barriers_per_dispatch == 1 ? "" : "s");
    ImGui::TextDisabled("shared memory %d bytes, scratch %.0f KiB", facts.shared_memory_bytes,
                        static_cast<double>(facts.scratch_bytes) / 1024.0);
    if (!facts.schedule.empty() && ImGui::IsItemHovered()) ImGui::SetTooltip("%s", facts.schedule.c_str());
}

void choose_algorithm(DemoState& state, fft::Algorithm algorithm) {
    state.settings.algorithm = algorithm;
    if (std::string note = choose_layout_of_cufft(state.settings); !note.empty()) state.tell(std::move(note));
}

void transform_controls(const PanelFrame& frame) {
    Settings& settings = frame.state.settings;
    const gl::DeviceLimits& limits = frame.window.device().limits;
    const float width = -ImGui::GetFontSize() * 6.0F;
    ImGui::SetNextItemWidth(width);
    if (ImGui::BeginCombo("Algorithm", fft::algorithm_info(settings.algorithm).display_name.data())) {
        for (const fft::Availability& entry : fft::availability(transform_of(settings), limits)) {
            const fft::AlgorithmInfo& info = fft::algorithm_info(entry.algorithm);
            if (selectable_if_available(info.display_name.data(), entry.algorithm == settings.algorithm, entry.reason))
                choose_algorithm(frame.state, entry.algorithm);
            if (!entry.reason && ImGui::IsItemHovered())
                ImGui::SetTooltip("%s\n--algorithm %s", info.description.data(), info.name.data());
        }
        ImGui::EndCombo();
    }
    ImGui::SetNextItemWidth(width);
    if (ImGui::BeginCombo("Size", fmt::format("{0} x {0}", settings.size).c_str())) {
        for (int size = fft::min_size; size <= fft::max_size; size *= 2) {
            fft::TransformDesc desc = transform_of(settings);
            desc.size = size;
            if (selectable_if_available(fmt::format("{0} x {0}", size).c_str(), size == settings.size,
                                        fft::why_unavailable(desc, limits)))
                settings.size = size;
        }
        ImGui::EndCombo();
    }
    for (const char* id : {"packing", "storage"}) parameter_widget(parameter(id), settings, frame.state.reference);

    if (settings.algorithm == fft::Algorithm::tuned)
        for (const char* id : {"fused", "intermediate"})
            parameter_widget(parameter(id), settings, frame.state.reference);

    if (settings.algorithm == fft::Algorithm::cufft) {
        parameter_widget(parameter("interop-frames"), settings, frame.state.reference);
        interop_facts();
    } else {
        kernel_facts(frame.scene.simulation().kernel_facts());
    }
    verification_controls(frame);
    if (settings.algorithm == fft::Algorithm::tuned) tuning_controls(frame);
}

void sea_controls(const PanelFrame& frame) {
    DemoState& state = frame.state;
    ImGui::SetNextItemWidth(-ImGui::GetFontSize() * 6.0F);
    if (ImGui::BeginCombo("Sea", state.settings.sea_name.empty() ? "default" : state.settings.sea_name.c_str())) {
        for (const NamedSea& sea : named_seas()) {
            const std::string name(sea.name);
            if (ImGui::Selectable(name.c_str(), name == state.settings.sea_name)) choose_sea(state, name);
            if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", describe_sea(sea.toml).description.c_str());
        }
        ImGui::EndCombo();
    }
    ImGui::TextDisabled("significant wave height %.2f m",
                        static_cast<double>(frame.scene.simulation().significant_height()));
    parameter_group("sea", state);
    for (const std::string& note : ocean::notes(state.settings.sea)) ImGui::TextWrapped("%s", note.c_str());
    if (ImGui::Button("Reset the sea")) {
        for (const Parameter& parameter : parameters())
            if (belongs_to_sea(parameter)) parameter.write(state.settings, parameter.get(state.reference));
    }
}

/// Always as high, whatever it says: controls that jump away from under the pointer get the wrong clicks.
void message_line(const DemoState& state) {
    ImGui::PushStyleColor(ImGuiCol_Text,
                          state.message_is_error ? error_color : ImGui::GetStyleColorVec4(ImGuiCol_Text));
    if (ImGui::BeginChild("message", {0.0F, ImGui::GetTextLineHeightWithSpacing() * 2.0F}))
        ImGui::TextWrapped("%s", state.message.c_str());
    ImGui::EndChild();
    if (ImGui::IsItemHovered() && !state.message.empty()) ImGui::SetTooltip("%s", state.message.c_str());
    ImGui::PopStyleColor();
}

void buttons(const PanelFrame& frame, ImageTab& image_tab) {
    DemoState& state = frame.state;
    if (ImGui::Button(state.paused ? "Run" : "Pause")) state.paused = !state.paused;
    ImGui::SameLine();
    if (ImGui::Button("Step")) {
        state.paused = true;
        state.step_requested = true;
    }
    ImGui::SameLine();
    if (ImGui::Button("Screenshot")) state.screenshot_requested = true;
    ImGui::SameLine();
    if (ImGui::Button("Help")) state.help_visible = !state.help_visible;
    ImGui::SameLine();
    if (ImGui::Button("Picture")) image_tab.visible() = !image_tab.visible();
    const bool records = state.recording.active;
    ImGui::BeginDisabled(state.recording.of_run);
    if (ImGui::Button(records ? "Stop###record" : "Record###record")) state.recording_toggle_requested = true;
    ImGui::EndDisabled();
    if (ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled))
        ImGui::SetTooltip("F9: frame times into .json, .csv and .html files\n--record-seconds, --record-frames");
    ImGui::SameLine();
    if (ImGui::Button("Copy command line")) state.copy_command_line_requested = true;
    ImGui::SameLine();
    if (ImGui::Button("Reload shaders")) state.reload_requested = true;
    if (state.reload_state != ReloadState::idle) {
        ImGui::SameLine();
        const bool failed = state.reload_state == ReloadState::failed;
        ImGui::TextColored(failed ? error_color : good_color, failed ? "failed" : "ok");
    }
    message_line(state);
}

void section(const char* title, std::string_view group, const PanelFrame& frame) {
    if (ImGui::CollapsingHeader(title)) parameter_group(group, frame.state);
}

void controls_window(const PanelFrame& frame, PanelLayout& layout, ImageTab& image_tab) {
    const float font = ImGui::GetFontSize();
    const ImVec2 display = ImGui::GetIO().DisplaySize;
    const PanelPlace usual = panel_place(font * 0.7F, font * 0.7F, std::min(font * 27.0F, display.x * 0.46F),
                                         std::min(font * 42.0F, display.y - font * 1.4F));
    if (begin_window(layout, "Spindrift", usual)) {
        buttons(frame, image_tab);
        if (ImGui::CollapsingHeader("Transform", ImGuiTreeNodeFlags_DefaultOpen)) transform_controls(frame);
        if (ImGui::CollapsingHeader("Sea", ImGuiTreeNodeFlags_DefaultOpen)) sea_controls(frame);
        section("Foam", "foam", frame);
        section("Light and sky", "light", frame);
        section("Camera", "camera", frame);
        section("Surface", "surface", frame);
        if (ImGui::CollapsingHeader("Window")) {
            for (const char* id : {"vsync", "fullscreen"})
                parameter_widget(parameter(id), frame.state.settings, frame.state.reference);
        }
        if (ImGui::CollapsingHeader("This machine")) machine_facts(frame.window.device(), frame.window.platform());
    }
    ImGui::End();
}

/// With the panel closed: one line.
void head_up_line(const PanelFrame& frame, const profiler::FrameStatistics& statistics) {
    ImGui::SetNextWindowPos({ImGui::GetFontSize() * 0.5F, ImGui::GetFontSize() * 0.5F});
    ImGui::SetNextWindowBgAlpha(0.35F);
    constexpr ImGuiWindowFlags flags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_AlwaysAutoResize |
                                       ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoInputs |
                                       ImGuiWindowFlags_NoNav;
    if (ImGui::Begin("##head-up", nullptr, flags))
        ImGui::Text("%s %d   %.1f ms   GPU %.2f ms   %s   H help, Tab panel",
                    fft::to_string(frame.state.settings.algorithm).data(), frame.state.settings.size,
                    statistics.interval_ms.median, statistics.gpu_ms.median, frame.state.paused ? "paused" : "");
    if (frame.state.message_is_error) ImGui::TextColored(error_color, "%s", frame.state.message.c_str());
    ImGui::End();
}

/// A red dot and the time that is left, in the middle of the upper edge.
void recording_mark(const RecordingMark& mark) {
    if (!mark.active) return;
    const float font = ImGui::GetFontSize();
    ImGui::SetNextWindowPos({ImGui::GetIO().DisplaySize.x * 0.5F, font * 0.5F}, ImGuiCond_Always, {0.5F, 0.0F});
    ImGui::SetNextWindowBgAlpha(0.6F);
    constexpr ImGuiWindowFlags flags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_AlwaysAutoResize |
                                       ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoInputs |
                                       ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoFocusOnAppearing;
    if (ImGui::Begin("##recording", nullptr, flags)) {
        const ImVec2 corner = ImGui::GetCursorScreenPos();
        const ImU32 color = mark.warming_up ? IM_COL32(240, 180, 70, 255) : IM_COL32(255, 70, 60, 255);
        ImGui::GetWindowDrawList()->AddCircleFilled({corner.x + font * 0.5F, corner.y + font * 0.5F}, font * 0.4F,
                                                    color);
        ImGui::Dummy({font, font});
        ImGui::SameLine();
        std::string text = mark.warming_up ? "warming up" : fmt::format("REC {} frames", mark.frames);
        if (std::isfinite(mark.remaining_seconds))
            text += fmt::format("{}{:.0f} s{}", mark.warming_up ? ", at most " : ", ",
                                std::ceil(mark.remaining_seconds), mark.warming_up ? "" : " left");
        ImGui::TextUnformatted(text.c_str());
    }
    ImGui::End();
}

void help_overlay(DemoState& state) {
    const ImVec2 centre{ImGui::GetIO().DisplaySize.x * 0.5F, ImGui::GetIO().DisplaySize.y * 0.5F};
    ImGui::SetNextWindowPos(centre, ImGuiCond_Always, {0.5F, 0.5F});
    constexpr ImGuiWindowFlags flags =
        ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings;
    if (ImGui::Begin("Keys", &state.help_visible, flags) &&
        ImGui::BeginTable("keys", 2, ImGuiTableFlags_SizingFixedFit)) {
        for (const KeyBinding& binding : key_bindings()) {
            if (binding.what.empty()) continue;
            ImGui::TableNextRow();
            ImGui::TableNextColumn();
            ImGui::TextColored(good_color, "%.*s", static_cast<int>(binding.keys.size()), binding.keys.data());
            ImGui::TableNextColumn();
            ImGui::Text("%.*s", static_cast<int>(binding.what.size()), binding.what.data());
        }
        ImGui::EndTable();
    }
    ImGui::End();
}

void set_style(float scale) {
    ImGuiStyle style; // a pristine copy: scaling twice would add up
    ImGui::StyleColorsDark(&style);
    style.WindowRounding = 5.0F;
    style.FrameRounding = 3.0F;
    style.GrabRounding = 3.0F;
    style.Colors[ImGuiCol_WindowBg] = {0.05F, 0.08F, 0.11F, 0.88F};
    style.ScaleAllSizes(scale);
    ImGui::GetStyle() = style;
}

} // namespace

Panel::Panel(platform::Window& window, float ui_scale)
    : ui_scale_(ui_scale), image_tab_(std::make_unique<ImageTab>()),
      measurements_(std::make_unique<MeasurementsView>()) {
    ImGui::CreateContext();
    ImGui::GetIO().IniFilename = nullptr; // it would keep what a small window did to the panel
    if (const auto folder = config_folder()) {
        std::error_code failure;
        // A home that does not exist is somebody's decision, not ours to mend.
        if (std::filesystem::is_directory(folder->parent_path().parent_path(), failure))
            layout_file_ = *folder / "panel.ini";
    }
    layout_ = PanelLayout::load(layout_file_);
    if (!ImGui_ImplGlfw_InitForOpenGL(window.native_handle(), true) || !ImGui_ImplOpenGL3_Init("#version 450 core"))
        throw Error("the panel could not be set up: Dear ImGui's GLFW or OpenGL backend failed");
    set_scale(window);
}

Panel::~Panel() {
    layout_.save(layout_file_);
    ImGui_ImplOpenGL3_Shutdown();
    ImGui_ImplGlfw_Shutdown();
    ImGui::DestroyContext();
}

void Panel::set_scale(platform::Window& window) {
    apply_scale(ui_scale_ > 0.0F ? ui_scale_ : window.content_scale());
}

void Panel::apply_scale(float scale) {
    if (scale == scale_) return;
    scale_ = scale;
    set_style(scale);
    ImFontAtlas& fonts = *ImGui::GetIO().Fonts;
    fonts.Clear();
    ImFontConfig config;
    config.SizePixels = std::floor(13.0F * scale); // the built-in bitmap font is sharp at 13 and its multiples
    fonts.AddFontDefault(&config);
    fonts.Build();
    ImGui_ImplOpenGL3_DestroyFontsTexture();
}

bool Panel::wants_keyboard() const {
    return ImGui::GetIO().WantTextInput;
}
bool Panel::wants_mouse() const {
    return ImGui::GetIO().WantCaptureMouse;
}

void Panel::open_picture(const std::string& path) {
    image_tab_->open(path);
}

void Panel::draw(const PanelFrame& frame) {
    ImGui_ImplOpenGL3_NewFrame();
    ImGui_ImplGlfw_NewFrame();
    ImGui::NewFrame();
    if (frame.state.panel_visible) {
        controls_window(frame, layout_, *image_tab_);
        measurements_->draw(frame, layout_);
        image_tab_->draw(frame, layout_);
    } else {
        head_up_line(frame, measurements_->statistics(frame.profiler).frame);
    }
    recording_mark(frame.state.recording);
    if (frame.state.help_visible) help_overlay(frame.state);
    ImGui::Render();
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

} // namespace spindrift
