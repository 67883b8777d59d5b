// Numbers of which the largest are wanted again and again, while a few of them change in between.
#pragma once

#include <bit>
#include <queue>
#include <utility>
#include <vector>

#include "index.hpp"
#include "scores/ties.hpp"

namespace veridag {

// A tournament: each number plays against its neighbour, the winners against each other. A change takes as many steps
// as there are rounds.
class Bounds {
   public:
    explicit Bounds(int size) : first_(std::bit_ceil(at(size))), tree_(2 * first_, minus_infinity) {}

    double of(int i) const { return tree_[first_ + at(i)]; }

    void set(int i, double value) {
        std::size_t k = first_ + at(i);
        tree_[k] = value;
        for (k /= 2; k > 0; k /= 2) {
            double winner = std::max(tree_[2 * k], tree_[2 * k + 1]);
            if (tree_[k] == winner) return;
            tree_[k] = winner;
        }
    }

    // Calls visit(i) for every i whose number is at least limit(), but not minus infinity, the largest first. The limit
    // may rise on the way, and visit may lower the number of its i.
    template <class Limit, class Visit>
    void visit_largest(Limit limit, Visit visit) const {
        std::priority_queue<std::pair<double, std::size_t>> open;
        auto consider = [&](std::size_t k) {
            if (tree_[k] > minus_infinity && tree_[k] >= limit()) open.emplace(tree_[k], k);
        };
        consider(1);
        while (!open.empty() && open.top().first >= limit()) {
            std::size_t k = open.top().second;
            open.pop();
            if (k >= first_) {
                visit(static_cast<int>(k - first_));
            } else {
                consider(2 * k);
                consider(2 * k + 1);
            }
        }
    }

   private:
    std::size_t first_;  // where the numbers themselves begin
    std::vector<double> tree_;
};

}  // namespace veridag
