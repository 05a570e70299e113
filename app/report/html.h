// Parts of the pages that reports are made of. A page is one file: no scripts, no pictures beside it, nothing from the
// network; it follows the reader's choice of a light or a dark screen.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace spindrift::report {

/// For text and attribute values: & < > " ' are replaced, bytes that are no UTF-8 become U+FFFD, and control characters
/// other than line breaks and tabs, which HTML forbids, are left out.
std::string html_escape(std::string_view text);

/// `title` is text, `body` is HTML. `wide`: for tables of many columns, as wide as the window.
std::string html_page(std::string_view title, std::string_view body, bool wide = false);

/// Cells are HTML. The first column is aligned to the left, the others to the right, unless `text_columns` says that
/// all are words.
struct HtmlTable {
    std::vector<std::string> headings; ///< empty: no heading row
    std::vector<std::vector<std::string>> rows;
    bool text_columns = false;
    std::string str() const;
};

/// A fold that is open at first or not; `summary` is text, `body` is HTML.
std::string html_details(std::string_view summary, std::string_view body, bool open = false);

/// Milliseconds with three or, below one, four decimals; a dash where there is no number.
std::string html_ms(double milliseconds);
/// With `decimals`, or a dash.
std::string html_number(double value, int decimals);

/// Throws Error(usage) unless the name ends in .html, and Error when the file could not be written later.
void check_html_path(const std::filesystem::path& path, std::string_view flag);

} // namespace spindrift::report
