#include "posterior/exact/families.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "scores/ties.hpp"

namespace veridag {
namespace {

// Smaller numbers do not change a sum of 106 bits.
constexpr std::int32_t most_shift = 300;

// Sums of exponents of all variables fit into 32 bits.
constexpr double most_exponent = 2.0e7;

// e^x as mantissa * 2^exponent. The product with log2(e) is made with twice the digits: else large x would have few.
std::pair<double, std::int32_t> exponential(double x) {
    constexpr DoubleDouble log2_of_e{1.4426950408889634, 2.0355273740931033e-17};
    if (x == minus_infinity) return {0.0, zero_exponent};
    DoubleDouble power = exactly::product(x, log2_of_e.hi);
    power = exactly::ordered_sum(power.hi, power.lo + x * log2_of_e.lo);
    double whole = std::floor(power.hi);
    // Written so that what is not a number, as the product is where x is beyond all measure, is refused as well.
    if (!(whole >= -most_exponent)) throw std::range_error("the scores of a variable's parent sets are too far apart");
    double mantissa = std::exp2((power.hi - whole) + power.lo);
    auto exponent = static_cast<std::int32_t>(whole);
    if (mantissa >= 2.0) return {mantissa / 2.0, exponent + 1};
    if (mantissa < 1.0) return {mantissa * 2.0, exponent - 1};
    return {mantissa, exponent};
}

DoubleDouble widened(double value, DoubleDouble) { return {value, 0.0}; }
double widened(double value, double) { return value; }

// Takes the greatest off the scores of each variable.
double normalise(std::vector<double>& scores, const std::vector<std::size_t>& offsets) {
    double scale = 0.0;
    for (std::size_t v = 0; v + 1 < offsets.size(); ++v) {
        auto first = scores.begin() + static_cast<std::ptrdiff_t>(offsets[v]);
        auto last = scores.begin() + static_cast<std::ptrdiff_t>(offsets[v + 1]);
        if (first == last) continue;
        double best = *std::max_element(first, last);
        std::transform(first, last, first, [best](double score) { return score - best; });
        scale += best;
    }
    return scale;
}

}  // namespace

WeightedFamilies::WeightedFamilies(int variables, std::span<const std::int64_t> offsets, std::span<const double> scores,
                                   std::span<const double> priors, std::span<const std::int64_t> parent_offsets,
                                   std::span<const std::int32_t> parents)
    : n_(variables),
      offsets_(offsets.begin(), offsets.end()),
      scores_(scores.begin(), scores.end()),
      priors_(priors.begin(), priors.end()) {
    if (variables < 1 || variables > max_posterior_variables)
        throw std::invalid_argument("too many variables for sums over all sets");
    if (offsets.size() != at(variables) + 1 || priors.size() != scores.size() ||
        parent_offsets.size() != scores.size() + 1 || offsets_.back() != scores.size() ||
        static_cast<std::size_t>(parent_offsets.back()) != parents.size())
        throw std::invalid_argument("the parts of the table do not fit together");
    sets_.reserve(scores.size());
    for (std::size_t row = 0; row < scores.size(); ++row) {
        VariableSet set = 0;
        for (std::int64_t k = parent_offsets[row]; k < parent_offsets[row + 1]; ++k)
            set |= just(parents[static_cast<std::size_t>(k)]);
        sets_.push_back(set);
    }
    score_scale_ = normalise(scores_, offsets_);
    prior_scale_ = normalise(priors_, offsets_);
}

double WideNumber::log() const {
    return is_zero() ? minus_infinity : std::log(mantissa) + exponent * std::numbers::ln2;
}

double WideNumber::over(WideNumber whole) const {
    if (is_zero() || exponent - whole.exponent < -1000) return 0.0;
    return mantissa / whole.mantissa * power_of_two(exponent - whole.exponent);
}

double power_of_two(std::int32_t power) {
    return std::bit_cast<double>(static_cast<std::uint64_t>(power + 1023) << 52);
}

template <class Number>
void WideNumbers<Number>::add(std::size_t i, Number value, std::int32_t power) {
    if (power == zero_exponent) return;
    Number& own = mantissa[i];
    std::int32_t& own_power = exponent[i];
    if (own_power == zero_exponent || power - own_power > most_shift) {
        own = value;
        own_power = power;
        return;
    }
    if (own_power - power > most_shift) return;
    if (own_power >= power) {
        own = own + scaled(value, power_of_two(power - own_power));
    } else {
        own = value + scaled(own, power_of_two(own_power - power));
        own_power = power;
    }
    while (rounded(own) >= 2.0) {
        own = scaled(own, 0.5);
        ++own_power;
    }
}

template <class Number>
WideNumbers<Number> parent_sums(const WeightedFamilies& families, int v, Weights which, ParentRule rule) {
    std::size_t size = std::size_t{1} << (families.variables() - 1);
    WideNumbers<Number> sums(size);
    for (std::size_t row = families.begin(v); row < families.end(v); ++row) {
        if (!rule.allows(families.parents(row))) continue;
        auto [mantissa, exponent] = exponential(families.log_weight(row, which));
        sums.add(place_without(families.parents(row), v), widened(mantissa, Number{}), exponent);
    }
    // What is within a set is within all that include it, one member at a time.
    for (std::size_t step = 1; step < size; step *= 2) {
        for (std::size_t base = step; base < size; base += 2 * step) {
            for (std::size_t s = base; s < base + step; ++s)
                sums.add(s, sums.mantissa[s - step], sums.exponent[s - step]);
        }
    }
    return sums;
}

template struct WideNumbers<double>;
template struct WideNumbers<DoubleDouble>;
template WideNumbers<double> parent_sums(const WeightedFamilies&, int, Weights, ParentRule);
template WideNumbers<DoubleDouble> parent_sums(const WeightedFamilies&, int, Weights, ParentRule);

}  // namespace veridag
