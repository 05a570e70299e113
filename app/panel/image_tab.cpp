#include "app/panel/image_tab.h"

#include "app/assets.h"
#include "app/panel/panel.h"
#include "engine/error.h"
#include "engine/platform/window.h"
#include "fft/registry.h"

#include <algorithm>
#include <fmt/format.h>
#include <imgui.h>
#include <spdlog/spdlog.h>

namespace spindrift {
namespace {

const ImVec4 error_color{1.0F, 0.42F, 0.36F, 1.0F};

template <class Choice, class Choices>
void choose(const char* label, Choice& choice, const Choices& choices) {
    ImGui::SetNextItemWidth(ImGui::GetFontSize() * 9.0F);
    if (!ImGui::BeginCombo(label, to_string(choice).data())) return;
    for (const Choice entry : choices)
        if (ImGui::Selectable(to_string(entry).data(), entry == choice)) choice = entry;
    ImGui::EndCombo();
}

void difference_text(const char* what, const ImageDifference& difference) {
    ImGui::Text("%s: maximum difference %.3g, RMS %.3g, PSNR %.1f dB", what, difference.maximum, difference.rms,
                difference.psnr_db);
}

void picture(const char* caption, const gl::Texture& texture, float width) {
    ImGui::BeginGroup();
    const float height = width * static_cast<float>(texture.height()) / static_cast<float>(texture.width());
    // Dear ImGui's OpenGL backend wants the texture's name in a pointer.
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    ImGui::Image(reinterpret_cast<ImTextureID>(std::uintptr_t{texture.name()}), {width, height});
    ImGui::TextDisabled("%s, %d x %d", caption, texture.width(), texture.height());
    ImGui::EndGroup();
}

} // namespace

void ImageTab::open(const std::string& path) {
    visible_ = true;
    error_.clear();
    path_.fill('\0');
    std::copy_n(path.begin(), std::min(path.size(), path_.size() - 1), path_.begin());
    try {
        view_.open(path);
    } catch (const Error& error) {
        error_ = error.what();
        spdlog::error("{}", error_);
    }
}

void ImageTab::open_sample() {
    if (const auto folder = assets_folder())
        open((*folder / "sample.png").string());
    else
        error_ = "the folder with the program's pictures was not found; it belongs into ../share/spindrift/assets";
}

PictureChoices ImageTab::choices(const Settings& settings) const {
    PictureChoices choices{.algorithm = settings.algorithm,
                           .packing = settings.packing,
                           .storage = settings.storage,
                           .size = settings.size,
                           .fit = fit_,
                           .channels = channels_,
                           .filter = {}};
    if (high_pass_ > 0.0F) choices.filter.high_pass = high_pass_;
    if (low_pass_ < 1.0F) choices.filter.low_pass = low_pass_;
    return choices;
}

void ImageTab::draw(const PanelFrame& frame, PanelLayout& layout) {
    if (!visible_) return;
    const float font = ImGui::GetFontSize();
    if (begin_window(layout, "Picture", panel_place(font * 28.5F, font * 0.7F, font * 45.0F, font * 30.0F),
                     &visible_)) {
        path_controls();
        choice_controls(frame);
        update(frame);
        if (!error_.empty()) {
            ImGui::PushStyleColor(ImGuiCol_Text, error_color);
            ImGui::TextWrapped("%s", error_.c_str());
            ImGui::PopStyleColor();
        }
        if (view_.showing()) {
            figures();
            pictures();
        } else if (error_.empty()) {
            ImGui::TextWrapped("Drop a PNG, JPEG or BMP file onto the window, type its path, or take the sample.");
        }
    }
    ImGui::End();
}

void ImageTab::update(const PanelFrame& frame) {
    try {
        if (!view_.update(choices(frame.state.settings), frame.programs, frame.window.device().limits)) return;
        error_.clear();
        spdlog::info("{}: there and back with {:.1f} dB", view_.path(), view_.round_trip().psnr_db);
    } catch (const Error& error) {
        error_ = error.what();
        spdlog::error("{}", error_);
    }
}

void ImageTab::path_controls() {
    const float font = ImGui::GetFontSize();
    ImGui::SetNextItemWidth(-font * 12.0F);
    const bool entered = ImGui::InputTextWithHint("##path", "path of a picture", path_.data(), path_.size(),
                                                  ImGuiInputTextFlags_EnterReturnsTrue);
    ImGui::SameLine();
    if ((ImGui::Button("Open") || entered) && path_.front() != '\0') open(std::string(path_.data()));
    ImGui::SameLine();
    if (ImGui::Button("Sample")) open_sample();
}

void ImageTab::choice_controls(const PanelFrame& frame) {
    choose("Fit", fit_, all_image_fits);
    ImGui::SameLine();
    choose("Channels", channels_, all_image_channels);
    ImGui::SameLine();
    if (ImGui::Button("Run again")) view_.refresh();
    const Settings& settings = frame.state.settings;
    ImGui::TextDisabled("%s, %s, %s, %d x %d, as chosen for the sea",
                        fft::algorithm_info(settings.algorithm).display_name.data(), to_string(settings.packing).data(),
                        to_string(settings.storage).data(), settings.size, settings.size);
    const float width = -ImGui::GetFontSize() * 12.0F;
    ImGui::SetNextItemWidth(width);
    ImGui::SliderFloat("Pass above", &high_pass_, 0.0F, 0.99F, high_pass_ > 0.0F ? "%.2f of Nyquist" : "all",
                       ImGuiSliderFlags_AlwaysClamp);
    ImGui::SetNextItemWidth(width);
    ImGui::SliderFloat("Pass below", &low_pass_, 0.01F, 1.0F, low_pass_ < 1.0F ? "%.2f of Nyquist" : "all",
                       ImGuiSliderFlags_AlwaysClamp);
}

void ImageTab::figures() const {
    difference_text("Round trip", view_.round_trip());
    if (view_.filtered()) difference_text("Filtered", *view_.filtered());
    if (!(view_.round_trip().psnr_db >= required_psnr_db))
        ImGui::TextColored(error_color, "FAILED: at least %g dB must come back", required_psnr_db);
    if (view_.was_transparent()) ImGui::TextDisabled("Transparent pixels are laid over black.");
}

void ImageTab::pictures() const {
    const float spacing = ImGui::GetStyle().ItemSpacing.x;
    const float width = std::max((ImGui::GetContentRegionAvail().x - 2.0F * spacing) / 3.0F, 16.0F);
    picture("original", view_.original(), width);
    ImGui::SameLine();
    picture("spectrum", view_.spectrum(), width);
    ImGui::SameLine();
    picture("restored", view_.restored(), width);
}

} // namespace spindrift
