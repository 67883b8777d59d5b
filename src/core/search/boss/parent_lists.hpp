// Lists of good parent sets, which an order search reads instead of scoring families: sets of the likeliest candidates
// that no subset of theirs matches, and every set that a search has found.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/constraints.hpp"
#include "scores/criterion.hpp"
#include "search/boss/watch.hpp"
#include "search/order/choices.hpp"

namespace veridag::boss_search {

using order_search::Choices;
using order_search::Mask;

using ParentSets = std::vector<std::vector<int>>;  // the parents of each variable

struct ListSettings {
    int candidates;         // whose sets are scored; at most 63
    std::int64_t families;  // most that are scored for a child; one of three parents counts twice, and so on
    bool all_pairs;         // of all candidates, not only of those whose larger sets are scored
};

// One child: its parents must be among `candidates`, the likeliest first, of which all `found` sets and those that are
// scored are made. Candidates beyond 63 are left out, and the sets that they are in.
struct Hints {
    std::vector<int> candidates;
    std::vector<std::vector<int>> found;
};

// Sets by size: all pairs, and larger ones that have one parent more than a set scored before, in the order of what
// that gains over its own subsets, as long as there is work left. Sets that are no better than one of their subsets are
// left out.
Choices list_parent_sets(Criterion& criterion, const Constraints& constraints, int child, const Hints& hints,
                         const ListSettings& settings, Watch& watch);

}  // namespace veridag::boss_search
