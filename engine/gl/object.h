// Move-only ownership of one OpenGL name. Every wrapper of this folder derives from Object.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace spindrift::gl {

using Name = std::uint32_t; ///< GLuint, without dragging the loader's header into every translation unit

enum class ObjectKind { buffer, texture, program, query, vertex_array, framebuffer };
inline constexpr std::size_t object_kind_count = 6;

/// Leaves the wrapper empty: for members that are moved into later.
struct NoCreate {};
inline constexpr NoCreate no_create{};

enum class Ownership { borrowed, owned };

/// Live names created by wrappers of one kind in this process. Tests compare it before and after to find leaks.
std::size_t live_objects(ObjectKind kind) noexcept;
std::size_t live_objects() noexcept; ///< all kinds together

/// Bytes of texture and buffer storage allocated through the wrappers and not yet freed.
/// It is computed from sizes and formats; drivers add their own alignment on top.
std::size_t live_bytes() noexcept;

namespace detail {
void count_created(ObjectKind kind, std::size_t bytes) noexcept;
void destroy(ObjectKind kind, Name name, std::size_t bytes) noexcept;
void set_label(ObjectKind kind, Name name, std::string_view label) noexcept;
} // namespace detail

/// Owns (or borrows) a GL name. Copying is deleted: two owners would delete the same name twice.
/// A wrapper must be destroyed while the context that made it is current.
template <ObjectKind Kind>
class Object {
public:
    Object(const Object&) = delete;
    Object& operator=(const Object&) = delete;

    Object(Object&& other) noexcept
        : name_(std::exchange(other.name_, 0)), bytes_(std::exchange(other.bytes_, 0)),
          ownership_(std::exchange(other.ownership_, Ownership::borrowed)) {}

    Object& operator=(Object&& other) noexcept {
        if (this != &other) {
            reset();
            name_ = std::exchange(other.name_, 0);
            bytes_ = std::exchange(other.bytes_, 0);
            ownership_ = std::exchange(other.ownership_, Ownership::borrowed);
        }
        return *this;
    }

    ~Object() { reset(); }

    Name name() const noexcept { return name_; }
    explicit operator bool() const noexcept { return name_ != 0; }
    std::size_t byte_size() const noexcept { return bytes_; }

    /// Shown by debuggers and in debug messages.
    void set_label(std::string_view label) noexcept { detail::set_label(Kind, name_, label); }

protected:
    Object() noexcept = default;
    Object(Name name, Ownership ownership, std::size_t bytes = 0) noexcept
        : name_(name), bytes_(bytes), ownership_(ownership) {
        if (ownership_ == Ownership::owned) detail::count_created(Kind, bytes_);
    }

private:
    void reset() noexcept {
        if (name_ != 0 && ownership_ == Ownership::owned) detail::destroy(Kind, name_, bytes_);
        name_ = 0;
    }

    Name name_ = 0;
    std::size_t bytes_ = 0;
    Ownership ownership_ = Ownership::borrowed;
};

} // namespace spindrift::gl
