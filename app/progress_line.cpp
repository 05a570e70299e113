#include "app/progress_line.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>

namespace spindrift {
namespace {

constexpr std::size_t longest_line = 110;
constexpr const char* to_an_empty_line = "\r\x1b[K";

} // namespace

ProgressLine::ProgressLine() : visible_(::isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() {
    if (visible_) std::fputs(to_an_empty_line, stderr);
}

void ProgressLine::show(const std::string& what) const {
    if (!visible_) return;
    std::fputs(fmt::format("{}{}", to_an_empty_line, what.substr(0, longest_line)).c_str(), stderr);
    std::fflush(stderr);
}

std::string progress_bar(std::size_t done, std::size_t total, std::size_t width) {
    const std::string numbers = fmt::format("] {}/{}", done, total);
    const std::size_t room = width > numbers.size() + 1 ? width - numbers.size() - 1 : 0;
    const std::size_t filled = total > 0 ? room * std::min(done, total) / total : 0;
    return fmt::format("[{}{}{}", std::string(filled, '#'), std::string(room - filled, '.'), numbers);
}

} // namespace spindrift
