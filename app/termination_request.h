// SIGTERM and SIGINT as a request that a loop can see, so that what was measured is still written.
#pragma once

#include <array>
#include <csignal>
#include <cstddef>

namespace spindrift {

/// While it lives, the two signals do not end the program. One at a time.
class TerminationRequest {
public:
    TerminationRequest() {
        requested = 0;
        for (std::size_t index = 0; index < signals.size(); ++index)
            previous_[index] = std::signal(signals[index], [](int) { requested = 1; });
    }
    ~TerminationRequest() {
        for (std::size_t index = 0; index < signals.size(); ++index) std::signal(signals[index], previous_[index]);
    }
    TerminationRequest(const TerminationRequest&) = delete;
    TerminationRequest& operator=(const TerminationRequest&) = delete;
    bool received() const { return requested != 0; }

private:
    static constexpr std::array<int, 2> signals{SIGTERM, SIGINT};
    static inline volatile std::sig_atomic_t requested = 0;
    std::array<void (*)(int), 2> previous_{};
};

} // namespace spindrift
