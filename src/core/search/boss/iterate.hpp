// Iterated local search: a good order is disturbed and improved again, many times over.
#pragma once

#include <vector>

#include "graph/constraints.hpp"
#include "random.hpp"
#include "search/boss/boss.hpp"
#include "search/boss/list_order.hpp"
#include "search/boss/watch.hpp"

namespace veridag::boss_search {

// An order in which all parents, and all required ones, come before their child: of the variables that may come next,
// always the first by index. Throws std::invalid_argument if there is none.
std::vector<int> order_of(const ParentSets& families, const Constraints& constraints);

// The best order that `settings.restarts` searches find, the first of them from the order given, the others from the
// best so far and from random orders in turns.
ListOrder iterate(const ListTable& table, const Constraints& constraints, std::vector<int> order,
                  const BossSettings& settings, Stream& random, Watch& watch);

}  // namespace veridag::boss_search
