#include "counts/expected.hpp"

#include <algorithm>
#include <limits>
#include <variant>

#include "elementary.hpp"
#include "random.hpp"

namespace veridag {
namespace {

constexpr std::size_t nowhere = std::numeric_limits<std::size_t>::max();

// The bits of a variable in a state: as random-looking as those of the variable.
Key key_of(const Key& variable, std::size_t state) {
    return {mix(variable.low + state), mix(variable.high ^ (state << 32))};
}

}  // namespace

ExpectedCounts ExpectedCounter::sized(int child, std::span<const int> parents) const {
    ExpectedCounts counts;
    counts.r = data_.arities[at(child)];
    counts.n = static_cast<double>(data_.table.total());
    for (int p : parents) {
        counts.q *= data_.arities[at(p)];
        counts.log_q += elementary::log(data_.arities[at(p)]);
    }
    if (std::isfinite(counts.q)) counts.log_q = elementary::log(counts.q);
    return counts;
}

void ExpectedCounter::take(int child, std::span<const int> parents) {
    variables_.assign(parents.begin(), parents.end());
    std::sort(variables_.begin(), variables_.end());  // callers may give them in any order
    variables_.push_back(child);
    counts_ = sized(child, parents);
}

ExpectedCounts ExpectedCounter::family(int child, std::span<const int> parents) {
    take(child, parents);
    if (counter_.is_sparse(counts_.q * counts_.r)) {
        count_sparse();
    } else {
        count_dense();
    }
    counts_.cells = sums_;
    counts_.configurations = configurations_;
    return counts_;
}

// The cells come configuration by configuration of the parents; the child's state varies fastest.
void ExpectedCounter::set_places() {
    places_.resize(variables_.size());
    cells_ = 1;
    for (std::size_t k = variables_.size(); k-- > 0;) {
        std::size_t arity = at(data_.arities[at(variables_[k])]);
        places_[k].resize(arity);
        for (std::size_t s = 0; s < arity; ++s) places_[k][s] = static_cast<std::uint32_t>(s * cells_);
        cells_ *= arity;
    }
}

void ExpectedCounter::count_dense() {
    set_places();
    sums_.assign(cells_, 0.0);
    count_cells();
    filled_.find(variables_, places_);
    for (const auto& entry : filled_.entries()) sums_[entry.place] += entry.expected;
    std::size_t r = at(counts_.r);
    configurations_.assign(cells_ / r, 0.0);
    for (std::size_t cell = 0; cell < cells_; ++cell) configurations_[cell / r] += sums_[cell];
}

void ExpectedCounter::count_cells() {
    std::span<const Count> observed = counter_.dense(variables_, nowhere);
    for (std::size_t cell = 0; cell < cells_; ++cell) sums_[cell] = static_cast<double>(observed[cell]);
}

void ExpectedCounter::count_sparse() {
    const Table& table = data_.table;
    Key start = keys_.subject(variables_.back());  // so that no key is zero
    key_places_.resize(variables_.size());
    key_of_row_.assign(table.rows(), {start, start});
    hidden_.assign(table.rows(), 0);
    for (std::size_t k = 0; k < variables_.size(); ++k) {
        int v = variables_[k], gap = data_.arities[at(v)];
        bool is_child = k + 1 == variables_.size();
        key_places_[k].resize(at(gap));
        for (std::size_t s = 0; s < at(gap); ++s) {
            Key own = key_of(keys_.condition(v), s);
            key_places_[k][s] = {own, is_child ? Key{} : own};
        }
        for_states(table.states(v), 0, table.rows(), [&](const auto* states, std::size_t first, std::size_t count) {
            for (std::size_t i = 0; i < count; ++i) {
                if (states[i] == gap) {
                    hidden_[first + i] = 1;
                } else {
                    key_of_row_[first + i] = key_of_row_[first + i] + key_places_[k][states[i]];
                }
            }
        });
    }
    Cache<double> cells, configurations;
    for (std::size_t i = 0; i < table.rows(); ++i) {
        if (hidden_[i]) continue;
        double weight = table.weights() ? static_cast<double>(table.weights()[i]) : 1.0;
        cells[key_of_row_[i].cell] += weight;
        configurations[key_of_row_[i].configuration] += weight;
    }
    filled_keys_.find(variables_, key_places_);
    CellKey first{start, start};
    for (const auto& entry : filled_keys_.entries()) {
        CellKey key = first + entry.place;
        cells[key.cell] += entry.expected;
        configurations[key.configuration] += entry.expected;
    }
    sums_.clear();
    configurations_.clear();
    cells.for_each_value([&](double sum) { sums_.push_back(sum); });
    configurations.for_each_value([&](double sum) { configurations_.push_back(sum); });
}

// ---- a family with each of many candidates

void ExpectedCounter::start(int child, std::span<const int> parents, const Axes& axes) {
    take(child, parents);
    set_places();
    filled_.find(variables_, places_);
    std::size_t cells = 1;
    for (const Axis& axis : axes) cells *= at(axis.arity);
    cell_of_.assign(cells, 0);
    std::size_t below = 1;
    for (std::size_t k = axes.size(); k-- > 0; below *= at(axes[k].arity)) {
        auto own = std::find(variables_.begin(), variables_.end(), axes[k].variable) - variables_.begin();
        const std::vector<std::uint32_t>& places = places_[static_cast<std::size_t>(own)];
        for (std::size_t c = 0; c < cells; ++c) {
            cell_of_[c] += places[c / below % at(axes[k].arity)];
        }
    }
}

// A cell of the family has a number for each state of the candidate, and one more for its gaps, which nobody reads.
ExpectedCounts ExpectedCounter::with(const Tile& tile, std::size_t i, int candidate) {
    std::size_t s = at(data_.arities[at(candidate)]), width = s + 1;
    wide_.assign(cells_ * width, 0.0);
    Count own[Table::max_bit_arity];
    for (std::size_t c = 0; c < cell_of_.size(); ++c) {
        tile.split(c, i, own);
        double* out = wide_.data() + cell_of_[c] * width;
        for (std::size_t state = 0; state < s; ++state) out[state] = static_cast<double>(own[state]);
    }
    switch (s) {
        case 2: add_missing<2>(candidate); break;
        case 3: add_missing<3>(candidate); break;
        case 4: add_missing<4>(candidate); break;
        default: add_missing<0>(candidate);
    }
    std::size_t r = at(counts_.r);
    sums_.resize(cells_ * s);
    configurations_.assign(cells_ / r * s, 0.0);
    double* sums = sums_.data();
    for (std::size_t cell = 0; cell < cells_; ++cell) {
        const double* from = wide_.data() + cell * width;
        double* configuration = configurations_.data() + cell / r * s;
        for (std::size_t state = 0; state < s; ++state) {
            *sums++ = from[state];
            configuration[state] += from[state];
        }
    }
    ExpectedCounts counts = counts_;
    counts.q *= static_cast<double>(s);
    counts.log_q = elementary::log(counts.q);
    counts.cells = sums_;
    counts.configurations = configurations_;
    return counts;
}

// With `fixed` states, or any number if that is 0: loops of a few steps are quick if their number is known.
template <std::size_t fixed>
void ExpectedCounter::add_missing(int candidate) {
    const std::size_t s = fixed ? fixed : at(data_.arities[at(candidate)]), width = s + 1;
    double* out = wide_.data();
    const Completions::State* states = all_.states(candidate).data();
    for (const auto& entry : filled_.entries()) out[entry.place * width + states[entry.row]] += entry.expected;
    const Completions::Gaps& gaps = all_.gaps(candidate);
    const double* marginal = gaps.marginals.data();
    for (std::size_t g = 0; g < gaps.rows.size(); ++g, marginal += s) {
        std::uint32_t row = gaps.rows[g];
        if (filled_.has(row)) {
            filled_.with<fixed>(candidate, g, [&](std::size_t place, std::size_t state, double expected) {
                out[place * width + state] += expected;
            });
        } else {
            double weight = all_.weight(row);
            double* cell = out + filled_.observed(row) * width;
            for (std::size_t state = 0; state < s; ++state) cell[state] += weight * marginal[state];
        }
    }
}

}  // namespace veridag
