#include "engine/gl/query.h"

#include "engine/gl/gl.h"

namespace spindrift::gl {
namespace {

Name create() {
    Name name = 0;
    glCreateQueries(GL_TIMESTAMP, 1, &name);
    return name;
}

} // namespace

TimestampQuery::TimestampQuery() : Object(create(), Ownership::owned) {}

void TimestampQuery::record() {
    glQueryCounter(name(), GL_TIMESTAMP);
}

std::optional<std::uint64_t> TimestampQuery::try_result() const {
    GLuint64 available = 0;
    glGetQueryObjectui64v(name(), GL_QUERY_RESULT_AVAILABLE, &available);
    if (available == 0) return std::nullopt;
    return wait_result();
}

std::uint64_t TimestampQuery::wait_result() const {
    GLuint64 nanoseconds = 0;
    glGetQueryObjectui64v(name(), GL_QUERY_RESULT, &nanoseconds);
    return nanoseconds;
}

} // namespace spindrift::gl
