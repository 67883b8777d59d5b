// Sums over all DAGs, by inclusion and exclusion over sinks and over sources (Tian and He 2009), in O(3^n).
//
// Write A_v(U) for the sum of the weights of v's parent sets within U.
//   R(S) = sum over DAGs on S
//        = sum over nonempty T within S of (-1)^(|T|+1) R(S - T) prod over v in T of A_v(S - T)      T: sinks
//   H(D) = sum over DAGs on D whose members may have any parents in C = V - D besides
//        = sum over nonempty T within D of (-1)^(|T|+1) H(D - T) prod over v in T of A_v(C)          T: sources in D
// R(C) H(D) is the weight of the DAGs without an arc from D to C, and R(V) = H(V) that of all.
//
// The terms of H(D) whose T has v sum to Q_v(D): DAGs on D whose only source is v. Then D are v and its descendants, so
//   P(the descendants of v are D - v) = R(C) Q_v(D) / R(V)
// for all v and D from the same 3^n terms. With the weights of v's parent sets within C, whose sum A_v(C) is a factor
// of Q_v(D), that is all that is asked about arcs, ancestors and parent sets.
#pragma once

#include <vector>

#include "posterior/exact/orders.hpp"

namespace veridag {

constexpr int max_dag_sum_variables = 22;

struct DagSums {
    WideNumber sum;  // over all DAGs
    // outside[v][place_without(C, v)] = P(the variables that are neither v nor its descendants are C)
    std::vector<std::vector<double>> outside;
    double residual = 0.0;  // how far apart are numbers that are the same without rounding
    bool finished = false;
};

DagSums dag_sums(const AllParentSums<DoubleDouble>& sums, int threads, Progress& progress);

// R(V) alone, in half the time; stopped by the progress, it is not complete.
WideNumber sum_over_dags(const AllParentSums<DoubleDouble>& sums, int threads, Progress& progress);

// The bytes of the above, and the terms at most.
double dag_sum_bytes(int variables);
double dag_sum_terms(int variables);

// A bound on the error of every probability from `outside`, by rounding in these sums: each |term| is at most the sum
// that it is part of, and an error made at one set comes with the probability of that set into others.
double dag_sum_error(int variables);

}  // namespace veridag
