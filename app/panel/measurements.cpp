#include "app/panel/measurements.h"

#include "app/scene.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <imgui.h>
#include <vector>

namespace spindrift {
namespace {

constexpr double budget_ms = 1000.0 / 60.0;
constexpr ImU32 interval_color = IM_COL32(235, 190, 90, 255);
constexpr ImU32 gpu_color = IM_COL32(95, 190, 255, 255);
constexpr ImU32 budget_color = IM_COL32(255, 110, 100, 200);
constexpr ImU32 background_color = IM_COL32(10, 16, 22, 200);

/// Three significant digits are what these times are good for.
std::string milliseconds(double value) {
    if (!std::isfinite(value)) return "-";
    return value < 10.0 ? fmt::format("{:.3f}", value) : fmt::format("{:.1f}", value);
}

void curve(ImDrawList& list, const std::vector<double>& values, ImVec2 origin, ImVec2 size, double top, ImU32 color) {
    std::vector<ImVec2> points;
    const auto flush = [&] {
        list.AddPolyline(points.data(), static_cast<int>(points.size()), color, 0, 1.5F);
        points.clear();
    };
    for (std::size_t index = 0; index < values.size(); ++index) {
        if (!std::isfinite(values[index])) { // a missed sample is a gap, not a zero
            flush();
            continue;
        }
        const float x = origin.x + size.x * static_cast<float>(index) /
                                       static_cast<float>(std::max<std::size_t>(values.size() - 1, 1));
        const auto share = static_cast<float>(std::min(values[index] / top, 1.0));
        points.push_back({x, origin.y + size.y * (1.0F - share)});
    }
    flush();
}

void frame_graph(const profiler::History& history) {
    double highest = budget_ms;
    for (const double value : history.interval_ms)
        if (std::isfinite(value)) highest = std::max(highest, value);
    const double top = highest * 1.15;
    const ImVec2 origin = ImGui::GetCursorScreenPos();
    const ImVec2 size{ImGui::GetContentRegionAvail().x, ImGui::GetFontSize() * 6.0F};
    ImDrawList& list = *ImGui::GetWindowDrawList();
    list.AddRectFilled(origin, {origin.x + size.x, origin.y + size.y}, background_color, 3.0F);
    const float budget_y = origin.y + size.y * (1.0F - static_cast<float>(budget_ms / top));
    list.AddLine({origin.x, budget_y}, {origin.x + size.x, budget_y}, budget_color);
    list.AddText({origin.x + 4.0F, budget_y - ImGui::GetFontSize() - 1.0F}, budget_color, "16.7 ms (60 Hz)");
    curve(list, history.interval_ms, origin, size, top, interval_color);
    curve(list, history.gpu_ms, origin, size, top, gpu_color);
    ImGui::Dummy(size);
}

void cell(const std::string& text) {
    ImGui::TableNextColumn();
    const float width = ImGui::CalcTextSize(text.c_str()).x;
    ImGui::SetCursorPosX(ImGui::GetCursorPosX() + std::max(0.0F, ImGui::GetContentRegionAvail().x - width));
    ImGui::TextUnformatted(text.c_str());
}

void pass_table(const profiler::Statistics& statistics) {
    constexpr ImGuiTableFlags flags =
        ImGuiTableFlags_RowBg | ImGuiTableFlags_BordersInnerV | ImGuiTableFlags_SizingStretchProp;
    if (!ImGui::BeginTable("passes", 4, flags)) return;
    ImGui::TableSetupColumn("Pass", ImGuiTableColumnFlags_WidthStretch, 2.2F);
    ImGui::TableSetupColumn("GPU median", ImGuiTableColumnFlags_WidthStretch, 1.4F);
    ImGui::TableSetupColumn("GPU p95", ImGuiTableColumnFlags_WidthStretch, 1.2F);
    ImGui::TableSetupColumn("CPU median", ImGuiTableColumnFlags_WidthStretch, 1.4F);
    ImGui::TableHeadersRow();
    for (const profiler::ScopeStatistics& scope : statistics.scopes) {
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        ImGui::Text("%*s%s", scope.depth * 2, "", scope.name.c_str());
        cell(milliseconds(scope.gpu_ms.median));
        cell(milliseconds(scope.gpu_ms.p95));
        cell(milliseconds(scope.cpu_ms.median));
    }
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::TextUnformatted("whole frame");
    cell(milliseconds(statistics.frame.gpu_ms.median));
    cell(milliseconds(statistics.frame.gpu_ms.p95));
    cell(milliseconds(statistics.frame.cpu_ms.median));
    ImGui::EndTable();
}

} // namespace

void keep_inside() {
    if (ImGui::IsMouseDown(ImGuiMouseButton_Left)) return; // a hand that drags it knows better
    const ImVec2 display = ImGui::GetIO().DisplaySize;
    const ImVec2 size = ImGui::GetWindowSize();
    const ImVec2 position = ImGui::GetWindowPos();
    const float x = std::clamp(position.x, 0.0F, std::max(0.0F, display.x - size.x));
    const float y = std::clamp(position.y, 0.0F, std::max(0.0F, display.y - size.y));
    if (x != position.x || y != position.y) ImGui::SetWindowPos({x, y});
}

void measurements_window(const PanelFrame& frame) {
    const float font = ImGui::GetFontSize();
    const float width = std::min(font * 28.0F, ImGui::GetIO().DisplaySize.x * 0.5F);
    ImGui::SetNextWindowPos({ImGui::GetIO().DisplaySize.x - width - font * 0.7F, font * 0.7F}, ImGuiCond_FirstUseEver);
    ImGui::SetNextWindowSize({width, font * 26.5F}, ImGuiCond_FirstUseEver);
    if (ImGui::Begin("Measurements (ms)")) {
        keep_inside();
        const profiler::Statistics statistics = frame.profiler.statistics();
        const profiler::FrameStatistics& total = statistics.frame;
        ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(interval_color), "frame %s",
                           milliseconds(total.interval_ms.median).c_str());
        ImGui::SameLine();
        ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(gpu_color), "GPU %s",
                           milliseconds(total.gpu_ms.median).c_str());
        ImGui::TextDisabled("medians of %zu frames; frame p99 %s", total.frames,
                            milliseconds(total.interval_ms.p99).c_str());
        frame_graph(frame.profiler.history());
        pass_table(statistics);
        if (!frame.profiler.has_timestamps()) ImGui::TextWrapped("This device has no GPU timestamps.");
        if (total.missed > 0) ImGui::TextDisabled("%zu frames without GPU times", total.missed);
        ImGui::TextDisabled("t = %.2f s   %lld vertices   %lld triangles", frame.state.time,
                            static_cast<long long>(frame.scene.mesh_shape().vertex_count()),
                            static_cast<long long>(frame.scene.mesh_shape().triangle_count()));
    }
    ImGui::End();
}

void machine_facts(const gl::DeviceInfo& device, const std::string& platform) {
    const gl::DeviceLimits& limits = device.limits;
    ImGui::TextWrapped("%s", device.renderer.c_str());
    ImGui::TextWrapped("%s", device.version.c_str());
    ImGui::TextWrapped("%s", platform.c_str());
    if (device.software_renderer) ImGui::TextWrapped("A software renderer: correct, but slow.");
    ImGui::TextDisabled("work group invocations  %d", limits.max_group_invocations);
    ImGui::TextDisabled("work group size         %d x %d x %d", limits.max_group_size[0], limits.max_group_size[1],
                        limits.max_group_size[2]);
    ImGui::TextDisabled("shared memory           %d bytes", limits.max_shared_memory_bytes);
    ImGui::TextDisabled("texture size            %d", limits.max_texture_size);
    ImGui::TextDisabled("timestamp bits          %d", limits.timestamp_bits);
}

} // namespace spindrift
