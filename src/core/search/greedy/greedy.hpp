// Greedy search over DAGs: hill climbing, a tabu list of visited structures, random restarts (Scutari, Graafland and
// Gutierrez 2019, Algorithm 2).
#pragma once

#include <cstdint>
#include <vector>

#include "graph/constraints.hpp"
#include "graph/matrix.hpp"
#include "progress.hpp"
#include "scores/criterion.hpp"
#include "search/greedy/move.hpp"
#include "search/greedy/state.hpp"

namespace veridag {

struct GreedySettings {
    int tabu = 0;      // how many of the structures visited last are not to be visited again; none: plain hill climbing
    int max_tabu = 0;  // how many steps in a row may fail to reach a new best
    int restarts = 0;
    int perturb = 0;  // random moves before a restart
    std::int64_t max_steps = -1;
    std::uint64_t seed = 0;
    bool trace = false;
    TieRule ties;
};

struct GreedyResult {
    Matrix dag;
    double score = minus_infinity;
    std::int64_t steps = 0;
    std::int64_t ties = 0;      // how often an arc was as good in the other direction
    std::int64_t mirrored = 0;  // how many scores those of reverse arcs imply, if the score is score-equivalent
    bool interrupted = false;
    std::vector<Move> trace;
};

// `start` must be acyclic and obey the constraints.
GreedyResult greedy(Criterion& criterion, const Constraints& constraints, const Matrix& start,
                    const GreedySettings& settings, Progress& progress);

}  // namespace veridag
