// Iterated local search over orders in which each variable has the best set of its list among its predecessors.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/matrix.hpp"
#include "random.hpp"
#include "search/boss/parent_lists.hpp"
#include "search/boss/watch.hpp"

namespace veridag::boss_search {

// The lists, with what an order search needs of each pair of variables.
struct ListTable {
    explicit ListTable(std::vector<Choices> all);

    // One that a variable may be joined with.
    struct Neighbour {
        int variable;
        Mask as_parent = 0;  // its bit among the candidates of the variable whose neighbour it is; 0 if it is none
        Mask as_child = 0;   // that variable's bit among its candidates
    };

    int variables() const { return static_cast<int>(lists.size()); }
    double value(int v, std::size_t row) const {
        return row < lists[at(v)].sets.size() ? lists[at(v)].scores[row] : missing[at(v)];
    }

    std::vector<Choices> lists;
    std::vector<std::vector<Neighbour>> near;  // ascending
    std::vector<double> missing;               // what a child without a set counts
};

// An order with the set of every child in it. A child without a set counts as much worse than all others.
class ListOrder {
   public:
    // The order must have every required parent before its child.
    ListOrder(const ListTable& table, std::vector<int> order);

    int size() const { return n_; }
    const std::vector<int>& order() const { return order_; }
    double score() const { return score_; }
    bool complete() const;
    std::vector<int> parents(int v) const;

    // Moves variables to their best places until none of those that may gain does. At first all may; later those near
    // what has changed.
    void climb(Watch& watch);

    // Moves variables next to one that they may be joined with, whatever that costs: the first any variable, the
    // others mostly near the one before.
    void disturb(int moves, Stream& random);

    // How often a list was looked into so far; a look that goes far down counts more.
    std::int64_t looks() const { return looks_; }

   private:
    using Neighbour = ListTable::Neighbour;

    const Choices& list(int v) const { return table_->lists[at(v)]; }
    bool misses_required(int v, Mask before) const { return list(v).required & ~before; }

    int place(const Neighbour& near) const { return place_[at(near.variable)]; }

    std::size_t row_of(int v, Mask before);
    bool improve(int x);
    void choose(int v);
    void move(int x, int to);
    void displace(int x, Stream& random);
    void tuck(int x, int to);
    int reach(int x, int to) const;
    void wake(int v);
    void wake_around(int v);

    const ListTable* table_;
    int n_;
    std::vector<int> order_, place_;
    std::vector<Mask> before_;
    std::vector<std::size_t> rows_;
    double score_ = 0.0;
    std::vector<int> queue_;  // those that may gain by a move
    std::vector<char> queued_;
    std::int64_t looks_ = 0;
    std::vector<const Neighbour*> left_, right_;
};

}  // namespace veridag::boss_search
