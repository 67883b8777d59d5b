// A completed PDAG with its lists.
#pragma once

#include <algorithm>
#include <vector>

#include "graph/matrix.hpp"
#include "search/sets.hpp"

namespace veridag::ges_search {

// The lists follow the matrix as single pairs change.
class Pattern {
   public:
    explicit Pattern(int size)
        : matrix_(size),
          adjacent_(at(size)),
          parents_(at(size)),
          neighbours_(at(size)),
          after_(at(size)),
          before_(at(size)) {}
    explicit Pattern(const Matrix& completed);

    int size() const { return matrix_.size(); }
    const Matrix& matrix() const { return matrix_; }
    const Set& adjacent(int v) const { return adjacent_[at(v)]; }
    const Set& parents(int v) const { return parents_[at(v)]; }
    const Set& neighbours(int v) const { return neighbours_[at(v)]; }  // by undirected edges
    // The variables that a half-directed path goes on to from v, and those that it comes from.
    const Set& after(int v) const { return after_[at(v)]; }
    const Set& before(int v) const { return before_[at(v)]; }

    bool has(int i, int j) const { return matrix_.has(i, j); }
    bool has_arc(int i, int j) const { return matrix_.has_arc(i, j); }
    bool has_edge(int i, int j) const { return matrix_.has_edge(i, j); }
    bool joined(int i, int j) const { return matrix_.joined(i, j); }

    // The members of `set` that are joined to v, and those that are neither joined to it nor v itself.
    Set joined_to(int v, const Set& set) const;
    Set apart_from(int v, const Set& set) const;
    bool is_clique(const Set& set) const;
    // Whether v is joined to every other member of `set`.
    bool joins_all(int v, const Set& set) const {
        return std::all_of(set.begin(), set.end(), [&](int u) { return u == v || joined(u, v); });
    }

    // What joins i and j from now on: an arc in one direction or the other, or with both an edge.
    void put(int i, int j, bool forward, bool backward);

    // The chain component of v, ascending.
    Set component(int v) const;

   private:
    void relist(int v, int u);

    Matrix matrix_;
    std::vector<Set> adjacent_, parents_, neighbours_, after_, before_;
    mutable std::vector<char> seen_;  // by component(), and otherwise zero
};

}  // namespace veridag::ges_search
