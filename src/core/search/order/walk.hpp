// A walk over orders: where it is, and what a move would change.
#pragma once

#include <cmath>
#include <optional>
#include <vector>

#include "graph/matrix.hpp"
#include "random.hpp"
#include "scores/ties.hpp"
#include "search/order/choices.hpp"

namespace veridag::order_search {

// The score of an order. Children without any set (by the prior, or as all their families are singular) are counted
// apart, so that orders that have the same of them can still be compared, and fewer is better.
struct Total {
    int impossible = 0;
    double sum = 0.0;

    void add(double value) {
        if (value == minus_infinity)
            ++impossible;
        else
            sum += value;
    }
    void subtract(double value) {
        if (value == minus_infinity)
            --impossible;
        else
            sum -= value;
    }
    double score() const { return impossible ? minus_infinity : sum; }
    bool better_than(const Total& other) const {
        return impossible != other.impossible ? impossible < other.impossible
                                              : sum > other.sum + tie * std::abs(other.sum);
    }
};

// Positions in the order: either the two variables swap, or the one at `from` goes to `to` and those in between make
// room.
struct Move {
    bool swap;
    int from, to;
};

// With probability 1/2 two neighbours swap, 1/8 any two variables, 3/8 one moves to another place.
Move random_move(int n, Stream& random);

// Uniform on 0, ..., n - 1.
inline int below(int n, Stream& random) { return static_cast<int>(random.uniform() * n); }

// An order with the score of every child in it.
class Walk {
   public:
    Walk(const std::vector<Choices>& choices, bool average);

    void set(std::vector<int> order);

    const std::vector<int>& order() const { return order_; }
    const Total& total() const { return total_; }

    // Takes away the rounding that many differences add up to.
    void sum_anew();

    // What the move adds to the total; nothing if it puts a required parent after its child.
    std::optional<Total> propose(Move move);

    // Makes the move proposed last.
    void make(Move move, const Total& change);

    // The best place for the variable at `from`, or `from` if none gains.
    int best_place(int from) const;

    // The best DAG given the order. A child without any set is left with its required parents.
    Matrix dag() const;

   private:
    struct Change {
        int child;
        Mask before;
        double value;
    };

    Mask as_parent(int u, int v) const { return bits_[at(v, u, n_)]; }
    bool misses_required(int v, Mask before) const { return choices_[at(v)].required & ~before; }
    double value(int v, Mask before) const {
        return average_ ? choices_[at(v)].average(before) : choices_[at(v)].best(before);
    }

    bool change_child(int v, Mask before, Total& change);
    bool propose_swap(int i, int j, Total& change);
    bool propose_insertion(int from, int to, Total& change);

    const std::vector<Choices>& choices_;
    bool average_;
    int n_;
    std::vector<Mask> bits_;  // [v, u]: the bit of u among the candidates of v, 0 if it is none
    std::vector<int> order_;
    std::vector<Mask> before_;    // which candidates come before their child
    std::vector<double> values_;  // the children's terms of the total
    Total total_;
    std::vector<Change> changes_;  // of the move proposed last
};

}  // namespace veridag::order_search
