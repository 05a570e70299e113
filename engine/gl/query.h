// Timestamp queries.
#pragma once

#include "engine/gl/object.h"

#include <optional>

namespace spindrift::gl {

/// One GL_TIMESTAMP query.
class TimestampQuery : public Object<ObjectKind::query> {
public:
    explicit TimestampQuery(NoCreate) noexcept {}
    TimestampQuery();

    void record(); ///< the GPU writes its clock when it gets here
    std::optional<std::uint64_t>
    try_result() const;                ///< nanoseconds; empty while the GPU has not got there, never waits
    std::uint64_t wait_result() const; ///< nanoseconds; waits
};

} // namespace spindrift::gl
