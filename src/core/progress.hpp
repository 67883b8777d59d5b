// How far a search is, and whether it is to stop: the one way between a search and whoever waits for it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

namespace veridag {

// Calls a callback at the first step and then several times a second, however short or long a step is. A search asks
// `stop` after every piece of work and, once the answer is yes, returns the best it has. One thread calls `stop`; any
// thread may ask `stopped` or `request_stop`.
class Progress {
   public:
    // Steps done, the best score so far, and a bound that no score exceeds (infinite where none is known); true to stop
    // the search.
    using Callback = std::function<bool(std::int64_t steps, double best, double bound)>;

    Progress() = default;  // nobody waits, and nothing stops the search
    explicit Progress(Callback callback) : callback_(std::move(callback)) {}

    bool stop(std::int64_t steps, double best, double bound = std::numeric_limits<double>::infinity()) {
        if (stopped() || !callback_) return stopped();
        Clock::time_point now = Clock::now();
        if (last_ && now - *last_ < std::chrono::milliseconds(40)) return false;
        last_ = now;
        if (callback_(steps, best, bound)) request_stop();
        return stopped();
    }

    void request_stop() { stopped_.store(true, std::memory_order_relaxed); }
    bool stopped() const { return stopped_.load(std::memory_order_relaxed); }

   private:
    using Clock = std::chrono::steady_clock;
    Callback callback_;
    std::optional<Clock::time_point> last_;
    std::atomic<bool> stopped_{false};
};

}  // namespace veridag
