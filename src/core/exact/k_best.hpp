// The best networks of a table, not only one, by dynamic programming over all sets of variables (Tian, He and Ram
// 2010).
#pragma once

#include <cstdint>
#include <vector>

#include "exact/candidates.hpp"
#include "progress.hpp"
#include "scores/ties.hpp"

namespace veridag {

struct KBestResult {
    std::vector<std::vector<std::size_t>> choices;  // the row of each variable, the best network first
    std::vector<double> scores;
    bool finished = false;
};

// The most variables and networks, and the bytes that so many need at most.
constexpr int max_k_best_variables = 20;
constexpr std::size_t max_k_best = (std::size_t{1} << 24) - 1;
double k_best_bytes(int variables, std::size_t k);

// The k best acyclic choices of one row a variable, each once; fewer if there are no more. Among equal scores, up to
// rounding, it depends on the table alone which come first and which are left out. Stopped by the progress, it has none
// at all.
KBestResult k_best(const Candidates& candidates, std::size_t k, Progress& progress);

}  // namespace veridag
