#include "search/ges/class_constraints.hpp"

#include <algorithm>
#include <queue>
#include <set>

namespace veridag::ges_search {
namespace {

// So many orders of a chain component are begun before the search for one is given up, where only a search can find it.
constexpr int patience = 20'000;

}  // namespace

ClassConstraints::ClassConstraints(const Constraints& constraints, const Matrix& sizes)
    : limits_(constraints.max_indegree),
      sizes_(sizes),
      banned_(constraints.forbidden),
      fixed_(constraints.variables()) {
    int n = constraints.variables();
    for (int v = 0; v < n && sizes_.size() > 0; ++v) {
        int most = limits_[at(v)] = std::min(limits_[at(v)], n - 1);
        while (most >= 0 && !sizes_.has(v, most)) --most;
        limits_[at(v)] = most;
        for (int k = 0; k < most; ++k) is_monotone_ = is_monotone_ && sizes_.has(v, k);
    }
    max_indegree_ = limits_.empty() ? 0 : *std::max_element(limits_.begin(), limits_.end());
    bool shared = std::all_of(limits_.begin(), limits_.end(), [&](int own) { return own == max_indegree_; });
    for (int i = 0; i < n; ++i) {
        // A variable may be said to be no parent of itself, which says nothing.
        banned_.clear(i, i);
        for (int j = 0; j < n; ++j) {
            if (!constraints.is_required(i, j)) continue;
            required_.emplace_back(i, j);
            banned_.set(j, i);
            fixed_.join(i, j);
        }
    }
    auto entries = banned_.entries();
    bool free = required_.empty() && std::all_of(entries.begin(), entries.end(), [](Byte b) { return b == 0; });
    empty_ = free && shared && is_monotone_;
}

std::optional<Matrix> ClassConstraints::member(const Pattern& g) const {
    if (!allows_arcs(g)) return std::nullopt;
    Matrix dag = g.matrix();
    std::vector<char> seen(at(g.size()), 0), placed(at(g.size()), 0);
    for (int v = 0; v < g.size(); ++v) {
        if (seen[at(v)]) continue;
        std::optional<Set> sorted = order(g, g.component(v));
        if (!sorted) return std::nullopt;
        for (int u : *sorted) seen[at(u)] = 1;
        for (int u : *sorted) {
            placed[at(u)] = 1;
            for (int w : g.neighbours(u)) {
                if (!placed[at(w)]) dag.orient(u, w);
            }
        }
    }
    return dag;
}

bool ClassConstraints::allows_size(int v, std::size_t parents) const {
    int k = static_cast<int>(parents);
    return k <= limits_[at(v)] && (is_monotone_ || sizes_.has(v, k));
}

bool ClassConstraints::allows_arcs(const Pattern& g) const {
    for (auto [i, j] : required_) {
        if (!g.has(i, j)) return false;
    }
    for (int v = 0; v < g.size() && !empty_; ++v) {
        for (int u : g.parents(v)) {
            if (bans(u, v)) return false;
        }
    }
    return true;
}

// The members of a class orient its chain components independently of each other, and each of them in an order in which
// the neighbours that come before a variable are all joined (Andersson, Madigan and Perlman 1997). The order is found
// from its end, as Dor and Tarsi (1992) do.
std::optional<Set> ClassConstraints::order(const Pattern& g, const Set& component) const {
    if (component.size() == 1) {
        bool is_allowed = allows_size(component[0], g.parents(component[0]).size());
        return is_allowed ? std::optional(component) : std::nullopt;
    }
    Set reversed;
    if (!(is_monotone_ ? finish(g, component, reversed) : try_all(g, component, reversed))) return std::nullopt;
    std::reverse(reversed.begin(), reversed.end());
    return reversed;
}

// A variable that can come last may do so: where an order has it earlier and it is moved to the end, its neighbours
// lose it as a parent or keep what they have, and it gets those that it is allowed to have.
bool ClassConstraints::finish(const Pattern& g, const Set& component, Set& reversed) const {
    std::priority_queue<int> candidates(component.begin(), component.end());
    std::vector<char> left(at(g.size()), 0);
    for (int v : component) left[at(v)] = 1;
    while (!candidates.empty()) {
        int v = candidates.top();
        candidates.pop();
        if (!left[at(v)] || !can_be_last(g, left, v)) continue;
        left[at(v)] = 0;
        reversed.push_back(v);
        for (int u : g.neighbours(v)) candidates.push(u);
    }
    return reversed.size() == component.size();
}

// A variable that may have more parents than a number that it may not have does not like to lose one.
bool ClassConstraints::try_all(const Pattern& g, const Set& component, Set& reversed) const {
    std::vector<char> left(at(g.size()), 0);
    for (int v : component) left[at(v)] = 1;
    std::set<std::vector<char>> hopeless;
    int begun = 0;
    auto search = [&](auto&& self) -> bool {
        if (reversed.size() == component.size()) return true;
        if (hopeless.contains(left) || ++begun > patience) return false;
        for (std::size_t k = component.size(); k-- > 0;) {
            int v = component[k];
            if (!left[at(v)] || !can_be_last(g, left, v)) continue;
            left[at(v)] = 0;
            reversed.push_back(v);
            if (self(self)) return true;
            reversed.pop_back();
            left[at(v)] = 1;
        }
        hopeless.insert(left);
        return false;
    };
    return search(search);
}

bool ClassConstraints::can_be_last(const Pattern& g, const std::vector<char>& left, int v) const {
    Set before;
    for (int u : g.neighbours(v)) {
        if (!left[at(u)]) continue;
        if (bans(u, v)) return false;
        before.push_back(u);
    }
    if (!allows_size(v, g.parents(v).size() + before.size())) return false;
    return std::all_of(before.begin(), before.end(),
                       [&](int u) { return g.joined_to(u, before).size() + 1 == before.size(); });
}

}  // namespace veridag::ges_search
