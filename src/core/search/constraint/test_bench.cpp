#include "search/constraint/test_bench.hpp"

#include <algorithm>

namespace veridag {

TestBench::TestBench(int variables, TestFactory make, int threads, bool cached, Progress& progress)
    : variables_(variables), make_(std::move(make)), threads_(threads), cached_(cached), progress_(progress), keys_(variables) {}

Decision TestBench::Worker::of(int x, int y, std::span<const int> given) {
    if (++calls_ >= 64) hand_in_calls();
    if (calls_back_) tests_.poll();
    if (tests_.stopped()) throw Stopped{};
    if (x > y) std::swap(x, y);
    given_.assign(given.begin(), given.end());
    std::sort(given_.begin(), given_.end());
    if (!tests_.cached_) return test_->of(x, y, given_);
    Key key = tests_.keys_.subject(x) + tests_.keys_.subject(y) + tests_.keys_.conditions(given_);
    Decision decision;
    if (tests_.cache_.find(key, decision)) return decision;
    decision = test_->of(x, y, given_);
    tests_.cache_.keep(key, decision);
    return decision;
}

bool find_separator(TestBench::Worker& tests, int x, int y, std::span<const int> from, std::size_t largest, std::vector<int>& separator) {
    for (std::size_t size = 0; size <= std::min(largest, from.size()); ++size) {
        auto separates = [&](std::span<const int> set) {
            if (!tests.of(x, y, set).independent) return false;
            separator.assign(set.begin(), set.end());
            return true;
        };
        if (any_subset(from, size, separates)) return true;
    }
    return false;
}

}  // namespace veridag
