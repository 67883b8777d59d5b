// Which variables are worth being tried as parents of a child.
#pragma once

#include <vector>

#include "graph/constraints.hpp"
#include "scores/criterion.hpp"
#include "search/boss/parent_lists.hpp"

namespace veridag::boss_search {

// All that may be parents of the child, the likeliest first: its parents, children and their other parents in a good
// network; then, in turns, those that are in most of the sets found, those that are the best parents alone, those that
// gain most beside one of the best parents alone, and those that gain most beside the parents in the network, or all
// but one of them. Many a parent is worth nothing without another.
std::vector<int> likely_parents(Criterion& criterion, const Constraints& constraints, int child,
                                const ParentSets& network, const ParentSets& found);

}  // namespace veridag::boss_search
