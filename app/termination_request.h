// A polite end on SIGINT and SIGTERM.
#pragma once

#include <array>
#include <csignal>
#include <cstddef>

namespace spindrift {

/// While it lives, the first SIGTERM or SIGINT only asks: the run looks at received() between frames, ends in order and
/// leaves no half-written file. A second one ends the process at once.
class TerminationRequest {
public:
    TerminationRequest() {
        requested = 0;
        for (std::size_t index = 0; index < signals.size(); ++index)
            previous_[index] = std::signal(signals[index], [](int number) {
                requested = number;
                std::signal(number, SIG_DFL);
            });
    }
    ~TerminationRequest() {
        for (std::size_t index = 0; index < signals.size(); ++index) std::signal(signals[index], previous_[index]);
    }
    TerminationRequest(const TerminationRequest&) = delete;
    TerminationRequest& operator=(const TerminationRequest&) = delete;

    bool received() const { return requested != 0; }
    /// "SIGINT" or "SIGTERM"; only after received().
    const char* name() const { return requested == SIGINT ? "SIGINT" : "SIGTERM"; }

private:
    static constexpr std::array<int, 2> signals{SIGTERM, SIGINT};
    static inline volatile std::sig_atomic_t requested = 0;
    std::array<void (*)(int), 2> previous_{};
};

} // namespace spindrift
