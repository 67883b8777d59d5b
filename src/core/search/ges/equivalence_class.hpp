// Where a greedy equivalence search is: a class of DAGs and one of its members.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "graph/matrix.hpp"
#include "search/ges/class_constraints.hpp"
#include "search/ges/pattern.hpp"
#include "search/sets.hpp"

namespace veridag::ges_search {

// A step changes one arc of a member. What it costs depends on the chain components and descendants that change, not on
// the size of the graph, and it can be taken back.
class EquivalenceClass {
   public:
    // The class of a DAG, which must be acyclic.
    explicit EquivalenceClass(const Matrix& dag);

    const Pattern& pattern() const { return g_; }
    const Set& parents(int v) const { return parents_[at(v)]; }  // in the member
    Matrix member() const;

    // The step is made in a member in which the neighbours of y that are its parents are those in `before`, and x if it
    // is one of them.
    void insert(int x, int y, const Set& before);
    void remove(int x, int y, const Set& before);
    void turn(int x, int y, const Set& before);  // to x -> y

    // Makes the member one that is allowed, by orienting anew the chain components that changed since `mark`; false if
    // the class has none.
    bool settle(const ClassConstraints& constraints, std::size_t mark);

    // A point to go back to, and back to it. A point before `forget` is lost.
    std::size_t mark() const { return journal_.size(); }
    void go_back(std::size_t mark);
    void forget() { journal_.clear(); }

    // What changed since a mark: variables with other parents in the member and what these were, variables that gained,
    // lost or turned an edge, pairs that were joined or separated, and those (i, j) that can no longer be passed from i
    // to j.
    struct Changes {
        std::vector<std::pair<int, Set>> families;
        Set touched;
        std::vector<std::pair<int, int>> pairs, lost;
    };
    Changes since(std::size_t mark) const;

   private:
    using Labels = std::vector<char>;  // of the parents in turn: 1 if the arc is compelled

    // What one variable or one pair was like before: a family if `j` is negative.
    struct Entry {
        int i, j;
        bool forward, backward;
        Set parents;
        Labels labels;
    };

    void begin_with(const std::vector<int>& first);
    void orient(const Set& component, const std::vector<int>& order);
    void set_family(int v, Set parents, Labels labels);
    void put(int i, int j, bool forward, bool backward);
    void relabel(const Set& changed);
    Labels labels_into(int y) const;
    Set parents_in_component(int v) const;

    Pattern g_;
    std::vector<Set> parents_;
    std::vector<Labels> labels_;
    std::vector<Entry> journal_;
    std::vector<int> place_;    // in an order, by orient(), and otherwise -1
    std::vector<char> queued_;  // by relabel(), and otherwise zero
};

}  // namespace veridag::ges_search
