// Greedy equivalence search: a walk over completed PDAGs, one edge at a time.
#pragma once

#include <cstdint>

#include "graph/constraints.hpp"
#include "progress.hpp"
#include "scores/criterion.hpp"

namespace veridag {

struct GesResult {
    Matrix cpdag;
    Matrix dag;    // a member of the class that is allowed
    double score;  // of `dag`
    std::int64_t steps;
    bool interrupted;
};

// Chickering (2002), "Optimal structure identification with greedy search": while it helps, the best valid Insert;
// then, while it helps, the best valid Delete. With `turning`, then the best valid Turn of Hauser and Buhlmann (2012),
// "Characterization and greedy learning of interventional Markov equivalence classes of directed acyclic graphs", and
// the three phases again until none helps.
//
// Operators whose gains differ by no more than `tie` times the size of the score tie, and of these the smallest (y, x,
// set) is taken.
//
// What is known: every class on the way has a member with all required and no forbidden arcs in which no variable has
// more parents than its own limit, and operators that lead elsewhere are not valid. `sizes` has an entry [v, k] if v
// may have k parents, for priors that rule out some numbers; empty, it may have any number up to the limit.
//
// The gains are those of the class if the criterion is score-equivalent. If it is not, they are those of the member
// that the operator is about, and a turn or another round has to improve the score of the class's `dag` as well, so
// that the search ends.
//
// `start_cpdag` may be any PDAG or DAG of the class to start from. Throws std::invalid_argument if no member agrees
// with what is known.
GesResult ges(Criterion& criterion, const Constraints& constraints, const Matrix& sizes, const Matrix& start_cpdag,
              bool turning, Progress& progress);

}  // namespace veridag
