// What a constraint-based search finds first: which variables are joined, and what separates the others.
#pragma once

#include <cstdint>
#include <vector>

#include "search/constraint/test_bench.hpp"
#include "graph/matrix.hpp"

namespace veridag {

// What is known before: matrices [from, to], and the most parents of each variable.
struct Known {
    int n;
    Matrix required, forbidden;
    std::vector<int> max_indegree;

    bool is_required(int from, int to) const { return required[at(from, to)]; }
    bool is_forbidden(int from, int to) const { return forbidden[at(from, to)]; }
    // Joined in one direction or the other, whatever the data says; and never joined.
    bool joined(int x, int y) const { return is_required(x, y) || is_required(y, x); }
    bool blocked(int x, int y) const { return is_forbidden(x, y) && is_forbidden(y, x); }

   private:
    std::size_t at(int i, int j) const { return static_cast<std::size_t>(i) * static_cast<std::size_t>(n) + static_cast<std::size_t>(j); }
};

class Skeleton {
   public:
    struct Separation {
        bool known = false;
        std::vector<int> set;
    };

    explicit Skeleton(int n) : n_(n), adjacent_(static_cast<std::size_t>(n) * static_cast<std::size_t>(n), 0), separations_(adjacent_.size()) {}

    int variables() const { return n_; }
    const Matrix& matrix() const { return adjacent_; }
    bool joined(int x, int y) const { return adjacent_[at(x, y)]; }
    void join(int x, int y) { adjacent_[at(x, y)] = adjacent_[at(y, x)] = 1; }
    void part(int x, int y) { adjacent_[at(x, y)] = adjacent_[at(y, x)] = 0; }

    const Separation& separation(int x, int y) const { return separations_[at(std::min(x, y), std::max(x, y))]; }
    void separate(int x, int y, std::vector<int> set) { separations_[at(std::min(x, y), std::max(x, y))] = {true, std::move(set)}; }

    std::vector<int> neighbours(int x) const;

   private:
    std::size_t at(int i, int j) const { return static_cast<std::size_t>(i) * static_cast<std::size_t>(n_) + static_cast<std::size_t>(j); }

    int n_;
    Matrix adjacent_;
    std::vector<Separation> separations_;
};

// Steps 1 and 2 of PC-stable (Colombo and Maathuis 2014): the sets that are tried at a level come from the graph as it was when the level
// began, so what is removed does not depend on the order of the pairs. Of a variable's neighbours, those that depend most on it without
// any condition come first. Sets of more than `largest` variables are not tried.
Skeleton pc_stable(TestBench& tests, const Known& known, std::size_t largest);

}  // namespace veridag
