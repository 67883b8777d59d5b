// All parent sets worth having: for each variable those that no subset beats, with their scores. Or all sets, if they
// are asked for.
//
// Level by level of the number of parents. A family (v, S) is alive if some superset of S might still beat every subset
// of it; only families all of whose subsets are alive are looked at. They come grouped by the set S + v, which is
// counted once for all its members.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "exact/parent_sets/set_scores.hpp"
#include "graph/constraints.hpp"
#include "progress.hpp"
#include "scores/prior.hpp"
#include "scores/ties.hpp"

namespace veridag {

struct ParentSetProblem {
    SetScorerFactory make;
    PriorTerms prior;
    Constraints constraints;
    bool bounded;         // whether bounds stop the enumeration
    double memory_limit;  // bytes
    int threads;
    bool dominated = false;  // whether sets that a subset beats are kept; there are no bounds then
};

// Parent sets of all variables, one variable after the other, the best first.
struct ParentSets {
    std::vector<std::int64_t> offsets;  // variables + 1: where a variable's sets start
    std::vector<double> scores;
    std::vector<std::int64_t> parent_offsets;  // sets + 1
    std::vector<std::int32_t> parents;         // ascending within a set
    std::int64_t scored = 0;                   // families whose score was computed
    bool interrupted = false;
};

// The sets in preparation would not fit into the memory allowed.
struct TooManyParentSets : std::runtime_error {
    TooManyParentSets(std::size_t parents_, double bytes_)
        : std::runtime_error("parent sets beyond the memory limit"), parents(parents_), bytes(bytes_) {}
    std::size_t parents;  // of the sets in question
    double bytes;
};

// Reports the number of families settled and, in place of a bound, an estimate of all there are.
ParentSets enumerate_parent_sets(const ParentSetProblem& problem, Progress& progress);

}  // namespace veridag
