#include "app/panel/parameter_widget.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <imgui.h>

namespace spindrift {
namespace {

/// "%.2f m/s" with as many digits as the range makes useful.
std::string slider_format(const Parameter& parameter) {
    const double range = parameter.maximum - parameter.minimum;
    const int digits = parameter.kind == ParameterKind::integer ? 0 : (range <= 5.0 ? 3 : (range <= 500.0 ? 1 : 0));
    std::string unit;
    for (const char character : parameter.unit)
        unit += character == '%' ? std::string("%%") : std::string(1, character);
    return parameter.kind == ParameterKind::integer ? fmt::format("%lld {}", unit)
                                                    : fmt::format("%.{}f {}", digits, unit);
}

bool edit_real(const Parameter& parameter, Settings& settings) {
    double value = std::get<double>(parameter.get(settings));
    const ImGuiSliderFlags flags =
        ImGuiSliderFlags_AlwaysClamp | (parameter.logarithmic ? ImGuiSliderFlags_Logarithmic : 0);
    const std::string format = slider_format(parameter);
    if (!ImGui::SliderScalar("##value", ImGuiDataType_Double, &value, &parameter.minimum, &parameter.maximum,
                             format.c_str(), flags))
        return false;
    parameter.set(settings, value);
    return true;
}

bool edit_integer(const Parameter& parameter, Settings& settings) {
    auto value = std::get<std::int64_t>(parameter.get(settings));
    const auto minimum = static_cast<std::int64_t>(parameter.minimum);
    const auto maximum = static_cast<std::int64_t>(parameter.maximum);
    const std::string format = slider_format(parameter);
    // Dragging over millions would be useless and rebuild a mesh at every pixel: take the value when it is typed in.
    if (parameter.maximum - parameter.minimum > 10000.0) {
        ImGui::InputScalar("##value", ImGuiDataType_S64, &value, nullptr, nullptr, "%lld");
        // Return, Tab or a click elsewhere: whatever leaves the field.
        if (!ImGui::IsItemDeactivatedAfterEdit()) return false;
        value = std::min(std::max(value, minimum), maximum);
    } else {
        const ImGuiSliderFlags flags =
            ImGuiSliderFlags_AlwaysClamp | (parameter.logarithmic ? ImGuiSliderFlags_Logarithmic : 0);
        if (!ImGui::SliderScalar("##value", ImGuiDataType_S64, &value, &minimum, &maximum, format.c_str(), flags))
            return false;
    }
    parameter.set(settings, value);
    return true;
}

bool edit_choice(const Parameter& parameter, Settings& settings) {
    const std::string current = std::get<std::string>(parameter.get(settings));
    bool changed = false;
    if (!ImGui::BeginCombo("##value", current.c_str())) return false;
    for (const std::string& choice : parameter.choices) {
        if (!ImGui::Selectable(choice.c_str(), choice == current) || choice == current) continue;
        parameter.set(settings, choice);
        changed = true;
    }
    ImGui::EndCombo();
    return changed;
}

bool edit_boolean(const Parameter& parameter, Settings& settings) {
    bool value = std::get<bool>(parameter.get(settings));
    if (!ImGui::Checkbox("##value", &value)) return false;
    parameter.set(settings, value);
    return true;
}

bool edit(const Parameter& parameter, Settings& settings) {
    switch (parameter.kind) {
    case ParameterKind::real:
        return edit_real(parameter, settings);
    case ParameterKind::integer:
        return edit_integer(parameter, settings);
    case ParameterKind::choice:
        return edit_choice(parameter, settings);
    case ParameterKind::boolean:
        return edit_boolean(parameter, settings);
    case ParameterKind::text:
    case ParameterKind::path:
        ImGui::TextUnformatted(std::get<std::string>(parameter.get(settings)).c_str());
        return false;
    }
    return false;
}

void tooltip(const Parameter& parameter) {
    if (!ImGui::IsItemHovered()) return;
    const std::string range = parameter.range();
    ImGui::SetTooltip("%s\n%s%s%s %s", parameter.help.c_str(), parameter.flag().c_str(), range.empty() ? "" : "  ",
                      range.c_str(), parameter.unit.c_str());
}

} // namespace

bool parameter_widget(const Parameter& parameter, Settings& settings, const Settings& reference) {
    ImGui::PushID(parameter.id.c_str());
    const float reset_width = ImGui::GetFrameHeight();
    const float label_width = ImGui::GetFontSize() * 9.0F;
    ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x - label_width - reset_width);
    bool changed = edit(parameter, settings);
    tooltip(parameter);
    const float label_position =
        ImGui::GetContentRegionMax().x - label_width - reset_width + ImGui::GetStyle().ItemInnerSpacing.x;
    ImGui::SameLine(label_position);
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted(parameter.label.c_str());
    tooltip(parameter);
    if (parameter.get(settings) != parameter.get(reference)) {
        ImGui::SameLine(ImGui::GetContentRegionMax().x - reset_width);
        if (ImGui::Button("x", {reset_width, 0.0F})) {
            parameter.write(settings, parameter.get(reference));
            changed = true;
        }
        if (ImGui::IsItemHovered())
            ImGui::SetTooltip("Reset to %s %s", parameter.text(reference).c_str(), parameter.unit.c_str());
    }
    ImGui::PopID();
    return changed;
}

void parameter_group(std::string_view group, DemoState& state) {
    static constexpr std::array<std::string_view, 9> elsewhere{
        "sea", "algorithm", "size", "packing", "storage", "fused", "intermediate", "cascades", "fullscreen"};
    for (const Parameter& parameter : parameters()) {
        if (parameter.group != group || std::find(elsewhere.begin(), elsewhere.end(), parameter.id) != elsewhere.end())
            continue;
        parameter_widget(parameter, state.settings, state.reference);
    }
}

} // namespace spindrift
