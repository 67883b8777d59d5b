// From a fractional solution of the linear program to an order of the variables, where a climb over orders can start.
#pragma once

#include <span>
#include <vector>

#include "exact/candidates.hpp"

namespace veridag {

// Always one of those variables is next that have most weight on rows whose parents are all placed, or at least this
// share of the most: the one that the rows that are not ready would gain least. An acyclic choice of weight 1 a row
// comes out in a topological order of its graph. Ties go to the variable that comes first.
std::vector<int> order_by_weight(const Candidates& candidates, std::span<const double> x, double share);

}  // namespace veridag
