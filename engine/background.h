// One piece of work on a thread of its own, for what takes longer than a frame.
#pragma once

#include <chrono>
#include <future>
#include <stop_token>
#include <utility>

namespace spindrift {

/// Its end asks the work to stop and waits for it: what the work refers to must be declared before it.
template <class Result>
class Background {
public:
    Background() = default;
    Background(const Background&) = delete;
    Background& operator=(const Background&) = delete;
    ~Background() { stop_.request_stop(); } // and the future waits

    /// `work` gets a std::stop_token, and may end with anything once a stop is requested. None may be under way.
    template <class Work>
    void start(Work work) {
        future_ = std::async(std::launch::async, std::move(work), stop_.get_token());
    }
    bool started() const noexcept { return future_.valid(); } ///< and not taken yet
    /// Never waits.
    bool ready() const { return started() && future_.wait_for(std::chrono::seconds(0)) == std::future_status::ready; }
    /// Nothing can be started any more.
    void request_stop() noexcept { stop_.request_stop(); }
    /// Waits. Throws what the work threw.
    Result take() { return future_.get(); }

private:
    std::stop_source stop_;
    std::future<Result> future_;
};

} // namespace spindrift
