// A polite end on SIGINT, SIGTERM and SIGHUP.
#pragma once

#include <array>
#include <csignal>
#include <cstddef>

namespace spindrift {

/// While it lives, the first of them only asks: the run looks at received() between frames, ends in order and leaves no
/// half-written file. A second one of the same kind ends the process at once. A SIGHUP that is ignored, as under nohup,
/// stays so.
class TerminationRequest {
public:
    TerminationRequest() {
        requested = 0;
        for (std::size_t index = 0; index < signals.size(); ++index) {
            previous_[index] = std::signal(signals[index], [](int number) {
                if (requested == 0) requested = number;
                std::signal(number, SIG_DFL);
            });
            if (signals[index] == SIGHUP && previous_[index] == SIG_IGN) std::signal(SIGHUP, SIG_IGN);
        }
    }
    ~TerminationRequest() {
        for (std::size_t index = 0; index < signals.size(); ++index) std::signal(signals[index], previous_[index]);
    }
    TerminationRequest(const TerminationRequest&) = delete;
    TerminationRequest& operator=(const TerminationRequest&) = delete;

    bool received() const { return requested != 0; }
    /// "SIGINT", "SIGTERM" or "SIGHUP"; only after received().
    const char* name() const { return requested == SIGINT ? "SIGINT" : requested == SIGTERM ? "SIGTERM" : "SIGHUP"; }

private:
    static constexpr std::array<int, 3> signals{SIGTERM, SIGINT, SIGHUP};
    static inline volatile std::sig_atomic_t requested = 0;
    std::array<void (*)(int), 3> previous_{};
};

} // namespace spindrift
