// One line of a terminal that overwrites itself while something long runs.
#pragma once

#include <cstddef>
#include <string>

namespace spindrift {

/// On standard error, and silent where that is no terminal, so that logs hold no control characters. The line is gone
/// when the object is: what is printed then begins at the left.
class ProgressLine {
public:
    ProgressLine();
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;
    ~ProgressLine();

    bool visible() const noexcept { return visible_; }
    /// In place of what is there; cut to 110 bytes.
    void show(const std::string& what) const;

private:
    bool visible_;
};

/// "[#####.....] 5/10" in `width` columns.
std::string progress_bar(std::size_t done, std::size_t total, std::size_t width);

} // namespace spindrift
