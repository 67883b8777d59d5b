// Simulated annealing over topological orders: Algorithm 3 of Scutari, Graafland and Gutierrez (2019), "Who learns
// better Bayesian network structures: accuracy and speed of structure learning algorithms".
//
// Given an order the children no longer interact. With A_v the parent sets that v may have (within its candidate
// parents, with the required ones, without the forbidden ones, no larger than max_indegree) and "S < v" for "all of S
// come before v", the score of an order is
//     best:     sum over v of max over S in A_v, S < v, of local(v | S), the score of the best DAG compatible with the
//     order; average:  sum over v of log sum over S in A_v, S < v, of exp local(v | S), which is the logarithm of the
//     sum of exp score
//               over all DAGs compatible with the order, eq. (5), as that sum of products is a product of sums.
// All of A_v is scored once, before the first step; a step only looks scores up.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graph/constraints.hpp"
#include "progress.hpp"
#include "scores/criterion.hpp"

namespace veridag {

// A step proposes one of three moves: with probability 1/2 swap two neighbours in the order, 1/8 swap any two
// variables, 3/8 take one variable out and put it back at another place. A move that lowers the score by d is accepted
// with probability exp(-d / T); one that leaves a required arc pointing backwards is never accepted. T falls
// geometrically,
//     T_k = initial (final / initial)^(k / (steps - 1)),   k = 0 ... steps - 1.
//
// Temperatures are in units of the score. An initial temperature of 0 asks for one that fits the data: the mean loss of
// the moves that make a scored order worse, over 1 000 proposals at the starting order, so that typical losses are
// accepted about one time in three at first. At a final temperature of 1 the walk still makes losses that are no
// evidence (a Bayes factor of 3); the greedy descent takes them back. A million steps take 0.2 s on 37 variables (0.6 s
// with `average`); for n variables, about 20 000 n.
struct OrderSettings {
    int candidates = 12;               // parents considered for a child, at most 63: those with the best scores alone
    std::int64_t steps = 1'000'000;    // 0 leaves the greedy descent from the starting order
    double initial_temperature = 0.0;  // 0: from the data
    double final_temperature = 1.0;
    bool average = false;
    bool descent = true;  // whether a greedy descent ends the search
    std::uint64_t seed = 0;
};

struct OrderResult {
    Matrix dag;              // the best DAG given the order
    std::vector<int> order;  // a topological order of it, first variable first
    double score = 0.0;      // the criterion of the DAG, whether orders were scored by their best DAG or by the average
    std::int64_t steps = 0;  // of annealing, as far as it got
    bool interrupted = false;
    double initial_temperature = 0.0;  // the one used; 0 if there was no step
};

// Anneals, then descends greedily from the best order seen if `descent` says so, moving one variable at a time to its
// best place until none gains. The walk begins at a random order compatible with the required arcs and with `start`,
// which may be null; the parents in `start` are candidates too, so the result is no worse than `start` if that
// satisfies the constraints. Reports the steps done and the score of the best order so far (of the best DAG known while
// parent sets are being scored). Throws std::invalid_argument for settings that make no sense, for required arcs that
// cannot be had, and for more parent sets than memory has room for.
OrderResult anneal_orders(Criterion& criterion, const Constraints& constraints, const OrderSettings& settings,
                          const Matrix* start, Progress& progress);

// The score of one order, `best` or `average` as above; minus infinity if no DAG is compatible with it.
double order_score(Criterion& criterion, const Constraints& constraints, const OrderSettings& settings,
                   std::span<const int> order);

}  // namespace veridag
