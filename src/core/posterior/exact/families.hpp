// The families of a table with their weights, and the sums of weights over all parent sets within a set of variables.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "double_double.hpp"
#include "index.hpp"

namespace veridag {

// A set of variables, a bit for each.
using VariableSet = std::uint32_t;

constexpr VariableSet just(int v) { return VariableSet{1} << v; }
constexpr VariableSet all_of(int n) { return static_cast<VariableSet>((std::uint64_t{1} << n) - 1); }

// Where a set without v stands among all sets without v, and back.
constexpr std::size_t place_without(VariableSet set, int v) {
    VariableSet low = just(v) - 1;
    return (set & low) | ((set >> 1) & ~low);
}
constexpr VariableSet set_at(std::size_t place, int v) {
    auto squeezed = static_cast<VariableSet>(place);
    VariableSet low = just(v) - 1;
    return (squeezed & low) | ((squeezed & ~low) << 1);
}

// Of the parents of one variable: those that must be among them, and those that must not.
struct ParentRule {
    VariableSet present = 0, absent = 0;

    bool allows(VariableSet parents) const { return (present & ~parents) == 0 && (absent & parents) == 0; }
    bool is_free() const { return present == 0 && absent == 0; }
};

using ParentRules = std::vector<ParentRule>;  // one a variable

// Which weights: those of the posterior, or those of the prior alone.
enum class Weights : std::uint8_t { posterior, prior };

class WeightedFamilies {
   public:
    // Rows as in Candidates, in any order; `priors` has the prior's term of each row's score. Throws
    // std::invalid_argument if there are too many variables.
    WeightedFamilies(int variables, std::span<const std::int64_t> offsets, std::span<const double> scores,
                     std::span<const double> priors, std::span<const std::int64_t> parent_offsets,
                     std::span<const std::int32_t> parents);

    int variables() const { return n_; }
    std::size_t begin(int v) const { return offsets_[at(v)]; }
    std::size_t end(int v) const { return offsets_[at(v) + 1]; }
    VariableSet parents(std::size_t row) const { return sets_[row]; }

    // The logarithm of a row's weight, less the greatest of its variable.
    double log_weight(std::size_t row, Weights which) const {
        return which == Weights::posterior ? scores_[row] : priors_[row];
    }

    // What was taken off, for all variables together.
    double log_scale(Weights which) const { return which == Weights::posterior ? score_scale_ : prior_scale_; }

   private:
    int n_;
    std::vector<std::size_t> offsets_;
    std::vector<VariableSet> sets_;
    std::vector<double> scores_, priors_;
    double score_scale_ = 0.0, prior_scale_ = 0.0;
};

constexpr int max_posterior_variables = 25;

// The exponent of zero: what has it is skipped, and never added to.
constexpr std::int32_t zero_exponent = -(1 << 30);

// mantissa * 2^exponent.
struct WideNumber {
    double mantissa = 0.0;
    std::int32_t exponent = zero_exponent;

    bool is_zero() const { return exponent == zero_exponent; }
    double log() const;                   // minus infinity for zero
    double over(WideNumber whole) const;  // the quotient, which is not to be too large for a double
};

// Numbers mantissa * 2^exponent with mantissas from 1 to below 2, so that none is too small or too large.
template <class Number>
struct WideNumbers {
    std::vector<Number> mantissa;
    std::vector<std::int32_t> exponent;

    WideNumbers() = default;
    explicit WideNumbers(std::size_t size) : mantissa(size), exponent(size, zero_exponent) {}
    bool is_zero(std::size_t i) const { return exponent[i] == zero_exponent; }
    WideNumber at_place(std::size_t i) const { return {rounded(mantissa[i]), exponent[i]}; }
    void add(std::size_t i, Number value, std::int32_t power);
};

// A_v(U): the sum of the weights of v's parent sets within U that a rule allows, for all sets U without v, by
// place_without. Sums of positive numbers lose nothing. Number is double or DoubleDouble.
template <class Number>
WideNumbers<Number> parent_sums(const WeightedFamilies& families, int v, Weights which, ParentRule rule = {});

// 2^power, for powers of normal numbers.
double power_of_two(std::int32_t power);

}  // namespace veridag
