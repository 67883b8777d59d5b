// Sums over orders of the variables, by dynamic programming over all sets (Koivisto and Sood 2004). Nothing is
// subtracted, so that they lose no digits.
#pragma once

#include <vector>

#include "posterior/exact/families.hpp"
#include "progress.hpp"

namespace veridag {

template <class Number>
using AllParentSums = std::vector<WideNumbers<Number>>;

// Those of all variables; stopped by the progress, they are not complete.
template <class Number>
AllParentSums<Number> all_parent_sums(const WeightedFamilies& families, Weights which, const ParentRules& rules,
                                      int threads, Progress& progress);

// before[S]: the sum over orders of S of the product of A_v(those before v).
//   before(S) = sum over v in S of before(S - v) A_v(S - v)
// after[D]: the same over orders of D, with all other variables before them.
//   after(D) = sum over v in D of A_v(V - D) after(D - v)
struct OrderSums {
    WideNumbers<double> before, after;
};

// The progress counts the sets; stopped by it, the sums are not complete.
template <class Number>
OrderSums order_sums(const AllParentSums<Number>& sums, Progress& progress);

// The sum over all orders alone.
template <class Number>
WideNumber sum_over_orders(const AllParentSums<Number>& sums, Progress& progress);

// P(the variables before v are C), for all C by place_without.
std::vector<double> places_in_order(const OrderSums& orders, const WideNumbers<double>& sums, int v, int n);

}  // namespace veridag
