// Violated cluster constraints. In an acyclic graph every set C of variables, a cluster, has a member without parents
// in C: the sum over v in C of x(v, S) with S and C disjoint is at least 1 (Jaakkola et al. 2010).
#pragma once

#include <span>
#include <vector>

#include "exact/candidates.hpp"

namespace veridag {

// Clusters whose sum under the weights x of the rows is below 1 - margin, most violated first, at most so many, none
// twice. They are grown greedily from every arc that has weight, and by tabu search from there, so that a fractional x
// may violate a cluster that is not found.
std::vector<Bits> violated_clusters(const Candidates& candidates, std::span<const double> x, double margin,
                                    std::size_t most);

// Disjoint cycles of the graph in which each variable has the parents of its row: clusters of sum 0. There is none if
// and only if the graph is acyclic.
std::vector<Bits> cycles(const Candidates& candidates, std::span<const std::size_t> choice);

// Two variables each of which is a candidate parent of the other: the smallest clusters that a choice can violate.
std::vector<Bits> mutual_pairs(const Candidates& candidates);

// The rows of the members of C whose parents lie outside C if `outside`, and those with a parent in C otherwise.
std::vector<std::int64_t> cluster_rows(const Candidates& candidates, const Bits& cluster, bool outside);

}  // namespace veridag
