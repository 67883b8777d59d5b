#include "graph/intervention.hpp"
#include "index.hpp"

#include <algorithm>
#include <exception>
#include <map>
#include <numeric>
#include <utility>

namespace veridag {
namespace {

using Nodes = std::vector<int>;

// How a walk came to a variable. Only a walk that has gone forward all the way is part of the effect itself.
enum Arrival : Byte { causal = 1, from_parent = 2, from_child = 4 };

Nodes arcs_into(const MixedGraph& g, int i) {
    Nodes from;
    for (int p : g.adjacent(i)) {
        if (g.has_arc(p, i)) from.push_back(p);
    }
    return from;
}

// The parts of some variables that undirected edges hold together, each in ascending order.
template <class Edge>
std::vector<Nodes> components(const MixedGraph& g, const Nodes& nodes, Edge&& edge) {
    std::vector<Nodes> found;
    std::vector<char> seen(at(g.size()), 0);
    for (int first : nodes) {
        if (seen[at(first)]) continue;
        seen[at(first)] = 1;
        Nodes part{first};
        for (std::size_t k = 0; k < part.size(); ++k) {
            for (int v : g.adjacent(part[k])) {
                if (seen[at(v)] || !edge(part[k], v)) continue;
                seen[at(v)] = 1;
                part.push_back(v);
            }
        }
        std::sort(part.begin(), part.end());
        found.push_back(std::move(part));
    }
    return found;
}

struct Range {
    std::int64_t lower = 0, upper = 0;

    void add(const Range& other) {
        lower += other.lower;
        upper += other.upper;
    }
};

struct TooLarge : std::exception {};

class Orientations {
   public:
    Orientations(const MixedGraph& class_graph, Interventions& effects, std::size_t choices)
        : g(class_graph),
          truth(effects),
          left(choices),
          inside(at(g.size()), 0),
          directed(at(g.size()) * at(g.size()), 0) {}

    // Over all orientations of a component, each of whose variables has the arcs from `outside`.
    Range search(const Nodes& part, const Nodes& outside) {
        auto [cached, fresh] = known.try_emplace({part, outside});
        if (!fresh) return cached->second;
        Range best;
        for (std::size_t k = 0; k < part.size(); ++k) {
            if (left == 0) throw TooLarge{};
            --left;
            Range found = with_source(part, outside, part[k]);
            best.lower = k == 0 ? found.lower : std::min(best.lower, found.lower);
            best.upper = k == 0 ? found.upper : std::max(best.upper, found.upper);
        }
        return cached->second = best;
    }

   private:
    using Arcs = std::vector<std::pair<int, int>>;
    struct Part {
        Nodes nodes, outside;
    };

    const MixedGraph& g;
    Interventions& truth;
    std::size_t left;
    std::vector<char> inside;    // whether a variable is in the component at hand
    std::vector<char> directed;  // the arcs that its source led to; both are cleared after use
    std::map<std::pair<Nodes, Nodes>, Range> known;

    char& arc(int a, int b) { return directed[at(a, b, g.size())]; }

    Range with_source(const Nodes& part, const Nodes& outside, int source) {
        std::int64_t own = truth.count_wrong(source, outside);
        Range sum{own, own};
        for (const Part& smaller : split(part, outside, source)) sum.add(search(smaller.nodes, smaller.outside));
        return sum;
    }

    // The components that a source leaves, itself not among them.
    std::vector<Part> split(const Nodes& part, const Nodes& outside, int source) {
        for (int v : part) inside[at(v)] = 1;
        Arcs arcs = direct_from(source);
        std::vector<Part> found;
        auto is_edge = [&](int a, int b) { return inside[at(b)] && g.has_edge(a, b) && !arc(a, b) && !arc(b, a); };
        for (Nodes& nodes : components(g, part, is_edge)) {
            if (nodes.front() == source) continue;
            // Arcs into one variable of a component go to all of them, or rule 1 would have directed its edges.
            Nodes from = outside;
            for (int p : g.adjacent(nodes.front())) {
                if (arc(p, nodes.front())) from.push_back(p);
            }
            std::sort(from.begin(), from.end());
            found.push_back({std::move(nodes), std::move(from)});
        }
        for (auto [a, b] : arcs) arc(a, b) = 0;
        for (int v : part) inside[at(v)] = 0;
        return found;
    }

    // What follows from a source by Meek's rule 1: a -> b - c with a and c not joined makes b -> c.
    Arcs direct_from(int source) {
        Arcs arcs;
        auto direct = [&](int a, int b) {
            arc(a, b) = 1;
            arcs.emplace_back(a, b);
        };
        for (int b : g.adjacent(source)) {
            if (inside[at(b)] && g.has_edge(source, b)) direct(source, b);
        }
        for (std::size_t k = 0; k < arcs.size(); ++k) {
            auto [a, b] = arcs[k];
            for (int c : g.adjacent(b)) {
                if (inside[at(c)] && c != a && g.has_edge(b, c) && !arc(b, c) && !g.joined(a, c)) direct(b, c);
            }
        }
        return arcs;
    }
};

}  // namespace

Interventions::Interventions(const Matrix& truth)
    : parents(at(truth.size())),
      children(parents.size()),
      wrong(parents.size()),
      in_adjusted(parents.size()),
      opens(parents.size()),
      below(parents.size()),
      states(parents.size()) {
    MixedGraph g(truth);
    for (int i = 0; i < g.size(); ++i) {
        parents[at(i)] = arcs_into(g, i);
        for (int p : parents[at(i)]) children[at(p)].push_back(i);
    }
}

// Extends a set of marked variables, all of them in the frontier, to whatever the steps lead to.
void Interventions::close(std::vector<Byte>& marks, const std::vector<std::vector<int>>& step) {
    while (!frontier.empty()) {
        int v = frontier.back();
        frontier.pop_back();
        for (int next : step[at(v)]) {
            if (marks[at(next)]) continue;
            marks[at(next)] = 1;
            frontier.push_back(next);
        }
    }
}

// Wrong is every target at or below a variable W that lies below i and is, or has a descendant, in the adjusted set: W
// is on a directed path from i to the target, and adjusting takes part of the effect away.
void Interventions::mark_forbidden(int i) {
    std::fill(below.begin(), below.end(), Byte{0});
    frontier.push_back(i);
    close(below, children);
    for (std::size_t w = 0; w < wrong.size(); ++w) {
        if (!below[w] || !opens[w]) continue;
        wrong[w] = 1;
        frontier.push_back(static_cast<int>(w));
    }
    close(wrong, children);
}

// Wrong is every target with an open walk from i that does not go forward all the way. Walks may visit a variable
// twice, but not i: where no shorter path shows the same, the target is forbidden already.
void Interventions::mark_open_paths(int i) {
    std::fill(states.begin(), states.end(), Byte{0});
    std::vector<std::pair<int, Arrival>> walks;
    auto go = [&](const std::vector<int>& to, Arrival how) {
        for (int v : to) {
            if (v == i || (states[at(v)] & how)) continue;
            states[at(v)] = static_cast<Byte>(states[at(v)] | how);
            walks.emplace_back(v, how);
        }
    };
    go(children[at(i)], causal);
    go(parents[at(i)], from_child);
    while (!walks.empty()) {
        auto [v, how] = walks.back();
        walks.pop_back();
        if (!in_adjusted[at(v)]) go(children[at(v)], how == causal ? causal : from_parent);
        if (how == from_child ? !in_adjusted[at(v)] : opens[at(v)] != 0) go(parents[at(v)], from_child);
    }
    for (std::size_t j = 0; j < wrong.size(); ++j) {
        if (states[j] & (from_parent | from_child)) wrong[j] = 1;
    }
}

const std::vector<Byte>& Interventions::wrong_effects(int i, const std::vector<int>& adjusted) {
    std::fill(wrong.begin(), wrong.end(), Byte{0});
    std::fill(in_adjusted.begin(), in_adjusted.end(), Byte{0});
    for (int z : adjusted) in_adjusted[at(z)] = 1;
    opens = in_adjusted;  // and their ancestors: what opens a collider
    frontier = adjusted;
    close(opens, parents);
    mark_forbidden(i);
    mark_open_paths(i);
    // For these the estimate claims that there is no effect.
    for (int z : adjusted) wrong[at(z)] = below[at(z)];
    wrong[at(i)] = 0;
    return wrong;
}

std::int64_t Interventions::count_wrong(int i, const std::vector<int>& adjusted) {
    const auto& found = wrong_effects(i, adjusted);
    return std::accumulate(found.begin(), found.end(), std::int64_t{0});
}

Matrix wrong_effects(const Matrix& truth, const Matrix& estimate) {
    Interventions effects(truth);
    MixedGraph g(estimate);
    Matrix wrong(g.size());
    for (int i = 0; i < g.size(); ++i) {
        const auto& row = effects.wrong_effects(i, arcs_into(g, i));
        for (int j = 0; j < g.size(); ++j) {
            if (row[at(j)]) wrong.set(i, j);
        }
    }
    return wrong;
}

InterventionBounds intervention_bounds(const Matrix& truth, const Matrix& cpdag, std::size_t limit) {
    Interventions effects(truth);
    MixedGraph g(cpdag);
    Orientations orientations(g, effects, limit);
    Nodes all(at(g.size()));
    std::iota(all.begin(), all.end(), 0);
    Range total;
    for (const Nodes& part : components(g, all, [&](int a, int b) { return g.has_edge(a, b); })) {
        try {
            total.add(orientations.search(part, arcs_into(g, part.front())));
        } catch (const TooLarge&) {
            return {0, 0, part};
        }
    }
    return {total.lower, total.upper, {}};
}

}  // namespace veridag
