// The best network by dynamic programming over sets of variables (Silander and Myllymaki 2006), without the sets that
// bounds rule out (breadth-first branch and bound: Malone, Yuan, Hansen and Bridges 2011).
#pragma once

#include <cstdint>
#include <vector>

#include "exact/candidates.hpp"
#include "progress.hpp"
#include "scores/ties.hpp"

namespace veridag {

struct DynamicSettings {
    double known = minus_infinity;  // only networks of a higher score are looked for
    int threads = 1;
    std::uint64_t most_bytes = ~std::uint64_t{0};  // that may be kept
    std::int64_t most_steps = INT64_MAX;           // after which it gives up
};

struct ExactResult {
    std::vector<std::size_t> choice;  // the row of each variable; empty if no network was found
    double score = minus_infinity;    // of the choice
    double bound = -minus_infinity;   // no network has a higher score, unless it is the one that is known
    std::int64_t steps = 0;           // sets that were kept
    double share = 1.0;               // of all sets of the layers that were finished: those that were kept
    bool finished = false;            // whether the bound is proven to be reached
    bool gave_up = false;             // for want of memory or steps
};

// The most variables that the sets of a machine's word allow, and the bytes that so many need if no set is ruled out.
constexpr int max_dp_variables = 60;
double dp_bytes(int variables);

// The best of all networks that are better than what is known; if it is finished without a choice, there is none. Ties
// go to the sink that comes first in the order of the search, which depends on the candidates, not on threads.
ExactResult solve_dp(const Candidates& candidates, const DynamicSettings& settings, Progress& progress);

}  // namespace veridag
