// The best network by dynamic programming over all sets of variables (Silander and Myllymaki 2006).
#pragma once

#include <cstdint>
#include <vector>

#include "exact/candidates.hpp"
#include "progress.hpp"
#include "scores/ties.hpp"

namespace veridag {

struct ExactResult {
    std::vector<std::size_t> choice;  // the row of each variable; empty if no network was found
    double score = minus_infinity;    // of the choice
    double bound = -minus_infinity;   // no network has a higher score
    std::int64_t steps = 0;
    bool finished = false;  // whether the bound is proven to be reached
};

// The most variables that the sets of a machine's word allow, and the bytes that so many need.
constexpr int max_dp_variables = 30;
std::uint64_t dp_bytes(int variables);

// Ties go to the sink that comes first. Stopped by the progress, it has no choice at all.
ExactResult solve_dp(const Candidates& candidates, Progress& progress);

}  // namespace veridag
