#include "exact/dynamic_programming.hpp"
#include "index.hpp"

#include <stdexcept>

namespace veridag {

std::uint64_t dp_bytes(int variables) { return (std::uint64_t{1} << variables) * (sizeof(double) + 1); }

// best[W] is the highest score of a network of the variables in W: its last variable v, the sink, has the best parents
// among the others, and these form the best network of W without v (Silander and Myllymaki 2006). The best parents
// among a set are the first of the sorted candidates that lie in it, which keeps the memory at 9 bytes a set.
ExactResult solve_dp(const Candidates& candidates, Progress& progress) {
    int n = candidates.variables();
    if (n > max_dp_variables) throw std::invalid_argument("too many variables for dynamic programming");
    std::size_t subsets = std::size_t{1} << n;
    std::vector<double> best(subsets, minus_infinity);
    std::vector<std::uint8_t> sink(subsets, 0);
    best[0] = 0.0;
    ExactResult result;
    for (std::size_t set = 1; set < subsets; ++set) {
        if ((set & 0x3fff) == 0 && progress.stop(static_cast<std::int64_t>(set), minus_infinity)) return result;
        for (int v = 0; v < n; ++v) {
            Word others = set & ~(Word{1} << v);
            if (others == set || best[others] == minus_infinity) continue;
            std::size_t row = candidates.best_within(v, &others);
            if (row == candidates.end(v)) continue;
            double score = best[others] + candidates.score(row);
            if (score > best[set]) {
                best[set] = score;
                sink[set] = static_cast<std::uint8_t>(v);
            }
        }
    }
    result.steps = static_cast<std::int64_t>(subsets);
    result.finished = true;
    result.bound = result.score = best.back();
    if (result.score == minus_infinity) return result;
    result.choice.resize(at(n));
    for (Word set = subsets - 1; set != 0;) {
        int v = sink[set];
        set &= ~(Word{1} << v);
        result.choice[at(v)] = candidates.best_within(v, &set);
    }
    return result;
}

}  // namespace veridag
