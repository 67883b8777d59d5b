#include "graph/equivalence.hpp"
#include "index.hpp"

#include <algorithm>
#include <queue>
#include <stdexcept>

namespace veridag {
namespace {

using Lists = std::vector<std::vector<int>>;

std::vector<int> topological_order(const MixedGraph& g) {
    std::vector<int> waiting(at(g.size()), 0), order;
    order.reserve(at(g.size()));
    for (int j = 0; j < g.size(); ++j) {
        for (int i : g.adjacent(j)) {
            if (g.has_edge(i, j)) throw std::invalid_argument("the graph has an undirected edge");
            waiting[at(j)] += g.has_arc(i, j);
        }
        if (waiting[at(j)] == 0) order.push_back(j);
    }
    for (std::size_t k = 0; k < order.size(); ++k) {
        for (int j : g.adjacent(order[k])) {
            if (g.has_arc(order[k], j) && --waiting[at(j)] == 0) order.push_back(j);
        }
    }
    if (order.size() < at(g.size())) throw std::invalid_argument("the graph has a cycle");
    return order;
}

// Labels for the arcs into one variable, in the order of its parents.
enum class Label : char { unknown, compelled, reversible };

class EdgeLabels {
   public:
    explicit EdgeLabels(const MixedGraph& graph) : g(graph), parents(at(g.size())), labels(at(g.size())) {
        std::vector<int> order = topological_order(g);
        // Filled in topological order, so each list of parents is in topological order too.
        for (int i : order) {
            for (int j : g.adjacent(i)) {
                if (g.has_arc(i, j)) parents[at(j)].push_back(i);
            }
        }
        for (int y : order) label_arcs_into(y);
    }

    const Lists& all_parents() const { return parents; }
    Label of(int y, std::size_t k) const { return labels[at(y)][k]; }

   private:
    const MixedGraph& g;
    Lists parents;
    std::vector<std::vector<Label>> labels;

    void label_arcs_into(int y) {
        const auto& from = parents[at(y)];
        auto& label = labels[at(y)];
        label.assign(from.size(), Label::unknown);
        for (std::size_t k = from.size(); k-- > 0;) {
            if (label[k] != Label::unknown) continue;
            if (!inherit_compelled(from[k], y)) {
                std::fill(label.begin(), label.end(), Label::compelled);
                return;
            }
            Label found = has_unshielded_partner(from[k], y) ? Label::compelled : Label::reversible;
            for (Label& l : label) {
                if (l == Label::unknown) l = found;
            }
        }
    }

    // For every compelled w -> x, w -> y is compelled too; false if such a w is no parent of y.
    bool inherit_compelled(int x, int y) {
        const auto& from = parents[at(y)];
        for (std::size_t k = 0; k < parents[at(x)].size(); ++k) {
            if (labels[at(x)][k] != Label::compelled) continue;
            int w = parents[at(x)][k];
            if (!g.has_arc(w, y)) return false;
            labels[at(y)][static_cast<std::size_t>(std::find(from.begin(), from.end(), w) - from.begin())] =
                Label::compelled;
        }
        return true;
    }

    bool has_unshielded_partner(int x, int y) const {
        const auto& from = parents[at(y)];
        return std::any_of(from.begin(), from.end(), [&](int z) { return z != x && !g.has_arc(z, x); });
    }
};

// A variable can come last if nothing leaves it, and each undirected neighbour is joined to all others joined to it.
bool can_be_last(const MixedGraph& g, const std::vector<char>& gone, int x) {
    const auto& near = g.adjacent(x);
    for (int y : near) {
        if (gone[at(y)]) continue;
        if (g.has_arc(x, y)) return false;
        if (!g.has_edge(x, y)) continue;
        for (int z : near) {
            if (!gone[at(z)] && z != y && !g.joined(y, z)) return false;
        }
    }
    return true;
}

// Whether one of Meek's rules turns the undirected edge a - b into a -> b.
bool rule_orients(const MixedGraph& g, int a, int b) {
    for (int c : g.adjacent(a)) {
        if (c == b) continue;
        if (g.has_arc(c, a) && !g.joined(c, b)) return true;  // rule 1
        if (g.has_arc(a, c) && g.has_arc(c, b)) return true;  // rule 2
        if (!g.has_edge(a, c)) continue;
        for (int d : g.adjacent(a)) {
            if (d == b || d == c) continue;
            // rule 3: a - c -> b <- d - a, with c and d not joined
            if (g.has_edge(a, d) && g.has_arc(c, b) && g.has_arc(d, b) && !g.joined(c, d)) return true;
            // rule 4: a - c -> d -> b, with a and d joined, and c and b not
            if (g.has_arc(c, d) && g.has_arc(d, b) && !g.joined(c, b)) return true;
        }
    }
    return false;
}

}  // namespace

Matrix cpdag(const Matrix& dag) {
    MixedGraph g(dag);
    EdgeLabels labels(g);
    Matrix completed = dag;
    for (int y = 0; y < dag.size(); ++y) {
        const auto& from = labels.all_parents()[at(y)];
        for (std::size_t k = 0; k < from.size(); ++k) {
            if (labels.of(y, k) == Label::reversible) completed.set(y, from[k]);
        }
    }
    return completed;
}

Extension extend(const Matrix& pdag) {
    int n = pdag.size();
    MixedGraph g(pdag);
    std::vector<char> gone(at(n), 0);
    // Taking a variable away can free only those joined to it, so only they are looked at again.
    std::priority_queue<int> candidates;
    for (int x = 0; x < n; ++x) candidates.push(x);
    int left = n;
    while (!candidates.empty()) {
        int x = candidates.top();
        candidates.pop();
        if (gone[at(x)] || !can_be_last(g, gone, x)) continue;
        gone[at(x)] = 1;
        --left;
        for (int y : g.adjacent(x)) {
            if (gone[at(y)]) continue;
            if (g.has_edge(x, y)) g.orient(y, x);
            candidates.push(y);
        }
    }
    Extension result{std::move(g).matrix(), {}};
    if (left == 0) return result;
    for (int x = 0; x < n; ++x) {
        if (!gone[at(x)]) result.stuck.push_back(x);
    }
    return result;
}

Matrix meek(const Matrix& pdag) {
    MixedGraph g(pdag);
    for (bool changed = true; changed;) {
        changed = false;
        for (int a = 0; a < g.size(); ++a) {
            for (int b : g.adjacent(a)) {
                if (!g.has_edge(a, b) || !rule_orients(g, a, b)) continue;
                g.orient(a, b);
                changed = true;
            }
        }
    }
    return std::move(g).matrix();
}

}  // namespace veridag
