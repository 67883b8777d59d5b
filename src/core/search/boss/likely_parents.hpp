// Which variables are worth being tried as parents of a child.
#pragma once

#include <vector>

#include "graph/constraints.hpp"
#include "scores/criterion.hpp"
#include "search/boss/parent_lists.hpp"
#include "search/sets.hpp"

namespace veridag::boss_search {

// All that may be parents of the child, the likeliest first: its parents, children and their other parents in a good
// network; then, in turns, those that are in most of the sets found, those that are the best parents alone, those that
// gain most beside another parent alone, and those that gain most beside the parents in the network, or all but one of
// them. Many a parent is worth nothing without another.
class LikelyParents {
   public:
    // Beside the best parents alone others are tried, beside all of them if `all_pairs`.
    LikelyParents(Criterion& criterion, const Constraints& constraints, int child, bool all_pairs);

    std::vector<int> near(const ParentSets& network, const ParentSets& found) const;

   private:
    // The scores with these parents and each of the others; minus infinity for those that are among them.
    std::vector<double> beside(const Set& parents) const;
    // To what each gains beside these parents, over them and over its score alone, if that is more.
    void raise(std::vector<double>& gains, const Set& parents) const;
    std::vector<int> by_gain_beside(const Set& parents) const;
    std::vector<int> best_first(const std::vector<double>& values) const;

    Criterion& criterion_;
    const Constraints& constraints_;
    int child_, room_;
    Set required_, others_;
    std::vector<double> alone_;
    std::vector<int> by_score_alone_, by_gain_in_pairs_;
};

}  // namespace veridag::boss_search
