#include "inference/junction_tree.hpp"

#include <algorithm>
#include <stdexcept>

#include "index.hpp"
#include "inference/triangulation.hpp"

namespace veridag::inference {
namespace {

std::vector<Family> make_families(const std::vector<int>& arities, const std::vector<std::vector<int>>& parents) {
    if (parents.size() != arities.size()) throw std::invalid_argument("arities and parents differ in length");
    std::vector<Family> families;
    for (std::size_t v = 0; v < arities.size(); ++v) {
        if (arities[v] < 1) throw std::invalid_argument("every variable needs a state");
        Family family;
        family.scope = parents[v];
        family.scope.push_back(static_cast<int>(v));
        family.strides.resize(family.scope.size());
        for (std::size_t k = family.scope.size(); k-- > 0;) {
            int u = family.scope[k];
            if (u < 0 || at(u) >= arities.size()) throw std::invalid_argument("a parent is no variable");
            family.strides[k] = family.entries;
            family.entries *= at(arities[at(u)]);
        }
        families.push_back(std::move(family));
    }
    return families;
}

// The maximal cliques, each with the one that holds what it shares with those eliminated later. The clique that a
// variable is eliminated from holds the next one's as well if that is smaller by this variable alone; it takes its
// place then. All trees that are made of these cliques and connect each variable's have the same separators, and thus
// the greatest weight (Jensen and Jensen 1994).
std::vector<Clique> join(const Triangulation& found) {
    std::size_t n = found.order.size();
    std::vector<std::size_t> place(n);
    for (std::size_t i = 0; i < n; ++i) place[at(found.order[i])] = i;
    std::vector<Clique> cliques;
    std::vector<int> clique_of(n, -1);      // that a place of the order is eliminated in
    std::vector<std::size_t> parent_place;  // of each clique: where what it shares is eliminated, n at a root
    for (std::size_t i = 0; i < n; ++i) {
        const std::vector<int>& around = found.cliques[i];
        if (clique_of[i] < 0) {
            clique_of[i] = static_cast<int>(cliques.size());
            Clique& clique = cliques.emplace_back();
            clique.variables = around;
            std::sort(clique.variables.begin(), clique.variables.end(),
                      [&](int a, int b) { return place[at(a)] > place[at(b)]; });
            clique.shared = around.size();
            parent_place.push_back(n);
        }
        Clique& own = cliques[at(clique_of[i])];
        --own.shared;
        std::size_t next = n;
        for (int v : around) {
            if (place[at(v)] > i) next = std::min(next, place[at(v)]);
        }
        parent_place[at(clique_of[i])] = next;
        if (next < n && clique_of[next] < 0 && found.cliques[next].size() + 1 == around.size())
            clique_of[next] = clique_of[i];
    }
    for (std::size_t c = 0; c < cliques.size(); ++c)
        cliques[c].parent = parent_place[c] < n ? clique_of[parent_place[c]] : -1;
    return cliques;
}

std::vector<Clique> children_first(std::vector<Clique> cliques) {
    std::vector<std::vector<int>> children(cliques.size());
    std::vector<int> order;
    for (std::size_t c = cliques.size(); c-- > 0;) {
        int parent = cliques[c].parent;
        (parent < 0 ? order : children[at(parent)]).push_back(static_cast<int>(c));
    }
    for (std::size_t i = 0; i < order.size(); ++i) {
        std::vector<int> below = children[at(order[i])];
        order.insert(order.end(), below.begin(), below.end());
    }
    std::reverse(order.begin(), order.end());
    std::vector<int> number(cliques.size());
    for (std::size_t i = 0; i < order.size(); ++i) number[at(order[i])] = static_cast<int>(i);
    std::vector<Clique> sorted;
    for (int c : order) {
        Clique& clique = sorted.emplace_back(std::move(cliques[at(c)]));
        if (clique.parent >= 0) clique.parent = number[at(clique.parent)];
    }
    return sorted;
}

}  // namespace

JunctionTree::JunctionTree(std::vector<int> arities, const std::vector<std::vector<int>>& parents,
                           std::vector<std::vector<int>> together, bool thorough)
    : arities_(std::move(arities)), families_(make_families(arities_, parents)), holding_(arities_.size()) {
    for (const std::vector<int>& scope : together) {
        if (std::any_of(scope.begin(), scope.end(), [&](int v) { return v < 0 || v >= variables(); }))
            throw std::invalid_argument("a scope names no variable");
    }
    for (const Family& family : families_) together.push_back(family.scope);
    cliques_ = children_first(join(triangulate(arities_, together, thorough)));
    for (std::size_t c = 0; c < cliques_.size(); ++c) {
        Clique& clique = cliques_[c];
        for (int v : clique.variables) {
            clique.entries *= arities_[at(v)];
            holding_[at(v)].push_back(static_cast<int>(c));
        }
        entries_ += clique.entries;
    }
    for (Family& family : families_) family.clique = covering(family.scope);
}

int JunctionTree::covering(const std::vector<int>& scope) const {
    if (scope.empty()) return cliques_.empty() ? -1 : 0;
    auto fewer = [&](int a, int b) { return holding_[at(a)].size() < holding_[at(b)].size(); };
    int best = -1;
    for (int c : holding_[at(*std::min_element(scope.begin(), scope.end(), fewer))]) {
        const Clique& clique = cliques_[at(c)];
        if (best >= 0 && clique.entries >= cliques_[at(best)].entries) continue;
        auto holds = [&](int v) {
            return std::find(clique.variables.begin(), clique.variables.end(), v) != clique.variables.end();
        };
        if (std::all_of(scope.begin(), scope.end(), holds)) best = c;
    }
    return best;
}

}  // namespace veridag::inference
