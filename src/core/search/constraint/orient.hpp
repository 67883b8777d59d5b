// From a skeleton and separating sets to a partially directed graph: v-structures, then Meek's rules.
#pragma once

#include <array>
#include <vector>

#include "search/constraint/skeleton.hpp"
#include "search/constraint/test_bench.hpp"

namespace veridag {

struct Orientation {
    Matrix pdag;
    // v-structures x -> z <- y, as {x, z, y}, that the separating sets ask for: those that were given up, and the rest.
    std::vector<std::array<int, 3>> overruled;
    std::vector<std::array<int, 3>> colliders;
};

// Step 3 and 4 of PC-stable (Scutari, Graafland and Gutierrez 2019, Algorithm 1). Arcs that are known come first. Where
// v-structures want an edge in opposite directions, or more parents than a variable may have, they are taken in order
// of the evidence for dependence of x and y given their separating set and z, and one that goes against those before it
// is given up. Where a pair has no separating set yet, one is looked for among the neighbours, small ones first;
// without one, nothing is concluded. The graph is not repaired if no DAG extends it.
Orientation orient(TestBench& tests, const Constraints& constraints, Skeleton& skeleton, std::size_t largest);

// The edges of the skeleton with those directed that what is known directs, for a search that was stopped.
Matrix directed_by_constraints(const Constraints& constraints, const Skeleton& skeleton);

}  // namespace veridag
