#include "scores/incomplete.hpp"

#include <algorithm>
#include <limits>

#include "index.hpp"

namespace veridag {

double IncompleteLocalScorer::score(const Fit& fit, double r, double q, bool has_parents) const {
    if (fit.n < 1 || (has_parents && static_cast<double>(fit.n) < least_))
        return -std::numeric_limits<double>::infinity();
    double penalty = penalty_ > 0.0 && r > 1.0 ? penalty_ * (r - 1.0) * q : 0.0;
    return static_cast<double>(data_.table.total()) / static_cast<double>(fit.n) * fit.log_likelihood - penalty;
}

double IncompleteLocalScorer::local(int child, std::span<const int> parents) {
    (*functions_).forget_if_large();
    variables_.assign(parents.begin(), parents.end());
    std::sort(variables_.begin(), variables_.end());  // callers may give them in any order
    double q = 1.0, cells = data_.table.arity(child);
    for (int p : variables_) {
        q *= data_.arities[at(p)];
        cells *= data_.table.arity(p);
    }
    variables_.push_back(child);
    Fit fit;
    if (counter_.is_sparse(cells)) {
        fit = sparse(child);
    } else {
        fit = dense(child, counter_.dense(variables_, std::numeric_limits<std::size_t>::max()));
    }
    return score(fit, data_.arities[at(child)], q, !parents.empty());
}

// The cells come configuration by configuration of the parents; the child's state varies fastest.
IncompleteLocalScorer::Fit IncompleteLocalScorer::dense(int child, std::span<const Count> cells) {
    Functions& f = *functions_;
    Fit fit;
    std::size_t parents = variables_.size() - 1, all = at(data_.table.arity(child)), r = at(data_.arities[at(child)]);
    states_.assign(parents, 0);
    for (std::size_t start = 0; start < cells.size(); start += all) {
        bool hidden = false;
        for (std::size_t k = 0; k < parents; ++k) hidden |= states_[k] == data_.arities[at(variables_[k])];
        if (!hidden) {
            Count sum = 0;
            for (std::size_t k = 0; k < r; ++k) {
                fit.log_likelihood += f.x_log_x(cells[start + k]);
                sum += cells[start + k];
            }
            fit.log_likelihood -= f.x_log_x(sum);
            fit.n += sum;
        }
        for (std::size_t k = parents; k-- > 0;) {
            if (++states_[k] < data_.table.arity(variables_[k])) break;
            states_[k] = 0;
        }
    }
    return fit;
}

IncompleteLocalScorer::Fit IncompleteLocalScorer::sparse(int child) {
    const Table& table = data_.table;
    Functions& f = *functions_;
    hidden_.assign(table.rows(), 0);
    for (int v : variables_) {
        if (!data_.has_gaps(v)) continue;
        int gap = data_.arities[at(v)];
        auto mark = [&](const auto* states) {
            for (std::size_t i = 0; i < table.rows(); ++i) hidden_[i] |= static_cast<char>(states[i] == gap);
        };
        std::visit(mark, table.states(v));
    }
    Fit fit;
    auto add = [&](double sign) {
        tallies_.assign(keys_.number(), 0);
        for (std::size_t i = 0; i < table.rows(); ++i) {
            if (!hidden_[i]) tallies_[keys_.keys()[i]] += table.weights() ? table.weights()[i] : 1;
        }
        for (Count n : tallies_) fit.log_likelihood += sign * f.x_log_x(n);
    };
    keys_.start(table.rows());
    for (std::size_t k = 0; k + 1 < variables_.size(); ++k) keys_.add(table, variables_[k]);
    add(-1.0);
    for (Count n : tallies_) fit.n += n;
    keys_.add(table, child);
    add(1.0);
    return fit;
}

void IncompleteLocalScorer::extended(int child, std::span<const int> parents, std::span<const int> candidates,
                                     double* out) {
    double r = data_.arities[at(child)], q = 1.0;
    for (int p : parents) q *= data_.arities[at(p)];
    auto act = [&](Tile& tile) {
        Functions& f = *functions_;
        f.forget_if_large();
        auto x_log_x = [&f](Count n) { return f.x_log_x(n); };
        for (std::size_t i = 0; i < tile.size(); ++i) {
            int u = candidates[tile.place(i)];
            Fit fit;
            fit.log_likelihood = tile.sum_observed(i, hidden_, data_.arities[at(u)], x_log_x, fit.n);
            out[tile.place(i)] = score(fit, r, q * data_.arities[at(u)], true);
        }
    };
    auto started = [&](const Axes& axes) {
        std::size_t cells = 1;
        for (const Axis& axis : axes) cells *= at(axis.arity);
        hidden_.assign(cells, 0);
        std::size_t below = 1;
        for (std::size_t k = axes.size(); k-- > 0; below *= at(axes[k].arity)) {
            if (!data_.has_gaps(axes[k].variable)) continue;
            auto gap = at(data_.arities[at(axes[k].variable)]);
            for (std::size_t c = 0; c < cells; ++c)
                hidden_[c] |= static_cast<char>(c / below % at(axes[k].arity) == gap);
        }
    };
    if (!sweep_.run(child, parents, candidates, act, started))
        return LocalScorer::extended(child, parents, candidates, out);
    for (std::size_t i : sweep_.left_out()) out[i] = with(child, parents, candidates[i]);
}

}  // namespace veridag
