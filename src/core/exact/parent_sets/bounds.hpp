// Bounds for local scores of supersets, by which an enumeration of parent sets stops; proofs are in
// docs/score-tables.md. A bound is for all parent sets T that contain S, of a child with r states.
#pragma once

#include <cmath>
#include <cstddef>

#include "elementary.hpp"

namespace veridag::bounds {

// Penalised likelihood (de Campos and Ji 2011): logL(T) is at most what all variables that may be parents reach,
// `most_likely`, and T has at least `least_parameters` parameters.
inline double penalised_likelihood(double most_likely, double penalty, double least_parameters) {
    return most_likely - (penalty > 0.0 ? penalty * least_parameters : 0.0);
}

// How much better T without Y is than T, at least, for all T that contain S, under a likelihood with a penalty for each
// parameter (de Campos et al. 2018): Y cannot tell more of the child than its own entropy given the rest of S, n H(Y |
// S - Y) = `entropy`, and costs (r_Y - 1) as many parameters as the rest has.
inline double gain_of_removal(double entropy, double penalty, double parameters_of_rest, double r_y) {
    double cost = r_y == 1.0 || penalty <= 0.0 ? 0.0 : penalty * parameters_of_rest * (r_y - 1.0);
    return cost - entropy;
}

// Dirichlet scores whose alpha_ijk are the same in all cells of a family, whatever they are: each of the `occurring`
// cells of S and the child was seen a first time, which has a probability of 1 / r at most (Correia, Cussens and de
// Campos 2020).
inline double dirichlet(std::size_t occurring, double r) {
    return -static_cast<double>(occurring) * elementary::log(r);
}

// The same where alpha is known: a cell seen n times has at most the probability of n times the same state and nothing
// else. The sum over cells of log Gamma(alpha + n) / Gamma(alpha) less the one of log Gamma(r alpha + n) / Gamma(r
// alpha).
inline double fixed_dirichlet(double sum_rising_cells, double sum_rising_cells_as_configurations) {
    return sum_rising_cells - sum_rising_cells_as_configurations;
}

// fNML: the likelihood is at most what all variables reach, and the complexity of a split sample is at least that of
// the whole.
inline double fnml(double most_likely, double complexity_of_configurations) {
    return most_likely - complexity_of_configurations;
}

// qNML: the likelihood is at most what all variables reach, and C(n, r q) >= C(n, q) C(n, r).
inline double qnml(double most_likely, double complexity_of_child) { return most_likely - complexity_of_child; }

}  // namespace veridag::bounds
