#include "fft/tuning_case.h"

#include "fft/verification.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace spindrift::fft {

AxisReference::AxisReference(const TransformDesc& desc, Axis axis, std::span<const float> input)
    : desc_(desc), axis_(axis) {
    constexpr int most = 24;
    for (int index = 0; index < std::min(desc.size, most); ++index)
        lines_.push_back(desc.size <= most ? index : index < 16 ? index : (index - 15) * (desc.size - 1) / 8 - 3);
    for_each_line(input, [this](std::vector<reference::Complex> line) {
        reference::transform_line(line, desc_.direction);
        expected_.push_back(std::move(line));
    });
}

double AxisReference::relative_l2(std::span<const float> output) const {
    double error = 0;
    double norm = 0;
    std::size_t next = 0;
    for_each_line(output, [&](const std::vector<reference::Complex>& line) {
        const auto& expected = expected_[next++];
        for (std::size_t index = 0; index < line.size(); ++index) {
            error += std::norm(line[index] - expected[index]);
            norm += std::norm(expected[index]);
        }
    });
    const double relative = std::sqrt(error / norm);
    return std::isfinite(relative) ? relative : std::numeric_limits<double>::infinity();
}

template <class Visit>
void AxisReference::for_each_line(std::span<const float> values, Visit visit) const {
    const auto size = static_cast<std::size_t>(desc_.size);
    const auto lanes = static_cast<std::size_t>(complex_per_texel(desc_.packing));
    for (std::size_t layer = 0; layer < static_cast<std::size_t>(desc_.layers); ++layer)
        for (const int line : lines_)
            for (std::size_t lane = 0; lane < lanes; ++lane) {
                std::vector<reference::Complex> values_of_line(size);
                for (std::size_t element = 0; element < size; ++element) {
                    const auto row = axis_ == Axis::horizontal ? static_cast<std::size_t>(line) : element;
                    const auto column = axis_ == Axis::horizontal ? element : static_cast<std::size_t>(line);
                    const std::size_t place = (((layer * size + row) * size + column) * lanes + lane) * 2;
                    values_of_line[element] = {values[place], values[place + 1]};
                }
                visit(std::move(values_of_line));
            }
}

TuningCase make_tuning_case(const TransformDesc& desc, const std::stop_token& stop) {
    TuningCase made{.desc = desc, .input = random_input(desc, 1), .rows = {}, .columns = {}, .expected = {}};
    if (stop.stop_requested()) return made;
    made.rows = AxisReference(desc, Axis::horizontal, made.input);
    made.columns = AxisReference(desc, Axis::vertical, made.input);
    for (int layer = 0; layer < desc.layers; ++layer)
        for (int lane = 0; lane < complex_per_texel(desc.packing) && !stop.stop_requested(); ++lane) {
            made.expected.push_back(reference::extract_field(made.input, desc, layer, lane));
            reference::transform_square(made.expected.back(), desc.size, desc.direction, desc.scaling, stop);
        }
    return made;
}

} // namespace spindrift::fft
