#include "app/panel/measurements.h"

#include "app/panel/histogram.h"
#include "app/report/frame_figures.h"
#include "app/scene.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <imgui.h>
#include <initializer_list>
#include <vector>

namespace spindrift {
namespace {

constexpr double budget_ms = 1000.0 / 60.0;
constexpr ImU32 interval_color = IM_COL32(235, 190, 90, 255);
constexpr ImU32 gpu_color = IM_COL32(95, 190, 255, 255);
constexpr ImU32 budget_color = IM_COL32(255, 110, 100, 200);
constexpr ImU32 mark_color = IM_COL32(220, 225, 230, 220);
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

/// A bar's place for a time; what is longer than `top` stands at the right edge.
float place_of(double milliseconds, double top, float width) {
    return width * static_cast<float>(std::clamp(milliseconds / top, 0.0, 1.0));
}

/// How often which frame time occurred, with the marks of median, p95 and p99.
void frame_histogram(const std::vector<double>& interval_ms, const profiler::Summary& summary) {
    constexpr std::size_t bins = 60;
    const double top = 1.25 * (std::isfinite(summary.p99) ? std::max(summary.p99, 1e-3) : budget_ms);
    const std::vector<std::size_t> counts = histogram(interval_ms, 0.0, top, bins);
    const float font = ImGui::GetFontSize();
    const ImVec2 origin = ImGui::GetCursorScreenPos();
    const ImVec2 size{ImGui::GetContentRegionAvail().x, font * 4.5F};
    ImDrawList& list = *ImGui::GetWindowDrawList();
    list.AddRectFilled(origin, {origin.x + size.x, origin.y + size.y}, background_color, 3.0F);
    const std::size_t most = std::max<std::size_t>(1, *std::max_element(counts.begin(), counts.end()));
    const float bin_width = size.x / static_cast<float>(bins);
    const float room = size.y - font; // above it stand the marks' names
    for (std::size_t bin = 0; bin < bins; ++bin) {
        if (counts[bin] == 0) continue;
        // Never less than a pixel: a single hitch is what one looks for.
        const float height = std::max(1.5F, room * static_cast<float>(counts[bin]) / static_cast<float>(most));
        const float x = origin.x + bin_width * static_cast<float>(bin);
        list.AddRectFilled({x + 0.5F, origin.y + size.y - height}, {x + bin_width - 0.5F, origin.y + size.y},
                           interval_color);
    }
    const auto mark = [&](double value, const char* name, ImU32 color) {
        if (!std::isfinite(value)) return;
        const float x = origin.x + place_of(value, top, size.x);
        list.AddLine({x, origin.y}, {x, origin.y + size.y}, color);
        list.AddText({x + 3.0F, origin.y}, color, name);
    };
    mark(summary.median, "median", mark_color);
    // Names that would stand on each other are left out: the line says enough.
    const float distance = place_of(summary.p99, top, size.x) - place_of(summary.p95, top, size.x);
    const float before = place_of(summary.p95, top, size.x) - place_of(summary.median, top, size.x);
    mark(summary.p95, distance > font * 2.2F && before > font * 4.0F ? "p95" : "", mark_color);
    mark(summary.p99, "p99", budget_color);
    ImGui::Dummy(size);
    if (ImGui::IsItemHovered())
        ImGui::SetTooltip("Frame times of the last %zu frames, 0 to %.2f ms; longer ones in the last bar",
                          summary.count, top);
}

ImU32 pass_color(std::size_t index) {
    // Okabe and Ito's colours, told apart by most eyes.
    static constexpr std::array colors{IM_COL32(86, 180, 233, 255),  IM_COL32(230, 159, 0, 255),
                                       IM_COL32(0, 158, 115, 255),   IM_COL32(240, 228, 66, 255),
                                       IM_COL32(100, 120, 220, 255), IM_COL32(213, 94, 0, 255),
                                       IM_COL32(204, 121, 167, 255), IM_COL32(170, 170, 170, 255)};
    return colors[index % colors.size()];
}

/// GPU time of the outermost passes on each other, one column a frame, the newest at the right edge.
void pass_history(const profiler::History& history) {
    const std::size_t frames = history.gpu_ms.size();
    std::vector<double> totals(frames, 0.0);
    // A pass that came later has fewer frames: its last one is everybody's last.
    const auto sample = [frames](const profiler::History::Pass& pass, std::size_t frame) {
        const std::size_t missing = frames - std::min(frames, pass.gpu_ms.size());
        const double value = frame < missing ? 0.0 : pass.gpu_ms[frame - missing];
        return std::isfinite(value) ? value : 0.0;
    };
    for (const profiler::History::Pass& pass : history.passes)
        for (std::size_t frame = 0; pass.depth == 0 && frame < frames; ++frame) totals[frame] += sample(pass, frame);
    const double top = 1.1 * std::max(profiler::percentile(totals, 0.99), 1e-3);
    const ImVec2 origin = ImGui::GetCursorScreenPos();
    const ImVec2 size{ImGui::GetContentRegionAvail().x, ImGui::GetFontSize() * 5.5F};
    ImDrawList& list = *ImGui::GetWindowDrawList();
    list.AddRectFilled(origin, {origin.x + size.x, origin.y + size.y}, background_color, 3.0F);
    list.PushClipRect(origin, {origin.x + size.x, origin.y + size.y}, true);
    // No more columns than pixels; the window may be narrower than the history is long.
    const std::size_t columns = std::min(frames, static_cast<std::size_t>(std::max(1.0F, size.x / 2.0F)));
    const float width = columns > 0 ? size.x / static_cast<float>(columns) : 0.0F;
    for (std::size_t column = 0; column < columns; ++column) {
        const std::size_t frame = frames - columns + column;
        float y = origin.y + size.y;
        std::size_t index = 0;
        for (const profiler::History::Pass& pass : history.passes) {
            if (pass.depth != 0) continue;
            const float height = size.y * static_cast<float>(sample(pass, frame) / top);
            const float x = origin.x + width * static_cast<float>(column);
            list.AddRectFilled({x, y - height}, {x + width, y}, pass_color(index++));
            y -= height;
        }
    }
    list.PopClipRect();
    list.AddText({origin.x + 4.0F, origin.y + 1.0F}, IM_COL32_WHITE, fmt::format("{} ms", milliseconds(top)).c_str());
    ImGui::Dummy(size);
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("GPU time of each pass, frame by frame; colours as in the table");
}

void cell(const std::string& text) {
    ImGui::TableNextColumn();
    const float width = ImGui::CalcTextSize(text.c_str()).x;
    ImGui::SetCursorPosX(ImGui::GetCursorPosX() + std::max(0.0F, ImGui::GetContentRegionAvail().x - width));
    ImGui::TextUnformatted(text.c_str());
}

constexpr ImGuiTableFlags table_flags =
    ImGuiTableFlags_RowBg | ImGuiTableFlags_BordersInnerV | ImGuiTableFlags_SizingStretchProp;

void columns(const char* first, std::initializer_list<const char*> others) {
    ImGui::TableSetupColumn(first, ImGuiTableColumnFlags_WidthStretch, 2.6F);
    for (const char* other : others) ImGui::TableSetupColumn(other, ImGuiTableColumnFlags_WidthStretch, 1.2F);
    ImGui::TableHeadersRow();
}

void frame_table(const profiler::FrameStatistics& frame) {
    if (!ImGui::BeginTable("frame", 6, table_flags)) return;
    columns("", {"median", "p95", "p99", "p99.9", "max"});
    const auto row = [](const char* name, const profiler::Summary& summary, ImU32 color) {
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(color), "%s", name);
        for (const double value : {summary.median, summary.p95, summary.p99, summary.p999, summary.max})
            cell(milliseconds(value));
    };
    row("frame", frame.interval_ms, interval_color);
    row("GPU", frame.gpu_ms, gpu_color);
    row("CPU", frame.cpu_ms, IM_COL32_WHITE);
    row("swap", frame.present_ms, IM_COL32_WHITE);
    ImGui::EndTable();
}

void pass_table(const profiler::Statistics& statistics) {
    if (!ImGui::BeginTable("passes", 5, table_flags)) return;
    columns("Pass", {"GPU", "p95", "p99", "CPU"});
    std::size_t index = 0;
    for (const profiler::ScopeStatistics& scope : statistics.scopes) {
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        if (scope.depth == 0) {
            const float font = ImGui::GetFontSize();
            const ImVec2 corner = ImGui::GetCursorScreenPos();
            ImGui::GetWindowDrawList()->AddRectFilled({corner.x, corner.y + font * 0.2F},
                                                      {corner.x + font * 0.6F, corner.y + font * 0.8F},
                                                      pass_color(index++));
        }
        ImGui::Dummy({ImGui::GetFontSize() * (0.6F + static_cast<float>(scope.depth)), 0.0F});
        ImGui::SameLine();
        ImGui::TextUnformatted(scope.name.c_str());
        cell(milliseconds(scope.gpu_ms.median));
        cell(milliseconds(scope.gpu_ms.p95));
        cell(milliseconds(scope.gpu_ms.p99));
        cell(milliseconds(scope.cpu_ms.median));
    }
    ImGui::EndTable();
}

/// The present beside the recordings in memory.
void recordings_table(const profiler::Statistics& now, const std::vector<KeptRecording>& recordings) {
    if (recordings.empty()) {
        ImGui::PushStyleColor(ImGuiCol_Text, ImGui::GetStyleColorVec4(ImGuiCol_TextDisabled));
        ImGui::TextWrapped("F9 records; the last three stand here beside the present.");
        ImGui::PopStyleColor();
        return;
    }
    const int count = static_cast<int>(recordings.size());
    if (!ImGui::BeginTable("recordings", 2 + count, table_flags)) return;
    ImGui::TableSetupColumn("", ImGuiTableColumnFlags_WidthStretch, 1.6F);
    ImGui::TableSetupColumn("now", ImGuiTableColumnFlags_WidthStretch, 1.0F);
    for (int index = 0; index < count; ++index)
        ImGui::TableSetupColumn(fmt::format("{} ago", index + 1).c_str(), ImGuiTableColumnFlags_WidthStretch, 1.0F);
    ImGui::TableHeadersRow();
    const auto row = [&](const std::string& name, double present, auto value_of) {
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        ImGui::TextUnformatted(name.c_str());
        cell(milliseconds(present));
        for (const KeptRecording& recording : recordings) {
            cell(milliseconds(value_of(recording)));
            if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s\n%s", recording.label.c_str(), recording.file.c_str());
        }
    };
    const auto frame_row = [&](const char* name, double profiler::Summary::*value) {
        row(name, now.frame.interval_ms.*value,
            [value](const KeptRecording& recording) { return recording.statistics.frame.interval_ms.*value; });
    };
    frame_row("frame median", &profiler::Summary::median);
    frame_row("p95", &profiler::Summary::p95);
    frame_row("p99", &profiler::Summary::p99);
    frame_row("p99.9", &profiler::Summary::p999);
    row("GPU median", now.frame.gpu_ms.median,
        [](const KeptRecording& recording) { return recording.statistics.frame.gpu_ms.median; });
    for (const profiler::ScopeStatistics& scope : now.scopes)
        row("  " + scope.name, scope.gpu_ms.median, [&scope](const KeptRecording& recording) {
            const auto& scopes = recording.statistics.scopes;
            const auto same =
                std::find_if(scopes.begin(), scopes.end(), [&](const auto& other) { return other.path == scope.path; });
            return same == scopes.end() ? profiler::not_available : same->gpu_ms.median;
        });
    ImGui::EndTable();
    for (int index = 0; index < count; ++index) {
        const KeptRecording& recording = recordings[static_cast<std::size_t>(index)];
        ImGui::TextDisabled("%d ago: %s, %zu frames, %.1f fps", index + 1, recording.label.c_str(),
                            recording.statistics.frame.frames, recording.figures.fps_average);
        if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", recording.file.c_str());
    }
}

} // namespace

const profiler::Statistics& MeasurementsView::statistics(const profiler::Profiler& profiler) {
    constexpr double update_interval = 0.25; // seconds: numbers that change in every frame cannot be read
    const double now = ImGui::GetTime();
    // Until there is something to show, and after a reset, at once.
    if (now >= next_update_ || statistics_.frame.frames == 0) {
        statistics_ = profiler.statistics();
        next_update_ = now + update_interval;
    }
    return statistics_;
}

void MeasurementsView::draw(const PanelFrame& frame, PanelLayout& layout) {
    const float font = ImGui::GetFontSize();
    const ImVec2 display = ImGui::GetIO().DisplaySize;
    const float width = std::min(font * 30.0F, display.x * 0.5F);
    const PanelPlace usual = panel_place(display.x - width - font * 0.7F, font * 0.7F, width,
                                         std::min(font * 60.0F, display.y - font * 1.4F));
    if (begin_window(layout, "Measurements (ms)", usual)) {
        const profiler::Statistics& all = statistics(frame.profiler);
        const profiler::History history = frame.profiler.history();
        if (frame.tuning.phase == TuningPhase::running)
            ImGui::TextColored({1.0F, 0.75F, 0.35F, 1.0F}, "Tuning: these times are disturbed.");
        frame_table(all.frame);
        ImGui::TextDisabled("last %zu frames   %.1f fps   t = %.2f s", all.frame.interval_ms.count,
                            report::frame_figures(history.interval_ms).fps_average, frame.state.time);
        frame_graph(history);
        frame_histogram(history.interval_ms, all.frame.interval_ms);
        if (ImGui::CollapsingHeader("Passes", ImGuiTreeNodeFlags_DefaultOpen)) {
            pass_history(history);
            pass_table(all);
        }
        if (ImGui::CollapsingHeader("Recordings", ImGuiTreeNodeFlags_DefaultOpen))
            recordings_table(all, frame.state.recordings);
        if (!frame.profiler.has_timestamps()) ImGui::TextWrapped("This device has no GPU timestamps.");
        if (all.frame.missed > 0) ImGui::TextDisabled("%zu frames without GPU times", all.frame.missed);
        ImGui::TextDisabled("%lld vertices   %lld triangles",
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
