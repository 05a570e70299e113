// What tuned kernels are measured with and compared against: made once for a search, on the CPU alone, so that another
// thread can do it.
#pragma once

#include "fft/reference.h"
#include "fft/transform.h"

#include <span>
#include <stop_token>
#include <vector>

namespace spindrift::fft {

/// What some rows or columns of one input become, spread so that every place in a work group is among them.
class AxisReference {
public:
    AxisReference() = default;
    AxisReference(const TransformDesc& desc, Axis axis, std::span<const float> input);

    /// Of a kernel's output, in the layout of `desc`; infinite when there is a NaN in it.
    double relative_l2(std::span<const float> output) const;

private:
    template <class Visit>
    void for_each_line(std::span<const float> values, Visit visit) const;

    TransformDesc desc_;
    Axis axis_ = Axis::horizontal;
    std::vector<int> lines_;
    std::vector<std::vector<reference::Complex>> expected_;
};

struct TuningCase {
    TransformDesc desc;
    std::vector<float> input;
    AxisReference rows, columns;
    std::vector<std::vector<reference::Complex>> expected; ///< as of reference::transform_batch()

    const AxisReference& of(Axis axis) const noexcept { return axis == Axis::horizontal ? rows : columns; }
};

/// Takes a second at size 2048. Incomplete once a stop is requested.
TuningCase make_tuning_case(const TransformDesc& desc, const std::stop_token& stop = {});

} // namespace spindrift::fft
