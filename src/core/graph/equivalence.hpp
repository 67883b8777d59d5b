// Markov equivalence: completed PDAGs, consistent extensions, Meek's rules.
#pragma once

#include <vector>

#include "graph/matrix.hpp"

namespace veridag {

// The completed PDAG of the class of a DAG. Chickering (1995), "A transformational characterization of equivalent
// Bayesian network structures", algorithms Order-Edges and Label-Edges. The input must be acyclic.
Matrix cpdag(const Matrix& dag);

// A DAG that extends a PDAG, or the variables on which the search was stuck.
struct Extension {
    Matrix dag;
    std::vector<int> stuck;
};

// Dor and Tarsi (1992), "A simple algorithm to construct a consistent extension of a partially oriented graph": take
// away a variable that can come last, again and again; of several, the last by index.
Extension extend(const Matrix& pdag);

// The closure under the four rules of Meek (1995), "Causal inference and causal explanation with background knowledge".
Matrix meek(const Matrix& pdag);

}  // namespace veridag
