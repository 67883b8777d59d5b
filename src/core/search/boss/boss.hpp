// Best order score search: Andrews, Ramsey, Sanchez-Romero, Camchong and Kummerfeld (2023), "Fast scalable and accurate
// discovery of DAGs using the best order score search and grow-shrink trees". NeurIPS 36.
//
// The score of an order is that of the DAG in which each variable has the parents that grow-shrink finds among its
// predecessors. One variable after the other is moved to its best place until none gains. What ends there is near the
// best network, rarely at it, for two reasons: grow-shrink may miss the best parents, and no single move may gain. So
// the search goes on from there:
//
// 1. For each variable the good parent sets are listed: what grow-shrink ever found, and sets of the likeliest
//    candidates that are better than their subsets (parent_lists.hpp).
// 2. Orders are searched with these lists in the place of the trees, from the order found and from others, each again
//    and again disturbed and improved (list_order.hpp). A move then only looks scores up.
// 3. Candidates near the new best network join the lists, as long as that leads to a better one, with a third of the
//    searches.
#pragma once

#include <cstdint>

#include "graph/constraints.hpp"
#include "progress.hpp"
#include "scores/criterion.hpp"

namespace veridag {

struct BossSettings {
    int restarts = 12;                // searches with lists, each from another order; 0 leaves the trees alone
    int candidates = 30;              // parents of a variable whose sets are listed, at most 63
    std::int64_t families = 900'000;  // most that are scored for lists, over all variables
    std::int64_t patience = 8'000;    // looks into lists without a better order that end a search, times variables
    double time_limit = -1.0;         // seconds; negative for none
    std::uint64_t seed = 0;
};

struct BossResult {
    Matrix dag;
    double score;
    std::int64_t steps;  // moves made
    bool interrupted, late;
};

// Starts from an order of `start`, which must satisfy the constraints, as must `guess`, a network found
// otherwise or null: the lists have its parent sets. The result is no worse than either. Throws
// std::invalid_argument if the required arcs have a cycle with those of the start.
BossResult boss(Criterion& criterion, const Constraints& constraints, const BossSettings& settings, const Matrix& start,
                const Matrix* guess, Progress& progress);

}  // namespace veridag
