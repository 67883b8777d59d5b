// What the gaps of discrete data may be under a network: for each row that has any, the distribution of what is missing
// given what is observed. Missing variables that no family joins are independent given the rest of the row, so that a
// row has components, each with the probabilities of all its completions. Rows that are alike are kept once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "table/incomplete_data.hpp"

namespace veridag {

// A discrete network: the table of a variable has the axes of its parents, in the order given, and its own as the last.
struct NetworkTables {
    std::vector<std::vector<int>> parents;
    std::vector<std::span<const double>> tables;
};

class Completions {
   public:
    using State = std::uint16_t;

    // Missing variables of a row that depend on each other, and what they may be.
    struct Component {
        std::size_t variables, size;        // where its variables start, and how many they are
        std::size_t first = 0, number = 0;  // its completions
        std::size_t states = 0;             // where their states start, completion after completion
        std::size_t pairs = 0;              // where the distributions of its pairs start
    };

    // The distribution of two variables of a component.
    struct Pair {
        const double* probabilities;
        std::size_t a_stride, b_stride;
        double operator()(std::size_t a, std::size_t b) const { return probabilities[a * a_stride + b * b_stride]; }
    };

    // The gaps of one variable: their rows, ascending, their components, their places in these, and the probabilities
    // of the variable's states in each.
    struct Gaps {
        std::vector<std::uint32_t> rows, components, places;
        std::vector<double> marginals;
    };

    // Components of more than `limit` completions are left empty until `draw` gives some.
    Completions(const IncompleteData& data, const NetworkTables& network, double limit);

    const IncompleteData& data() const { return data_; }
    // Rows with gaps, each once; its states, those missing being the arity of the variable; how often it occurs.
    std::size_t rows() const { return weights_.size(); }
    std::span<const State> states(int v) const { return states_[at(v)]; }
    double weight(std::size_t row) const { return weights_[row]; }

    const Gaps& gaps(int v) const { return gaps_[at(v)]; }
    std::span<const double> marginal(int v, std::size_t gap) const {
        std::size_t r = at(data_.arities[at(v)]);
        return {gaps_[at(v)].marginals.data() + gap * r, r};
    }
    const Component& component(std::size_t c) const { return components_[c]; }
    double probability(const Component& c, std::size_t completion) const {
        return probabilities_[c.first + completion];
    }
    const State* completion(const Component& c, std::size_t completion) const {
        return completions_.data() + c.states + completion * c.size;
    }

    // Of its variables a and b, by their places.
    Pair pair(const Component& c, std::size_t a, std::size_t b) const {
        std::size_t low = std::min(a, b), high = std::max(a, b);
        std::size_t r = at(data_.arities[at(variables_[c.variables + high])]);
        const double* own = pairs_.data() + pair_starts_[c.pairs + high * (high - 1) / 2 + low];
        return {own, a < b ? r : 1, a < b ? 1 : r};
    }

    // The rows of the data, one for each kind, that have a component beyond the limit.
    std::vector<std::int64_t> beyond_limit() const;
    // The number of rows of the data, each as often as its weight, that they stand for.
    double number_beyond_limit() const;
    // Equally probable completions of each of these rows: `states` has `number` rows of the data for each of them.
    void draw(std::span<const std::int32_t> states, std::size_t number);

    // A row of the data in which what is observed is impossible under the network, or -1.
    std::int64_t impossible() const { return impossible_; }

   private:
    struct Large {
        std::size_t component, row;
    };
    class Builder;

    void set_marginals(std::size_t c);
    void set_pairs(std::size_t c);

    const IncompleteData& data_;
    std::vector<std::vector<State>> states_;
    std::vector<double> weights_;
    std::vector<std::int64_t> origins_;  // a row of the data for each
    std::vector<Gaps> gaps_;
    std::vector<Component> components_;
    std::vector<int> variables_;
    std::vector<std::size_t> gap_of_variable_;  // beside them: the place among the variable's gaps
    std::vector<double> probabilities_, pairs_;
    std::vector<std::size_t> pair_starts_;
    std::vector<State> completions_;
    std::vector<Large> large_;
    std::int64_t impossible_ = -1;
};

}  // namespace veridag
