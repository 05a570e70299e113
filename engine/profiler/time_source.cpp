#include "engine/profiler/time_source.h"

#include "engine/gl/device.h"
#include "engine/gl/gl.h"
#include "engine/gl/query.h"

#include <cassert>
#include <vector>

namespace spindrift::profiler {

std::int64_t wrapped_difference(std::uint64_t begin, std::uint64_t end, int bits) noexcept {
    assert(bits > 0 && bits <= 64);
    // Shifting the counter's sign bit to bit 63 makes one two's complement subtraction right for every width.
    const int shift = 64 - bits;
    return static_cast<std::int64_t>((end - begin) << shift) >> shift;
}

namespace {

class GlTimeSource final : public TimeSource {
public:
    explicit GlTimeSource(const gl::DeviceInfo& device)
        : bits_(device.limits.timestamp_bits), finish_(device.software_renderer) {}

    std::string_view name() const noexcept override { return "GL"; }
    bool has_timestamps() const noexcept override { return bits_ > 0; }

    std::size_t create_slot() override {
        queries_.emplace_back();
        return queries_.size() - 1;
    }

    void record(std::size_t slot) override {
        queries_[slot].record();
        // llvmpipe puts draws and timestamps off until a flush but runs compute at once, and rasterises on threads of
        // its own: without waiting here a draw's time lands in a neighbour's scope, and with a flush alone the stamp
        // races with the compute work that follows. A CPU renderer has no queue to keep filled; hardware is never
        // waited for.
        if (finish_) glFinish();
    }

    bool available(std::size_t slot) override {
        GLuint64 is_available = 0;
        glGetQueryObjectui64v(queries_[slot].name(), GL_QUERY_RESULT_AVAILABLE, &is_available);
        return is_available != 0;
    }

    void wait(std::size_t slot) override { queries_[slot].wait_result(); }

    std::int64_t elapsed(std::size_t begin_slot, std::size_t end_slot) override {
        return wrapped_difference(queries_[begin_slot].wait_result(), queries_[end_slot].wait_result(), bits_);
    }

    void anchor() override {
        GLint64 now = 0;
        glGetInteger64v(GL_TIMESTAMP, &now);
        anchor_ = static_cast<std::uint64_t>(now);
    }

    std::int64_t since_anchor(std::size_t slot) override {
        return wrapped_difference(anchor_, queries_[slot].wait_result(), bits_);
    }

    void finish() override { glFinish(); }

    void push_group(std::string_view name) override {
        glPushDebugGroup(GL_DEBUG_SOURCE_APPLICATION, 0, static_cast<GLsizei>(name.size()), name.data());
    }
    void pop_group() override { glPopDebugGroup(); }

private:
    std::vector<gl::TimestampQuery> queries_;
    std::uint64_t anchor_ = 0;
    int bits_;
    bool finish_; ///< software renderer: see record()
};

} // namespace

std::unique_ptr<TimeSource> make_gl_time_source(const gl::DeviceInfo& device) {
    return std::make_unique<GlTimeSource>(device);
}

} // namespace spindrift::profiler
