#include "scores/incomplete.hpp"

#include <limits>

namespace veridag {

double IncompleteLocalScorer::score(double log_likelihood, Count n, double r, double q, bool has_parents) const {
    if (n < 1 || (has_parents && static_cast<double>(n) < least_)) return -std::numeric_limits<double>::infinity();
    double penalty = penalty_ > 0.0 && r > 1.0 ? penalty_ * (r - 1.0) * q : 0.0;
    return static_cast<double>(table_.total()) / static_cast<double>(n) * log_likelihood - penalty;
}

double IncompleteLocalScorer::local(int child, std::span<const int> parents) {
    Functions& f = *functions_;
    f.forget_if_large();
    FamilyCounts family = counter_.family(child, parents);
    double log_likelihood = 0.0;
    for (Count n : family.cells) log_likelihood += f.x_log_x(n);
    for (Count n : family.configurations) log_likelihood -= f.x_log_x(n);
    return score(log_likelihood, family.n, family.r, family.q, !parents.empty());
}

void IncompleteLocalScorer::extended(int child, std::span<const int> parents, std::span<const int> candidates,
                                     double* out) {
    double r = table_.observed_arity(child), q = 1.0;
    for (int p : parents) q *= table_.observed_arity(p);
    auto act = [&](Tile& tile) {
        Functions& f = *functions_;
        f.forget_if_large();
        auto x_log_x = [&f](Count n) { return f.x_log_x(n); };
        for (std::size_t i = 0; i < tile.size(); ++i) {
            int u = candidates[tile.place(i)];
            if (!table_.has_gaps(u)) {
                out[tile.place(i)] =
                    score(tile.sum(i, x_log_x, x_log_x), tile.n(), r, q * table_.observed_arity(u), true);
                continue;
            }
            Count n = 0;
            double log_likelihood = tile.sum_observed(i, table_.observed_arity(u), x_log_x, n);
            out[tile.place(i)] = score(log_likelihood, n, r, q * table_.observed_arity(u), true);
        }
    };
    if (!sweep_.run(child, parents, candidates, act)) return LocalScorer::extended(child, parents, candidates, out);
    for (std::size_t i : sweep_.left_out()) out[i] = with(child, parents, candidates[i]);
}

}  // namespace veridag
