// Greedy equivalence search: a walk over classes of equivalent DAGs, one edge at a time.
#pragma once

#include <cstdint>

#include "graph/constraints.hpp"
#include "progress.hpp"
#include "scores/criterion.hpp"

namespace veridag {

// phases: Chickering (2002), "Optimal structure identification with greedy search": while it helps, the best valid
// Insert; then, while it helps, the best valid Delete. With turning, then the best valid Turn of Hauser and Buhlmann
// (2012), "Characterization and greedy learning of interventional Markov equivalence classes of directed acyclic
// graphs", and the three phases again until none helps.
//
// mixed: XGES-0 of Nazaret and Blei (2024), "Extremely greedy equivalence search": the best valid Delete if one helps,
// otherwise the best Turn, otherwise the best Insert.
//
// extended: XGES of the same paper. Where that ends, each Delete is tried in turn, the one that costs least first: the
// search goes on from there without making the same arc again, though perhaps its reverse, and what it finds is kept if
// it is better. Once no Delete leads to anything better, each variable is tried in turn: all its edges are deleted, and
// the search goes on. It ends once neither leads to anything better.
enum class GesOrder : int { phases, mixed, extended };

struct GesSettings {
    GesOrder order = GesOrder::extended;
    bool turning = true;
    bool equivalent = true;  // whether all members of a class have the same score
    Matrix sizes;            // an entry [v, k] if v may have k parents; empty if it may have any number up to its limit
};

struct GesResult {
    Matrix cpdag;
    Matrix dag;    // a member of the class that is allowed
    double score;  // of `dag`
    std::int64_t steps;
    bool interrupted;
};

// Operators whose gains differ by no more than `tie` times the size of the score tie, and of these the smallest (y, x,
// set) is taken.
//
// What is known: every class on the way has a member with all required and no forbidden arcs in which every variable
// has a number of parents that it may have, and operators that lead elsewhere are not valid.
//
// The gains are those of the class if the criterion is score-equivalent. If it is not, they are those of the member
// that the operator is about. Steps other than those of the phases Insert and Delete then have to improve the score of
// the member at hand as well, so that the search ends.
//
// `start` may be any PDAG or DAG of the class to start from. Throws std::invalid_argument if no member agrees with what
// is known.
GesResult ges(Criterion& criterion, const Constraints& constraints, const Matrix& start, const GesSettings& settings,
              Progress& progress);

}  // namespace veridag
