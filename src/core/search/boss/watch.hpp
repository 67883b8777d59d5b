// When a search by best orders is to end, and what it reports meanwhile.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "progress.hpp"
#include "scores/ties.hpp"

namespace veridag::boss_search {

// Progress with a deadline. Counts the moves made, and knows the best score so far.
class Watch {
   public:
    // No deadline if `seconds` is negative.
    Watch(Progress& progress, double seconds) : progress_(progress) {
        if (seconds >= 0.0) deadline_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(Seconds(seconds));
    }

    bool stop() {
        if (!late_ && deadline_ && Clock::now() >= *deadline_) late_ = true;
        return progress_.stop(steps, best) || late_;
    }
    bool stopped() const { return late_ || progress_.stopped(); }
    bool interrupted() const { return progress_.stopped(); }
    bool late() const { return late_; }

    std::int64_t steps = 0;
    double best = minus_infinity;

   private:
    using Clock = std::chrono::steady_clock;
    using Seconds = std::chrono::duration<double>;
    Progress& progress_;
    std::optional<Clock::time_point> deadline_;
    bool late_ = false;
};

}  // namespace veridag::boss_search
