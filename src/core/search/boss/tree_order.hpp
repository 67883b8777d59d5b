// Best order score search: an order of the variables in which each is given the parents that its grow-shrink tree finds
// among its predecessors. Andrews et al. (2023), section 4.
#pragma once

#include <vector>

#include "bit_set.hpp"
#include "graph/matrix.hpp"
#include "search/boss/grow_shrink_tree.hpp"
#include "search/boss/watch.hpp"
#include "search/order/walk.hpp"

namespace veridag::boss_search {

using order_search::Total;

class TreeOrder {
   public:
    // The order must have every required parent before its child. If the search is stopped meanwhile, variables are
    // left with their required parents.
    TreeOrder(std::vector<GrowShrinkTree>& trees, const Constraints& constraints, std::vector<int> order, Watch& watch);

    const std::vector<int>& order() const { return order_; }
    const Total& total() const { return total_; }
    const std::vector<int>& parents(int v) const { return trees_[at(v)].parents(nodes_[at(v)]); }

    // Moves one variable after the other to its best place, round after round, until none gains. Of places that tie
    // the nearest is taken, on the left before on the right.
    void climb();

   private:
    void choose(int first, int last);
    int best_place(int from);
    double value(int v, const Bits& before) { return trees_[at(v)].score(trees_[at(v)].trace(before.data())); }

    std::vector<GrowShrinkTree>& trees_;
    const Constraints& constraints_;
    Watch& watch_;
    int n_;
    std::vector<int> order_;
    std::vector<std::size_t> nodes_;  // where the trace of each variable ends
    std::vector<double> values_;
    Total total_;
};

}  // namespace veridag::boss_search
