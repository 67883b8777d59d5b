// Random DAGs by a Markov chain whose stationary distribution is uniform.
#pragma once

#include <cstdint>

#include "graph/matrix.hpp"
#include "progress.hpp"

namespace veridag {

struct ChainSettings {
    std::int64_t arcs = -1;  // kept fixed; -1 lets the number change
    std::int64_t steps = 0;
    std::uint64_t seed = 0;
};

// The DAG after some steps of the chain of Melancon, Dutour and Bousquet-Melou (2001), "Random generation of directed
// acyclic graphs", with reversals (Melancon and Philippe 2004), from a random start. Every proposal is as probable as
// the one that takes it back and is refused only if it would close a cycle, so the uniform distribution is stationary.
//
// The number of arcs free: a pair (i, j) is drawn. If there is an arc i -> j, it is taken away or turned round, each
// with probability 1/2; if i and j are not joined, it is added with probability 1/2. The number of arcs fixed: an arc
// is drawn and, each with probability 1/2, turned round or moved to a drawn pair (i, j). Within one topological order
// arcs can be moved anywhere; two neighbours in an order can change places once no arc is between them, or by turning
// that arc round where all pairs are joined: so every DAG is reached from every other.
//
// A chain that is stopped is no sample. Throws std::invalid_argument if the arcs are too many.
Matrix random_dag(int n, const ChainSettings& settings, Progress& progress);

}  // namespace veridag
