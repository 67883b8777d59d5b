// Where a greedy equivalence search is: a class of DAGs as its completed PDAG.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "graph/matrix.hpp"
#include "search/sets.hpp"

namespace veridag::ges_search {

// A completed PDAG with its lists, which follow the matrix as it changes.
class Pattern {
   public:
    explicit Pattern(int size) : matrix_(size), adjacent_(at(size)), parents_(at(size)), neighbours_(at(size)) {}

    int size() const { return matrix_.size(); }
    const Matrix& matrix() const { return matrix_; }
    const Set& adjacent(int v) const { return adjacent_[at(v)]; }
    const Set& parents(int v) const { return parents_[at(v)]; }
    const Set& neighbours(int v) const { return neighbours_[at(v)]; }  // by undirected edges

    bool has(int i, int j) const { return matrix_.has(i, j); }
    bool has_arc(int i, int j) const { return matrix_.has_arc(i, j); }
    bool has_edge(int i, int j) const { return matrix_.has_edge(i, j); }
    bool joined(int i, int j) const { return matrix_.joined(i, j); }

    // The members of `set` that are joined to v, and those that are neither joined to it nor v itself.
    Set joined_to(int v, const Set& set) const;
    Set apart_from(int v, const Set& set) const;

    // Becomes `next`; the variables that gained, lost or turned an edge, ascending.
    Set become(Matrix next);

   private:
    void list_surroundings(int v);

    Matrix matrix_;
    std::vector<Set> adjacent_, parents_, neighbours_;
};

// Calls visit with every clique in `pool` of at most `limit` members, the empty one first.
template <class Visit>
void for_each_clique(const Pattern& g, const Set& pool, int limit, Visit&& visit) {
    Set clique;
    auto grow = [&](auto&& self, std::size_t first) -> void {
        visit(static_cast<const Set&>(clique));
        if (static_cast<int>(clique.size()) >= limit) return;
        for (std::size_t k = first; k < pool.size(); ++k) {
            if (!std::all_of(clique.begin(), clique.end(), [&](int c) { return g.joined(c, pool[k]); })) continue;
            clique.push_back(pool[k]);
            self(self, k + 1);
            clique.pop_back();
        }
    };
    if (limit >= 0) grow(grow, 0);
}

}  // namespace veridag::ges_search
