#include "counts/completions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <variant>

#include "elementary.hpp"

namespace veridag {

// Finds the components of one row after the other.
class Completions::Builder {
   public:
    Builder(Completions& all, const NetworkTables& network, double limit)
        : all_(all), network_(network), limit_(limit), place_(network.parents.size(), nowhere) {
        std::size_t n = network.parents.size();
        families_of_.resize(n);
        for (std::size_t v = 0; v < n; ++v) {
            families_of_[v].push_back(v);
            for (int p : network.parents[v]) families_of_[at(p)].push_back(v);
            logs_.emplace_back(network.tables[v].size());
            std::transform(network.tables[v].begin(), network.tables[v].end(), logs_[v].begin(),
                           [](double p) { return elementary::log(p); });
        }
    }

    // A row whose states, with arities for gaps, are the last of all_.states_.
    void add(std::span<const int> missing) {
        row_ = all_.weights_.size() - 1;
        for (std::size_t i = 0; i < missing.size(); ++i) place_[at(missing[i])] = i;
        group_.resize(missing.size());
        for (std::size_t i = 0; i < missing.size(); ++i) group_[i] = i;
        for (int v : missing) {
            for (std::size_t f : families_of_[at(v)]) {
                join(v, static_cast<int>(f));
                for (int p : network_.parents[f]) join(v, p);
            }
        }
        for (std::size_t i = 0; i < missing.size(); ++i) {
            if (root(i) != i) continue;
            members_.clear();
            for (std::size_t k = i; k < missing.size(); ++k) {
                if (root(k) == i) members_.push_back(missing[k]);
            }
            add_component();
        }
        for (int v : missing) place_[at(v)] = nowhere;
    }

   private:
    static constexpr std::size_t nowhere = std::numeric_limits<std::size_t>::max();

    std::size_t root(std::size_t i) const {
        while (group_[i] != i) i = group_[i];
        return i;
    }

    // The smaller root stays one, so that components come in the order of their first variables.
    void join(int v, int u) {
        if (place_[at(u)] == nowhere) return;
        std::size_t a = root(place_[at(v)]), b = root(place_[at(u)]);
        group_[std::max(a, b)] = std::min(a, b);
    }

    void add_component() {
        std::size_t c = all_.components_.size();
        all_.components_.push_back({all_.variables_.size(), members_.size()});
        double number = 1.0;
        for (std::size_t k = 0; k < members_.size(); ++k) {
            int v = members_[k];
            number *= all_.data_.arities[at(v)];
            Gaps& gaps = all_.gaps_[at(v)];
            all_.variables_.push_back(v);
            all_.gap_of_variable_.push_back(gaps.rows.size());
            gaps.rows.push_back(static_cast<std::uint32_t>(row_));
            gaps.components.push_back(static_cast<std::uint32_t>(c));
            gaps.places.push_back(static_cast<std::uint32_t>(k));
            gaps.marginals.resize(gaps.marginals.size() + at(all_.data_.arities[at(v)]), 0.0);
        }
        if (number > limit_) {
            all_.large_.push_back({c, row_});
        } else {
            enumerate(c, static_cast<std::size_t>(number));
        }
    }

    // The sum of the logarithms of all factors that hold one of the members, for each completion; the last member's
    // state varies fastest.
    void enumerate(std::size_t c, std::size_t number) {
        sums_.assign(number, 0.0);
        touched_.clear();
        for (int v : members_) touched_.insert(touched_.end(), families_of_[at(v)].begin(), families_of_[at(v)].end());
        std::sort(touched_.begin(), touched_.end());
        touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
        strides_.resize(members_.size());
        for (std::size_t f : touched_) add_factor(f, number);
        double most = *std::max_element(sums_.begin(), sums_.end()), total = 0.0;
        if (most == -std::numeric_limits<double>::infinity()) {
            if (all_.impossible_ < 0) all_.impossible_ = all_.origins_[row_];
            return;
        }
        for (double& sum : sums_) total += sum = elementary::exp(sum - most);
        Component& component = all_.components_[c];
        component.first = all_.probabilities_.size();
        component.states = all_.completions_.size();
        counter_.assign(members_.size(), 0);
        for (std::size_t i = 0; i < number; ++i) {
            if (sums_[i] > 0.0) {
                all_.probabilities_.push_back(sums_[i] / total);
                all_.completions_.insert(all_.completions_.end(), counter_.begin(), counter_.end());
            }
            for (std::size_t k = members_.size(); k-- > 0;) {
                if (++counter_[k] < all_.data_.arities[at(members_[k])]) break;
                counter_[k] = 0;
            }
        }
        component.number = all_.probabilities_.size() - component.first;
        all_.set_marginals(c);
    }

    void add_factor(std::size_t f, std::size_t number) {
        std::fill(strides_.begin(), strides_.end(), std::size_t{0});
        std::size_t place = 0, stride = 1;
        auto take = [&](int v) {
            auto member = std::lower_bound(members_.begin(), members_.end(), v);
            if (member != members_.end() && *member == v) {
                strides_[static_cast<std::size_t>(member - members_.begin())] = stride;
            } else {
                place += stride * all_.states_[at(v)][row_];
            }
            stride *= at(all_.data_.arities[at(v)]);
        };
        take(static_cast<int>(f));
        for (std::size_t k = network_.parents[f].size(); k-- > 0;) take(network_.parents[f][k]);
        counter_.assign(members_.size(), 0);
        const double* logs = logs_[f].data();
        for (std::size_t i = 0; i < number; ++i) {
            sums_[i] += logs[place];
            for (std::size_t k = members_.size(); k-- > 0;) {
                place += strides_[k];
                if (++counter_[k] < all_.data_.arities[at(members_[k])]) break;
                place -= strides_[k] * counter_[k];
                counter_[k] = 0;
            }
        }
    }

    Completions& all_;
    const NetworkTables& network_;
    double limit_;
    std::size_t row_ = 0;
    std::vector<std::vector<std::size_t>> families_of_;  // of each variable, by their children
    std::vector<std::vector<double>> logs_;
    std::vector<std::size_t> place_, group_, touched_, strides_;
    std::vector<int> members_;
    std::vector<State> counter_;
    std::vector<double> sums_;
};

namespace {

void check(const IncompleteData& data, const NetworkTables& network) {
    auto fail = [](const char* what) { throw std::invalid_argument(what); };
    std::size_t n = at(data.table.variables());
    if (network.parents.size() != n || network.tables.size() != n || data.arities.size() != n)
        fail("the network needs the variables of the data");
    for (std::size_t v = 0; v < n; ++v) {
        double entries = data.arities[v];
        for (int p : network.parents[v]) {
            if (p < 0 || at(p) >= n || at(p) == v) fail("a parent is no other variable");
            entries *= data.arities[at(p)];
        }
        if (entries != static_cast<double>(network.tables[v].size())) fail("a table has the wrong size");
    }
}

}  // namespace

Completions::Completions(const IncompleteData& data, const NetworkTables& network, double limit) : data_(data) {
    check(data, network);
    const Table& table = data.table;
    std::size_t n = at(table.variables());
    states_.resize(n);
    gaps_.resize(n);
    std::vector<char> has_gap(table.rows(), 0);
    std::vector<std::vector<State>> columns(n);
    for (std::size_t v = 0; v < n; ++v) {
        auto own = static_cast<int>(v);
        columns[v].reserve(table.rows());
        for_states(table.states(own), 0, table.rows(), [&](const auto* states, std::size_t, std::size_t count) {
            columns[v].insert(columns[v].end(), states, states + count);
        });
        if (!data.has_gaps(own)) continue;
        for (std::size_t i = 0; i < table.rows(); ++i)
            has_gap[i] |= static_cast<char>(columns[v][i] == data.arities[v]);
    }
    Builder builder(*this, network, limit);
    std::unordered_map<std::u16string, std::size_t> known;
    std::u16string row(n, u'\0');
    std::vector<int> missing;
    for (std::size_t i = 0; i < table.rows(); ++i) {
        double weight = table.weights() ? static_cast<double>(table.weights()[i]) : 1.0;
        if (!has_gap[i] || weight == 0.0) continue;
        for (std::size_t v = 0; v < n; ++v) row[v] = columns[v][i];
        auto [entry, is_new] = known.try_emplace(row, weights_.size());
        if (!is_new) {
            weights_[entry->second] += weight;
            continue;
        }
        missing.clear();
        for (std::size_t v = 0; v < n; ++v) {
            states_[v].push_back(columns[v][i]);
            if (columns[v][i] == data.arities[v]) missing.push_back(static_cast<int>(v));
        }
        weights_.push_back(weight);
        origins_.push_back(static_cast<std::int64_t>(i));
        builder.add(missing);
    }
}

void Completions::set_marginals(std::size_t c) {
    const Component& own = components_[c];
    for (std::size_t k = 0; k < own.size; ++k) {
        int v = variables_[own.variables + k];
        double* marginal =
            gaps_[at(v)].marginals.data() + gap_of_variable_[own.variables + k] * at(data_.arities[at(v)]);
        for (std::size_t i = 0; i < own.number; ++i) marginal[completion(own, i)[k]] += probability(own, i);
    }
    set_pairs(c);
}

// Most families have at most two gaps in a component: then the completions need not be gone through again.
void Completions::set_pairs(std::size_t c) {
    Component& own = components_[c];
    own.pairs = pair_starts_.size();
    for (std::size_t b = 1; b < own.size; ++b) {
        std::size_t r = at(data_.arities[at(variables_[own.variables + b])]);
        for (std::size_t a = 0; a < b; ++a) {
            std::size_t start = pairs_.size();
            pair_starts_.push_back(start);
            pairs_.resize(start + r * at(data_.arities[at(variables_[own.variables + a])]), 0.0);
            for (std::size_t i = 0; i < own.number; ++i) {
                const State* states = completion(own, i);
                pairs_[start + states[a] * r + states[b]] += probability(own, i);
            }
        }
    }
}

std::vector<std::int64_t> Completions::beyond_limit() const {
    std::vector<std::int64_t> rows;
    for (const Large& one : large_) {
        if (rows.empty() || rows.back() != origins_[one.row]) rows.push_back(origins_[one.row]);
    }
    return rows;
}

double Completions::number_beyond_limit() const {
    double number = 0.0;
    for (std::size_t i = 0; i < large_.size(); ++i) {
        if (i == 0 || large_[i].row != large_[i - 1].row) number += weights_[large_[i].row];
    }
    return number;
}

void Completions::draw(std::span<const std::int32_t> states, std::size_t number) {
    std::size_t n = states_.size();
    if (number == 0 || states.size() != beyond_limit().size() * number * n)
        throw std::invalid_argument("there must be as many draws for each row beyond the limit");
    std::size_t from = 0;
    for (std::size_t i = 0; i < large_.size(); ++i) {
        if (i > 0 && large_[i].row != large_[i - 1].row) from += number * n;
        Component& own = components_[large_[i].component];
        if (own.number > 0) throw std::invalid_argument("the draws were given already");
        own.first = probabilities_.size();
        own.states = completions_.size();
        own.number = number;
        for (std::size_t d = 0; d < number; ++d) {
            probabilities_.push_back(1.0 / static_cast<double>(number));
            for (std::size_t k = 0; k < own.size; ++k) {
                int v = variables_[own.variables + k];
                std::int32_t state = states[from + d * n + at(v)];
                if (state < 0 || state >= data_.arities[at(v)]) throw std::invalid_argument("a draw is no state");
                completions_.push_back(static_cast<State>(state));
            }
        }
        set_marginals(large_[i].component);
    }
}

}  // namespace veridag
