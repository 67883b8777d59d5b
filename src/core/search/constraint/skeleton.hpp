// What a constraint-based search finds first: which variables are joined, and what separates the others.
#pragma once

#include <algorithm>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "graph/constraints.hpp"
#include "graph/matrix.hpp"
#include "index.hpp"
#include "search/constraint/test_bench.hpp"

namespace veridag {

class Skeleton {
   public:
    // The set is valid until the next one comes.
    struct Separation {
        bool known = false;
        std::span<const int> set{};
    };

    explicit Skeleton(int variables) : adjacent_(variables), separated_(variables) {}

    int variables() const { return adjacent_.size(); }
    const Matrix& matrix() const { return adjacent_; }
    bool joined(int x, int y) const { return adjacent_.has(x, y); }
    void join(int x, int y) { adjacent_.join(x, y); }
    void disconnect(int x, int y) { adjacent_.disconnect(x, y); }

    Separation separation(int x, int y) const;
    // Once for a pair.
    void separate(int x, int y, std::vector<int> set);

    std::vector<int> neighbours(int x) const;

   private:
    std::size_t place(int x, int y) const { return at(std::min(x, y), std::max(x, y), variables()); }

    Matrix adjacent_;
    // Most of the pairs of many variables are independent without any condition, and a list for each would take more
    // memory than all else.
    Matrix separated_;                                        // [smaller, larger]
    std::unordered_map<std::size_t, std::vector<int>> sets_;  // by place, those that are not empty
};

// Steps 1 and 2 of PC-stable (Colombo and Maathuis 2014): the sets that are tried at a level come from the graph as it
// was when the level began, so what is removed does not depend on the order of the pairs. Of a variable's neighbours,
// those that depend most on it without any condition come first. Sets of more than `largest` variables are not tried.
Skeleton pc_stable(TestBench& tests, const Constraints& constraints, std::size_t largest);

}  // namespace veridag
