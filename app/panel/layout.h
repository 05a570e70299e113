// Where the windows of the panel stand, and what of that is kept for the next start: only what a hand has moved.
//
// A window that is too small for the panel makes it stand elsewhere and smaller. Kept, that would be what a later run
// in a large window shows; so places and sizes that nobody has chosen are found anew in every run.
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace spindrift {

/// Pixels from the framebuffer's upper left corner.
struct PanelPlace {
    std::array<int, 2> position{}, size{};
    bool collapsed = false; ///< to its title
};

/// In whole pixels.
PanelPlace panel_place(float x, float y, float width, float height);

/// What a hand has chosen of a window's place.
struct ChosenPlace {
    std::optional<std::array<int, 2>> position, size;
    std::optional<bool> collapsed;
};

class PanelLayout {
public:
    /// From the text of a file; lines that it cannot use are passed over, as a layout is no reason not to start.
    static PanelLayout parse(std::string_view text);
    /// parse() of a file; nothing is chosen where it does not exist, or cannot be read, which is logged.
    static PanelLayout load(const std::filesystem::path& file);
    /// Sections such as "[Window][Spindrift]" with Pos, Size and Collapsed: the form of Dear ImGui's own files.
    std::string text() const;
    /// Writes the file, and makes its folder, if a hand has changed anything since. Failures are logged.
    void save(const std::filesystem::path& file) const;

    /// Where a window opens: as chosen, else as in `usual`.
    PanelPlace place_of(const std::string& window, const PanelPlace& usual) const;
    /// Where a window stands in this frame, after one before: a place and a size that have changed `by_hand` are chosen
    /// from now on. So is whether it is collapsed, however that has changed.
    void follow(const std::string& window, const PanelPlace& place, bool by_hand);

private:
    std::map<std::string, ChosenPlace> chosen_;
    std::map<std::string, PanelPlace> last_; ///< of the frame before
    bool changed_ = false;
};

/// ImGui::Begin() of a window of the panel, which opens where `layout` says and stays inside the framebuffer. Like it,
/// false when there is nothing to draw, and wants ImGui::End() in any case. `open`: see there; may be nullptr.
bool begin_window(PanelLayout& layout, const char* name, const PanelPlace& usual, bool* open = nullptr);

} // namespace spindrift
