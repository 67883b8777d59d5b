// A DAG that changes arc by arc, and knows at any time which variables are ancestors of which.
#pragma once

#include <vector>

#include "bit_set.hpp"
#include "index.hpp"

namespace veridag {

class DynamicDag {
   public:
    // Lists of parents, each ascending, that form no cycle.
    explicit DynamicDag(std::vector<std::vector<int>> parents);

    int size() const { return static_cast<int>(parents_.size()); }
    const std::vector<int>& parents(int v) const { return parents_[at(v)]; }
    const std::vector<std::vector<int>>& all_parents() const { return parents_; }
    const std::vector<int>& children(int v) const { return children_[at(v)]; }
    bool has(int from, int to) const;
    // Whether a directed path leads from u to v, which differ.
    bool is_ancestor(int u, int v) const { return has_bit(ancestors(v), u); }
    bool can_add(int from, int to) const { return !is_ancestor(to, from); }
    // Whether the arc, which is there, may be turned: no other path leads the same way.
    bool can_reverse(int from, int to) const;

    // The arc must not be there, and must close no cycle.
    void add(int from, int to);
    // The arc must be there.
    void remove(int from, int to);

    // The variable and all that can be reached from it, each before those that can be reached from it in turn.
    const std::vector<int>& reachable(int v);

   private:
    const Word* ancestors(int v) const { return ancestors_.data() + at(v) * words_; }
    void gather_ancestors(int v, Word* out) const;

    std::size_t words_;
    std::vector<std::vector<int>> parents_, children_;
    Bits ancestors_;  // a row a variable
    // Memory of reachable and remove.
    std::vector<int> order_;
    std::vector<std::pair<int, std::size_t>> path_;
    std::vector<char> marked_;
    Bits gathered_;
};

}  // namespace veridag
