#include "posterior/exact/orders.hpp"

#include <bit>
#include <utility>

#include "parallel.hpp"

namespace veridag {
namespace {

constexpr VariableSet between_reports = (1 << 12) - 1;
constexpr std::int32_t least_normal = -1000;

// before(S) for all S, or after(D).
template <class Number>
WideNumbers<double> sums_over_orders(const AllParentSums<Number>& sums, bool is_after, Progress& progress,
                                     std::int64_t done) {
    int n = static_cast<int>(sums.size());
    VariableSet all = all_of(n);
    WideNumbers<double> found(std::size_t{all} + 1);
    found.add(0, 1.0, 0);
    for (std::size_t index = 1; index <= all; ++index) {
        auto set = static_cast<VariableSet>(index);
        for (VariableSet rest = set; rest; rest &= rest - 1) {
            int v = std::countr_zero(rest);
            VariableSet others = set & ~just(v);
            std::size_t place = place_without(is_after ? all & ~set : others, v);
            const WideNumbers<Number>& own = sums[at(v)];
            if (found.is_zero(others) || own.is_zero(place)) continue;
            double mantissa = found.mantissa[others] * rounded(own.mantissa[place]);
            std::int32_t exponent = found.exponent[others] + own.exponent[place];
            if (mantissa >= 2.0) {
                mantissa /= 2.0;
                ++exponent;
            }
            found.add(set, mantissa, exponent);
        }
        if ((set & between_reports) == 0 && progress.stop(done + set, 0.0)) return found;
    }
    return found;
}

}  // namespace

template <class Number>
AllParentSums<Number> all_parent_sums(const WeightedFamilies& families, Weights which, const ParentRules& rules,
                                      int threads, Progress& progress) {
    AllParentSums<Number> sums(at(families.variables()));
    parallel_for(sums.size(), threads, [&](std::size_t task, std::size_t worker) {
        if (worker == 0 ? progress.stop(0, 0.0) : progress.stopped()) return;
        int v = static_cast<int>(task);
        sums[task] = parent_sums<Number>(families, v, which, rules.empty() ? ParentRule{} : rules[task]);
    });
    return sums;
}

template <class Number>
OrderSums order_sums(const AllParentSums<Number>& sums, Progress& progress) {
    WideNumbers<double> before = sums_over_orders(sums, false, progress, 0);
    if (progress.stopped()) return {};
    return {std::move(before), sums_over_orders(sums, true, progress, std::int64_t{1} << sums.size())};
}

template <class Number>
WideNumber sum_over_orders(const AllParentSums<Number>& sums, Progress& progress) {
    WideNumbers<double> found = sums_over_orders(sums, false, progress, 0);
    return found.at_place(found.mantissa.size() - 1);
}

std::vector<double> places_in_order(const OrderSums& orders, const WideNumbers<double>& sums, int v, int n) {
    VariableSet all = all_of(n);
    std::vector<double> found(std::size_t{1} << (n - 1), 0.0);
    const auto& [before, after] = orders;
    for (std::size_t place = 0; place < found.size(); ++place) {
        VariableSet set = set_at(place, v), rest = all & ~set & ~just(v);
        if (before.is_zero(set) || sums.is_zero(place) || after.is_zero(rest)) continue;
        std::int32_t power = before.exponent[set] + sums.exponent[place] + after.exponent[rest] - before.exponent[all];
        if (power < least_normal) continue;
        found[place] = before.mantissa[set] * sums.mantissa[place] * after.mantissa[rest] / before.mantissa[all] *
                       power_of_two(power);
    }
    return found;
}

template AllParentSums<double> all_parent_sums(const WeightedFamilies&, Weights, const ParentRules&, int, Progress&);
template AllParentSums<DoubleDouble> all_parent_sums(const WeightedFamilies&, Weights, const ParentRules&, int,
                                                     Progress&);
template OrderSums order_sums(const AllParentSums<double>&, Progress&);
template OrderSums order_sums(const AllParentSums<DoubleDouble>&, Progress&);
template WideNumber sum_over_orders(const AllParentSums<double>&, Progress&);

}  // namespace veridag
