#include "exact/parent_sets/child.hpp"

#include <algorithm>

#include "exact/parent_sets/set_scores.hpp"
#include "scores/ties.hpp"

namespace veridag {

Child::Child(int v, const Constraints& constraints) : variable(v), allowed(at(constraints.variables()), 0), lowest(v) {
    for (int u = 0; u < constraints.variables(); ++u) {
        bool is_needed = constraints.is_required(u, v);
        if (u == v || (constraints.is_forbidden(u, v) && !is_needed)) continue;
        allowed[at(u)] = 1;
        (is_needed ? required : optional).push_back(u);
    }
    if (!required.empty()) lowest = std::min(v, required[0]);
    limit = std::max(required.size(), std::min(at(constraints.limit(v)), required.size() + optional.size()));
}

bool Child::is_required(int u) const {
    return !required.empty() && std::binary_search(required.begin(), required.end(), u);
}

void Child::prepare_prior(std::size_t k, const PriorTerms& prior) {
    std::vector<double> arcs;
    for (int u : optional) arcs.push_back(prior.of_arc(u, variable));
    std::sort(arcs.rbegin(), arcs.rend());
    prior_with.assign(limit + 2, minus_infinity);
    prior_from.assign(limit + 2, minus_infinity);
    double best_arcs = 0.0;
    for (std::size_t m = k + 1; m <= limit; ++m) {
        best_arcs += m - k - 1 < arcs.size() ? arcs[m - k - 1] : minus_infinity;
        prior_with[m] = prior.of_size(variable, m) + best_arcs;
    }
    for (std::size_t m = limit + 1; m-- > k + 1;) prior_from[m] = std::max(prior_with[m], prior_from[m + 1]);
    prior_of_one_more = minus_infinity;
    for (std::size_t m = std::max<std::size_t>(k, 1); m <= limit; ++m) {
        double with = prior.of_size(variable, m), without = prior.of_size(variable, m - 1);
        if (with == minus_infinity) continue;
        prior_of_one_more = std::max(prior_of_one_more, without == minus_infinity ? no_bound : with - without);
    }
}

}  // namespace veridag
