#include "exact/rounding.hpp"

#include <algorithm>

#include "exact/support.hpp"
#include "index.hpp"
#include "scores/ties.hpp"

namespace veridag {
namespace {

// Variables are placed one by one, and each knows which of its rows have all their parents placed.
class Rounding {
   public:
    Rounding(const Candidates& candidates, std::span<const double> x)
        : table_(candidates),
          support_(candidates, x),
          missing_(support_.weight.size()),
          ready_(at(support_.n), 0.0),
          best_(at(support_.n)),
          placed_(at(support_.n), 0) {
        // The worst row stands for what is left if none is ready.
        for (int v = 0; v < support_.n; ++v) best_[at(v)] = table_.score(table_.end(v) - 1);
        for (std::size_t row = 0; row < missing_.size(); ++row) {
            missing_[row] = support_.parents[row].size();
            if (missing_[row] == 0) make_ready(row);
        }
    }

    std::vector<int> order(double share) {
        std::vector<int> order;
        while (order.size() < placed_.size()) {
            order.push_back(next(share));
            placed_[at(order.back())] = 1;
            for (std::size_t row : support_.of_parent[at(order.back())]) {
                if (--missing_[row] == 0) make_ready(row);
            }
        }
        return order;
    }

   private:
    void make_ready(std::size_t row) {
        int v = support_.child[row];
        ready_[at(v)] += support_.weight[row];
        best_[at(v)] = std::max(best_[at(v)], table_.score(support_.row[row]));
    }

    int next(double share) const {
        double most = 0.0;
        for (int v = 0; v < support_.n; ++v) {
            if (!placed_[at(v)]) most = std::max(most, ready_[at(v)]);
        }
        int next = -1;
        double least = 0.0;
        for (int v = 0; v < support_.n; ++v) {
            if (placed_[at(v)] || ready_[at(v)] < share * most - no_weight) continue;
            double own = lost(v);
            if (next < 0 || own < least - tie * (1.0 + least)) next = v, least = own;
        }
        return next;
    }

    // What the rows that are not ready would gain, by their weight.
    double lost(int v) const {
        double sum = 0.0;
        for (std::size_t row : support_.of_child[at(v)]) {
            if (missing_[row] == 0) continue;
            sum += support_.weight[row] * std::max(0.0, table_.score(support_.row[row]) - best_[at(v)]);
        }
        return sum;
    }

    const Candidates& table_;
    Support support_;
    std::vector<std::size_t> missing_;  // parents of each row that are not placed
    std::vector<double> ready_, best_;  // weight of the rows whose parents are all placed, and the best score of them
    std::vector<char> placed_;
};

}  // namespace

std::vector<int> order_by_weight(const Candidates& candidates, std::span<const double> x, double share) {
    return Rounding(candidates, x).order(share);
}

}  // namespace veridag
