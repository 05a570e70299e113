#include "app/panel/layout.h"

#include "engine/error.h"
#include "engine/files.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <imgui.h>
#include <spdlog/spdlog.h>
#include <system_error>

namespace spindrift {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t largest_file = std::size_t{64} << 10;
constexpr std::string_view section_begin = "[Window][";
/// No screen is larger, and sums of such numbers are far from overflow.
constexpr int largest_coordinate = 100'000;

std::optional<int> parse_coordinate(std::string_view text) {
    int value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc() || end != text.data() + text.size()) return std::nullopt;
    if (value < -largest_coordinate || value > largest_coordinate) return std::nullopt;
    return value;
}

std::optional<std::array<int, 2>> parse_pair(std::string_view text) {
    const std::size_t comma = text.find(',');
    if (comma == std::string_view::npos) return std::nullopt;
    const auto first = parse_coordinate(text.substr(0, comma)), second = parse_coordinate(text.substr(comma + 1));
    if (!first || !second) return std::nullopt;
    return std::array{*first, *second};
}

void parse_line(std::string_view line, ChosenPlace& chosen) {
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) return;
    const std::string_view name = line.substr(0, equals), value = line.substr(equals + 1);
    if (name == "Pos") chosen.position = parse_pair(value);
    if (name == "Size")
        if (const auto size = parse_pair(value); size && (*size)[0] > 0 && (*size)[1] > 0) chosen.size = size;
    if (name == "Collapsed" && (value == "0" || value == "1")) chosen.collapsed = value == "1";
}

/// Moves the current window back onto a framebuffer that has become too small for it.
void keep_inside() {
    if (ImGui::IsMouseDown(ImGuiMouseButton_Left)) return; // a hand that drags it knows better
    const ImVec2 display = ImGui::GetIO().DisplaySize;
    const ImVec2 size = ImGui::GetWindowSize();
    const ImVec2 position = ImGui::GetWindowPos();
    const float x = std::clamp(position.x, 0.0F, std::max(0.0F, display.x - size.x));
    const float y = std::clamp(position.y, 0.0F, std::max(0.0F, display.y - size.y));
    if (x != position.x || y != position.y) ImGui::SetWindowPos({x, y});
}

ImVec2 to_imgui(const std::array<int, 2>& pair) {
    return {static_cast<float>(pair[0]), static_cast<float>(pair[1])};
}

std::array<int, 2> from_imgui(const ImVec2& pair) {
    return {static_cast<int>(pair.x), static_cast<int>(pair.y)};
}

} // namespace

PanelPlace panel_place(float x, float y, float width, float height) {
    return {.position = from_imgui({x, y}), .size = from_imgui({width, height})};
}

PanelLayout PanelLayout::parse(std::string_view text) {
    PanelLayout layout;
    ChosenPlace* section = nullptr;
    while (!text.empty()) {
        const std::size_t length = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, length);
        text.remove_prefix(std::min(length + 1, text.size()));
        if (line.starts_with(section_begin) && line.ends_with(']')) {
            const auto name = line.substr(section_begin.size(), line.size() - section_begin.size() - 1);
            section = &layout.chosen_[std::string(name)];
        } else if (line.starts_with('[')) {
            section = nullptr;
        } else if (section != nullptr) {
            parse_line(line, *section);
        }
    }
    return layout;
}

PanelLayout PanelLayout::load(const fs::path& file) {
    std::error_code failure;
    if (file.empty() || !fs::exists(file, failure)) return {};
    try {
        return parse(read_file(file, largest_file));
    } catch (const Error& error) {
        spdlog::warn("the panel's layout: {}; its windows stand where they usually do", error.what());
        return {};
    }
}

std::string PanelLayout::text() const {
    std::string text;
    for (const auto& [window, chosen] : chosen_) {
        text += fmt::format("{}{}]\n", section_begin, window);
        if (chosen.position) text += fmt::format("Pos={},{}\n", (*chosen.position)[0], (*chosen.position)[1]);
        if (chosen.size) text += fmt::format("Size={},{}\n", (*chosen.size)[0], (*chosen.size)[1]);
        if (chosen.collapsed) text += fmt::format("Collapsed={}\n", *chosen.collapsed ? 1 : 0);
        text += "\n";
    }
    return text;
}

void PanelLayout::save(const fs::path& file) const {
    if (!changed_ || file.empty()) return;
    try {
        std::error_code failure;
        fs::create_directories(file.parent_path(), failure);
        if (failure)
            throw Error(fmt::format("cannot make the folder {}: {}", file.parent_path().string(), failure.message()));
        write_file_atomically(file, text());
    } catch (const Error& error) {
        spdlog::warn("the panel's layout is not kept: {}", error.what());
    }
}

PanelPlace PanelLayout::place_of(const std::string& window, const PanelPlace& usual) const {
    const auto found = chosen_.find(window);
    if (found == chosen_.end()) return usual;
    const ChosenPlace& chosen = found->second;
    return {.position = chosen.position.value_or(usual.position),
            .size = chosen.size.value_or(usual.size),
            .collapsed = chosen.collapsed.value_or(usual.collapsed)};
}

void PanelLayout::follow(const std::string& window, const PanelPlace& place, bool by_hand) {
    const auto [last, is_new] = last_.try_emplace(window, place);
    if (is_new) return;
    // A title has a size of its own.
    const bool sized = by_hand && !place.collapsed && !last->second.collapsed && place.size != last->second.size;
    const bool moved = by_hand && place.position != last->second.position;
    // Nobody else does that; and Dear ImGui does it a frame after the button was let go.
    const bool folded = place.collapsed != last->second.collapsed;
    if (moved) chosen_[window].position = place.position;
    if (sized) chosen_[window].size = place.size;
    if (folded) chosen_[window].collapsed = place.collapsed;
    changed_ = changed_ || moved || sized || folded;
    last->second = place;
}

bool begin_window(PanelLayout& layout, const char* name, const PanelPlace& usual, bool* open) {
    const PanelPlace first = layout.place_of(name, usual);
    ImGui::SetNextWindowPos(to_imgui(first.position), ImGuiCond_FirstUseEver);
    ImGui::SetNextWindowSize(to_imgui(first.size), ImGuiCond_FirstUseEver);
    ImGui::SetNextWindowCollapsed(first.collapsed, ImGuiCond_FirstUseEver);
    const bool visible = ImGui::Begin(name, open);
    keep_inside();
    const bool by_hand = ImGui::IsWindowFocused(ImGuiFocusedFlags_RootAndChildWindows) &&
                         (ImGui::IsMouseDown(ImGuiMouseButton_Left) || ImGui::IsMouseReleased(ImGuiMouseButton_Left));
    layout.follow(name,
                  {.position = from_imgui(ImGui::GetWindowPos()),
                   .size = from_imgui(ImGui::GetWindowSize()),
                   .collapsed = ImGui::IsWindowCollapsed()},
                  by_hand);
    return visible;
}

} // namespace spindrift
