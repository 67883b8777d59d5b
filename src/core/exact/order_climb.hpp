// Good networks of a table of candidate parent sets, quickly: local search over orders, in which each variable has its
// best candidate among its predecessors (Lee and van Beek 2017 climb so).
#pragma once

#include <cstdint>
#include <vector>

#include "exact/candidates.hpp"
#include "progress.hpp"
#include "scores/ties.hpp"

namespace veridag {

struct ClimbSettings {
    std::int64_t rounds = 200;  // perturbations in a row that may fail to find a new best
    std::uint64_t seed = 0;
};

struct ClimbResult {
    std::vector<std::size_t> choice;  // empty if no order was found in which every variable has a candidate
    double score = minus_infinity;
    std::int64_t steps = 0;
};

// Starts from the order given, which must be a permutation of the variables.
ClimbResult climb_orders(const Candidates& candidates, std::vector<int> order, const ClimbSettings& settings,
                         Progress& progress);

}  // namespace veridag
