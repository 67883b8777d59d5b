#include "search/ges/class_constraints.hpp"

#include <algorithm>

#include "graph/equivalence.hpp"

namespace veridag::ges_search {

ClassConstraints::ClassConstraints(const Constraints& constraints)
    : max_indegree_(constraints.common_limit()), banned_(constraints.forbidden), fixed_(constraints.variables()) {
    for (int i = 0; i < constraints.variables(); ++i) {
        for (int j = 0; j < constraints.variables(); ++j) {
            if (!constraints.is_required(i, j)) continue;
            required_.emplace_back(i, j);
            banned_.set(j, i);
            fixed_.join(i, j);
        }
    }
    auto entries = banned_.entries();
    empty_ = required_.empty() && std::all_of(entries.begin(), entries.end(), [](Byte b) { return b == 0; });
}

std::optional<Matrix> ClassConstraints::member(const Matrix& completed) const {
    MixedGraph g(completed);
    for (auto [i, j] : required_) {
        if (!g.has(i, j)) return std::nullopt;
    }
    std::vector<std::pair<int, int>> oriented;
    for (int j = 0; j < g.size() && !empty_; ++j) {
        for (int i : g.adjacent(j)) {
            if (!g.has(i, j) || !bans(i, j)) continue;
            if (!g.has_edge(i, j) || bans(j, i)) return std::nullopt;
            g.orient(j, i);
            oriented.emplace_back(j, i);
        }
    }
    // Without this an extension might have v-structures that the class has not.
    for (auto [i, j] : oriented) {
        for (int k : g.adjacent(j)) {
            if (k != i && g.has_arc(k, j) && !g.joined(i, k)) return std::nullopt;
        }
    }
    Extension found = extend(g.matrix());
    if (!found.stuck.empty()) return std::nullopt;
    return std::move(found.dag);
}

}  // namespace veridag::ges_search
