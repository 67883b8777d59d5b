#include "independence/conditional_gaussian.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "counts/axes.hpp"
#include "elementary.hpp"
#include "scores/gaussian.hpp"

namespace veridag {
namespace {

constexpr double sure = 5.0;  // see veridag.criteria.independence.conditional_gaussian
constexpr std::uint64_t most_keys = std::uint64_t{1} << 46;

int state(const Table& table, int place, std::size_t row) { return state_at(table.states(place), row); }

// The numbers 0, 1, 2, ... for the keys, in ascending order; returns how many there are.
std::uint64_t renumber(std::vector<std::uint64_t>& keys) {
    std::vector<std::uint64_t> known = keys;
    std::sort(known.begin(), known.end());
    known.erase(std::unique(known.begin(), known.end()), known.end());
    for (std::uint64_t& key : keys) {
        key = static_cast<std::uint64_t>(std::lower_bound(known.begin(), known.end(), key) - known.begin());
    }
    return known.size();
}

double gaussian_parameters(double c) { return c + 0.5 * c * (c + 1.0); }

double n_log_n(double n) { return n > 0.0 ? n * elementary::log(n) : 0.0; }

}  // namespace

PairDesign design(const MixedTable& table, int x, int y, std::span<const int> given) {
    double strata = 1.0, c = 0.0;
    for (int z : given) {
        if (table.is_discrete(z)) {
            strata *= table.discrete().observed_arity(table.place(z));
        } else {
            c += 1.0;
        }
    }
    auto states = [&](int v) { return table.is_discrete(v) ? table.discrete().observed_arity(table.place(v)) : 0; };
    double R = states(x), C = states(y), continuous = c + (R == 0.0 ? 1.0 : 0.0) + (C == 0.0 ? 1.0 : 0.0);
    PairDesign found;
    found.is_constant = R == 1.0 || C == 1.0;
    found.rows_needed = std::max(R, 1.0) * std::max(C, 1.0) * strata * (continuous + 1.0);
    if (found.is_constant) return found;
    if (R > 0.0 && C > 0.0) {
        found.plain_df = (R - 1.0) * (C - 1.0) * strata * (1.0 + gaussian_parameters(c));
    } else {
        found.plain_df = R + C > 0.0 ? (R + C - 1.0) * strata * (c + 2.0) : strata;
    }
    return found;
}

ChiSquare ConditionalGaussian::of(int x, int y, std::span<const int> given) {
    take_cells(x, y, given);
    const MixedTable& table = strata_.table();
    bool both_discrete = table.is_discrete(x) && table.is_discrete(y);
    bool both_continuous = !table.is_discrete(x) && !table.is_discrete(y);
    ChiSquare sums;
    for (const Cell& cell : cells_) sums.n += n(cell.moments);
    for (std::size_t start = 0, end = 0; start < cells_.size(); start = end) {
        while (end < cells_.size() && cells_[end].z == cells_[start].z) ++end;
        std::span<const Cell> cells(cells_.data() + start, end - start);
        if (both_discrete) {
            add_both_discrete(cells, sums);
        } else if (both_continuous) {
            add_both_continuous(cells.front(), sums);
        } else {
            add_one_of_each(cells, sums);
        }
    }
    sums.statistic = std::max(0.0, sums.statistic);
    return sums;
}

Strata& ConditionalGaussian::strata() {
    const MixedTable& table = strata_.table();
    mark_gaps(table.discrete(), discrete_, hidden_);
    for (int v : continuous_) {
        if (!table.values_missing(v)) continue;
        hidden_.resize(table.rows(), 0);
        const double* values = table.values(v);
        for (std::size_t i = 0; i < hidden_.size(); ++i) hidden_[i] |= static_cast<char>(std::isnan(values[i]));
    }
    if (hidden_.empty()) return strata_.of(discrete_);
    own_strata_ = std::make_unique<Strata>(table, discrete_, sorting_, hidden_);
    return *own_strata_;
}

// Sorted by the configuration of Z, then by the states of x and y.
void ConditionalGaussian::take_cells(int x, int y, std::span<const int> given) {
    const MixedTable& table = strata_.table();
    discrete_.clear();
    continuous_.clear();
    for (int z : given) (table.is_discrete(z) ? discrete_ : continuous_).push_back(table.place(z));
    std::vector<int> of_z = discrete_;
    for (int v : {x, y}) (table.is_discrete(v) ? discrete_ : continuous_).push_back(table.place(v));
    std::sort(discrete_.begin(), discrete_.end());
    Strata& strata = this->strata();
    std::vector<std::uint64_t> keys(strata.size(), 0);
    std::uint64_t bound = 1;
    for (int z : of_z) {
        auto arity = static_cast<std::uint64_t>(table.discrete().arity(z));
        if (bound > most_keys) bound = renumber(keys);
        for (std::size_t j = 0; j < keys.size(); ++j) {
            keys[j] = keys[j] * arity + static_cast<std::uint64_t>(state(table.discrete(), z, strata.row(j)));
        }
        bound *= arity;
    }
    take_moments(strata);
    std::size_t p = continuous_.size(), stride = 1 + p + p * p;
    cells_.clear();
    for (std::size_t j = 0; j < keys.size(); ++j) {
        auto state_of = [&](int v) {
            return table.is_discrete(v) ? state(table.discrete(), table.place(v), strata.row(j)) : 0;
        };
        cells_.push_back({keys[j], state_of(x), state_of(y), j * stride});
    }
    std::sort(cells_.begin(), cells_.end(),
              [](const Cell& a, const Cell& b) { return std::tuple(a.z, a.x, a.y) < std::tuple(b.z, b.x, b.y); });
}

void ConditionalGaussian::take_moments(Strata& strata) {
    std::size_t p = continuous_.size(), stride = 1 + p + p * p;
    memory_.resize(strata.size() * stride);
    for (std::size_t j = 0; j < strata.size(); ++j) memory_[j * stride] = strata.n()[j];
    for (std::size_t a = 0; a < p; ++a) {
        const double* mean = strata.mean(continuous_[a]);
        for (std::size_t j = 0; j < strata.size(); ++j) memory_[j * stride + 1 + a] = mean[j];
        for (std::size_t b = a; b < p; ++b) {
            const double* scatter = strata.scatter(continuous_[a], continuous_[b]);
            for (std::size_t j = 0; j < strata.size(); ++j) {
                double* own = memory_.data() + j * stride + 1 + p;
                own[a * p + b] = own[b * p + a] = scatter[j];
            }
        }
    }
    all_columns_.resize(p);
    std::iota(all_columns_.begin(), all_columns_.end(), std::size_t{0});
    columns_ = all_columns_;
}

std::size_t ConditionalGaussian::merge(std::span<const std::size_t> parts) {
    std::size_t p = continuous_.size(), made = memory_.size();
    memory_.resize(made + 1 + p + p * p, 0.0);
    double* n = memory_.data() + made;
    double *mean = n + 1, *scatter = mean + p;
    const double* first = memory_.data() + parts.front() + 1;
    for (std::size_t part : parts) {
        const double* own = memory_.data() + part;
        *n += own[0];
        for (std::size_t a = 0; a < p; ++a) mean[a] += own[0] * (own[1 + a] - first[a]);
    }
    for (std::size_t a = 0; a < p; ++a) mean[a] = first[a] + mean[a] / *n;
    for (std::size_t part : parts) {
        const double *own = memory_.data() + part, *own_mean = own + 1, *own_scatter = own_mean + p;
        for (std::size_t a = 0; a < p; ++a) {
            for (std::size_t b = 0; b < p; ++b) {
                scatter[a * p + b] +=
                    own_scatter[a * p + b] + own[0] * (own_mean[a] - mean[a]) * (own_mean[b] - mean[b]);
            }
        }
    }
    return made;
}

std::span<const double> ConditionalGaussian::pivots(std::size_t moments) {
    std::size_t p = continuous_.size(), k = columns_.size();
    const double* scatter = memory_.data() + moments + 1 + p;
    work_.resize(k * k);
    own_.resize(k);
    pivots_.resize(k);
    for (std::size_t a = 0; a < k; ++a) {
        for (std::size_t b = a; b < k; ++b) work_[a * k + b] = scatter[columns_[a] * p + columns_[b]];
        own_[a] = work_[a * k + a];
    }
    for (std::size_t q = 0; q < k; ++q) {
        double pivot = work_[q * k + q];
        pivots_[q] = pivot <= singular * own_[q] ? 0.0 : pivot;
        if (pivots_[q] == 0.0) continue;
        for (std::size_t a = q + 1; a < k; ++a) {
            double factor = work_[q * k + a] / pivot;
            for (std::size_t b = a; b < k; ++b) work_[a * k + b] -= factor * work_[q * k + b];
        }
    }
    return pivots_;
}

namespace {

double rank(std::span<const double> pivots) {
    return static_cast<double>(pivots.size()) - static_cast<double>(std::count(pivots.begin(), pivots.end(), 0.0));
}

}  // namespace

// The last two columns are x and y. What y varies around its regression on Z and x is its own pivot; around that on Z
// alone it is more by what x explains.
void ConditionalGaussian::add_both_continuous(const Cell& cell, ChiSquare& sums) {
    std::size_t k = columns_.size();
    auto found = pivots(cell.moments);
    double independent = rank(found.first(k - 2)), n_k = n(cell.moments), xx = found[k - 2];
    if (n_k <= independent + 2.0 || xx == 0.0) return;
    double xy = work_[(k - 2) * k + k - 1], rest = work_[k * k - 1], yy = rest + xy / xx * xy;
    if (yy <= singular * own_[k - 1]) return;
    double rho = xy / std::sqrt(xx * yy);
    if ((1.0 - rho) * (1.0 + rho) <= singular) {
        if (n_k <= independent + 2.0 + sure) return;
        sums.statistic = std::numeric_limits<double>::infinity();
    } else {
        sums.statistic -= n_k * elementary::log1p(-rho * rho);
    }
    sums.df += 1.0;
}

// The last column is the continuous variable of the pair.
void ConditionalGaussian::add_one_of_each(std::span<const Cell> cells, ChiSquare& sums) {
    parts_.clear();
    double g2 = 0.0, df = 0.0;
    for (const Cell& cell : cells) {
        auto found = pivots(cell.moments);
        double independent = rank(found.first(found.size() - 1)), residual = found.back(), own = n(cell.moments);
        if (own <= independent + 1.0 + (residual == 0.0 ? sure : 0.0)) continue;
        parts_.push_back(cell.moments);
        g2 = residual == 0.0 ? std::numeric_limits<double>::infinity() : g2 - own * elementary::log(residual / own);
        df += independent + 2.0;
    }
    if (parts_.size() < 2) return;
    std::size_t together = merge(parts_);
    auto found = pivots(together);
    double residual = found.back(), all = n(together);
    if (residual == 0.0) return;  // nothing is left to explain
    sums.statistic += g2 + all * elementary::log(residual / all);
    sums.df += df - rank(found.first(found.size() - 1)) - 2.0;
}

double ConditionalGaussian::n_log_determinant(std::size_t moments) {
    double sum = 0.0, own = n(moments);
    for (double pivot : pivots(moments)) sum += elementary::log(pivot / own);
    return own * sum;
}

void ConditionalGaussian::add_both_discrete(std::span<const Cell> cells, ChiSquare& sums) {
    columns_ = all_columns_;
    parts_.clear();
    for (const Cell& cell : cells) parts_.push_back(cell.moments);
    auto independent = pivots(merge(parts_));
    columns_.clear();
    for (std::size_t a = 0; a < independent.size(); ++a) {
        if (independent[a] > 0.0) columns_.push_back(a);
    }
    auto c = static_cast<double>(columns_.size());
    std::vector<const Cell*> gaussian;  // the cells that have a density
    std::vector<int> states[2];
    for (const Cell& cell : cells) {
        if (n(cell.moments) <= c || rank(pivots(cell.moments)) < c) continue;
        gaussian.push_back(&cell);
        states[0].push_back(cell.x);
        states[1].push_back(cell.y);
    }
    for (auto& own : states) {
        std::sort(own.begin(), own.end());
        own.erase(std::unique(own.begin(), own.end()), own.end());
        if (own.size() < 2) return;
    }
    auto has = [](const std::vector<int>& all, int v) { return std::binary_search(all.begin(), all.end(), v); };
    double g2 = 0.0, total = 0.0;
    std::vector<double> margins[2] = {std::vector<double>(states[0].size()), std::vector<double>(states[1].size())};
    auto margin = [&](int axis, int v) -> double& {
        auto place = std::lower_bound(states[axis].begin(), states[axis].end(), v) - states[axis].begin();
        return margins[axis][static_cast<std::size_t>(place)];
    };
    for (const Cell& cell : cells) {
        if (!has(states[0], cell.x) || !has(states[1], cell.y)) continue;
        double own = n(cell.moments);
        g2 += 2.0 * n_log_n(own);
        margin(0, cell.x) += own;
        margin(1, cell.y) += own;
        total += own;
    }
    g2 += 2.0 * n_log_n(total);
    for (const auto& own : margins) {
        for (double count : own) g2 -= 2.0 * n_log_n(count);
    }
    auto together = [&](auto chosen) {
        parts_.clear();
        for (const Cell* cell : gaussian) {
            if (chosen(*cell)) parts_.push_back(cell->moments);
        }
        return n_log_determinant(merge(parts_));
    };
    for (const Cell* cell : gaussian) g2 -= n_log_determinant(cell->moments);
    g2 -= together([](const Cell&) { return true; });
    for (int v : states[0]) g2 += together([v](const Cell& cell) { return cell.x == v; });
    for (int v : states[1]) g2 += together([v](const Cell& cell) { return cell.y == v; });
    auto r = static_cast<double>(states[0].size()), s = static_cast<double>(states[1].size());
    double free = std::max(static_cast<double>(gaussian.size()) - r - s + 1.0, 0.0);
    sums.statistic += g2;
    sums.df += (r - 1.0) * (s - 1.0) + free * gaussian_parameters(c);
}

}  // namespace veridag
