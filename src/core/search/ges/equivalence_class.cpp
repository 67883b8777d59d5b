#include "search/ges/equivalence_class.hpp"

#include <algorithm>
#include <queue>
#include <set>
#include <stdexcept>

namespace veridag::ges_search {
namespace {

// An order of a chain component that begins with `first` and in which the neighbours that come before a variable are
// all joined. The rest is found from the end: a variable whose neighbours that are left are all joined comes last.
std::vector<int> perfect_order(const Pattern& g, const Set& component, const std::vector<int>& first) {
    std::vector<int> reversed;
    if (component.size() > first.size()) {
        std::priority_queue<int> candidates;
        Set near;
        for (int v : component) {
            if (std::find(first.begin(), first.end(), v) == first.end()) candidates.push(v);
        }
        std::vector<char> gone(component.size(), 0);
        auto index = [&](int v) {
            return static_cast<std::size_t>(std::lower_bound(component.begin(), component.end(), v) -
                                            component.begin());
        };
        for (int v : first) gone[index(v)] = 2;  // stays, but is never a candidate
        while (!candidates.empty()) {
            int v = candidates.top();
            candidates.pop();
            if (gone[index(v)]) continue;
            near.clear();
            for (int u : g.neighbours(v)) {
                if (gone[index(u)] != 1) near.push_back(u);
            }
            if (!g.is_clique(near)) continue;
            gone[index(v)] = 1;
            reversed.push_back(v);
            for (int u : near) candidates.push(u);
        }
    }
    if (reversed.size() + first.size() != component.size())
        throw std::logic_error("an operator that is not valid was carried out");
    std::reverse(reversed.begin(), reversed.end());
    reversed.insert(reversed.begin(), first.begin(), first.end());
    return reversed;
}

}  // namespace

EquivalenceClass::EquivalenceClass(const Matrix& dag)
    : g_(dag.size()),
      parents_(at(g_.size())),
      labels_(at(g_.size())),
      place_(at(g_.size()), -1),
      queued_(at(g_.size())) {
    Set all;
    for (int v = 0; v < g_.size(); ++v) {
        parents_[at(v)] = dag.parents_of(v);
        for (int u : parents_[at(v)]) g_.put(u, v, true, false);
        all.push_back(v);
    }
    relabel(all);
    forget();
}

Matrix EquivalenceClass::member() const {
    Matrix dag(g_.size());
    for (int v = 0; v < g_.size(); ++v) {
        for (int u : parents(v)) dag.set(u, v);
    }
    return dag;
}

// ---- steps

void EquivalenceClass::insert(int x, int y, const Set& before) {
    if (parents_in_component(y) != before) {
        std::vector<int> first = before;
        first.push_back(y);
        begin_with(first);
    }
    set_family(y, with(parents(y), x), {});
    relabel({y});
}

void EquivalenceClass::remove(int x, int y, const Set& before) {
    bool is_edge = g_.has_edge(x, y);
    if (parents_in_component(y) != (is_edge ? with(before, x) : before)) {
        std::vector<int> first = before;
        if (is_edge) first.push_back(x);
        first.push_back(y);
        begin_with(first);
    }
    set_family(y, without(parents(y), x), {});
    put(x, y, false, false);
    relabel({y});
}

void EquivalenceClass::turn(int x, int y, const Set& before) {
    std::vector<int> first = before;
    first.push_back(y);
    if (g_.has_edge(x, y)) {
        first.push_back(x);
        begin_with(first);
    } else {
        if (parents_in_component(y) != before) begin_with(first);
        if (!parents_in_component(x).empty()) begin_with({x});
    }
    set_family(x, without(parents(x), y), {});
    set_family(y, with(parents(y), x), {});
    relabel(x < y ? Set{x, y} : Set{y, x});
}

bool EquivalenceClass::settle(const ClassConstraints& constraints, std::size_t mark) {
    Set touched = since(mark).touched;
    for (int v : touched) {
        for (int u : g_.parents(v)) {
            if (constraints.bans(u, v)) return false;
        }
    }
    std::vector<char> done(at(g_.size()), 0);
    for (int v : touched) {
        if (done[at(v)]) continue;
        Set component = g_.component(v);
        for (int u : component) done[at(u)] = 1;
        std::optional<Set> order = constraints.order(g_, component);
        if (!order) return false;
        orient(component, *order);
    }
    return true;
}

void EquivalenceClass::begin_with(const std::vector<int>& first) {
    Set component = g_.component(first.back());
    orient(component, perfect_order(g_, component, first));
}

// The class stays what it is, and so do the labels of arcs.
void EquivalenceClass::orient(const Set& component, const std::vector<int>& order) {
    for (std::size_t k = 0; k < order.size(); ++k) place_[at(order[k])] = static_cast<int>(k);
    for (int v : component) {
        Set parents = g_.parents(v);
        for (int u : g_.neighbours(v)) {
            if (place_[at(u)] < place_[at(v)]) parents.push_back(u);
        }
        std::sort(parents.begin(), parents.end());
        if (parents == parents_[at(v)]) continue;
        Labels labels;
        for (int u : parents) labels.push_back(g_.has_arc(u, v));
        set_family(v, std::move(parents), std::move(labels));
    }
    for (int v : order) place_[at(v)] = -1;
}

Set EquivalenceClass::parents_in_component(int v) const {
    Set found;
    for (std::size_t k = 0; k < parents(v).size(); ++k) {
        if (!labels_[at(v)][k]) found.push_back(parents(v)[k]);
    }
    return found;
}

// ---- labels

// Chickering (1995), algorithm Label-Edges, for the arcs into one variable. The parent that comes last is the one of
// which all others are parents; if there is none, all arcs are compelled, by v-structures or by what follows from them.
EquivalenceClass::Labels EquivalenceClass::labels_into(int y) const {
    const Set& from = parents(y);
    for (int x : from) {
        const Set& above = parents(x);
        if (above.size() + 1 < from.size()) continue;
        if (!std::all_of(from.begin(), from.end(), [&](int z) { return z == x || contains(above, z); })) continue;
        Labels labels(from.size(), 0);
        for (std::size_t k = 0; k < labels_[at(x)].size(); ++k) {
            if (!labels_[at(x)][k]) continue;
            auto w = std::lower_bound(from.begin(), from.end(), above[k]);
            if (w == from.end() || *w != above[k]) return Labels(from.size(), 1);
            labels[static_cast<std::size_t>(w - from.begin())] = 1;
        }
        return labels;
    }
    return Labels(from.size(), 1);
}

// The labels of arcs into a variable depend on the parents of its parents and on the labels of the arcs into them, so
// that a change goes on to children until nothing changes.
void EquivalenceClass::relabel(const Set& changed) {
    std::vector<int> queue, seen;
    auto push = [&](int v) {
        if (!queued_[at(v)]) queue.push_back(v);
        queued_[at(v)] = 1;
    };
    auto push_children = [&](int v) {
        for (int u : g_.adjacent(v)) {
            if (contains(parents(u), v)) push(u);
        }
    };
    for (int v : changed) push(v);
    for (int v : changed) push_children(v);
    for (std::size_t next = 0; next < queue.size(); ++next) {
        int v = queue[next];
        queued_[at(v)] = 0;
        seen.push_back(v);
        Labels labels = labels_into(v);
        if (labels == labels_[at(v)]) continue;
        set_family(v, parents(v), std::move(labels));
        push_children(v);
    }
    for (int v : seen) {
        for (std::size_t k = 0; k < parents(v).size(); ++k) put(parents(v)[k], v, true, !labels_[at(v)][k]);
    }
}

// ---- the journal

void EquivalenceClass::set_family(int v, Set parents, Labels labels) {
    journal_.push_back({v, -1, false, false, std::move(parents_[at(v)]), std::move(labels_[at(v)])});
    parents_[at(v)] = std::move(parents);
    labels_[at(v)] = std::move(labels);
}

void EquivalenceClass::put(int i, int j, bool forward, bool backward) {
    if (g_.has(i, j) == forward && g_.has(j, i) == backward) return;
    journal_.push_back({i, j, g_.has(i, j), g_.has(j, i), {}, {}});
    g_.put(i, j, forward, backward);
}

void EquivalenceClass::go_back(std::size_t mark) {
    while (journal_.size() > mark) {
        Entry& last = journal_.back();
        if (last.j < 0) {
            parents_[at(last.i)] = std::move(last.parents);
            labels_[at(last.i)] = std::move(last.labels);
        } else {
            g_.put(last.i, last.j, last.forward, last.backward);
        }
        journal_.pop_back();
    }
}

EquivalenceClass::Changes EquivalenceClass::since(std::size_t mark) const {
    Changes changes;
    std::set<int> seen;
    for (std::size_t k = mark; k < journal_.size(); ++k) {
        const Entry& entry = journal_[k];
        if (entry.j < 0) {
            bool is_first = seen.insert(entry.i).second;
            if (is_first && entry.parents != parents(entry.i)) changes.families.emplace_back(entry.i, entry.parents);
            continue;
        }
        changes.touched.insert(changes.touched.end(), {entry.i, entry.j});
        if (g_.joined(entry.i, entry.j) != (entry.forward || entry.backward))
            changes.pairs.emplace_back(entry.i, entry.j);
        if (entry.forward && !g_.has(entry.i, entry.j)) changes.lost.emplace_back(entry.i, entry.j);
        if (entry.backward && !g_.has(entry.j, entry.i)) changes.lost.emplace_back(entry.j, entry.i);
    }
    std::sort(changes.touched.begin(), changes.touched.end());
    changes.touched.erase(std::unique(changes.touched.begin(), changes.touched.end()), changes.touched.end());
    return changes;
}

}  // namespace veridag::ges_search
