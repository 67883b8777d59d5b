// Grow-shrink trees: Andrews, Ramsey, Sanchez-Romero, Camchong and Kummerfeld (2023), "Fast scalable and accurate
// discovery of DAGs using the best order score search and grow-shrink trees", section 3.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "bit_set.hpp"
#include "graph/constraints.hpp"
#include "scores/criterion.hpp"

namespace veridag::boss_search {

// By how much a score must be higher than another of this size to be better.
double tolerance(double score);

// By more than rounding; anything is better than minus infinity but that.
bool is_better(double score, double other);

// Indices of scores, the best first; those that tie by index.
std::vector<std::size_t> ranked(std::span<const double> scores);

// What grow-shrink finds for one child, for any set of variables that come before it. Growing adds the best of those
// variables while one raises the score and there is room, shrinking then takes away the worst parent while that raises
// it. What was added in which order is a path from the root of a tree: a node keeps all variables that would raise the
// score there, best first, whatever comes before the child, so that it is scored once for all orders. What shrinking
// leaves is kept there too.
//
// Required parents are in the root, and are never taken away: they must come before the child.
class GrowShrinkTree {
   public:
    static constexpr std::size_t root = 0;  // traced from the beginning: the required parents alone

    GrowShrinkTree(Criterion& criterion, const Constraints& constraints, int child);

    // The node where growing ends for these predecessors.
    std::size_t trace(const Word* before);

    // Of a node that was traced: what shrinking leaves there.
    double score(std::size_t node) const { return nodes_[node].shrunk_score; }
    const std::vector<int>& parents(std::size_t node) const { return nodes_[node].shrunk; }

    // The parents of every node that was traced so far.
    std::vector<std::vector<int>> found() const;

   private:
    struct Branch {
        int variable;
        double score;
        std::size_t node;  // the root if nobody went there yet
    };
    struct Node {
        double score;
        bool grown = false, traced = false;
        std::vector<Branch> branches;  // best first
        double shrunk_score = minus_infinity;
        std::vector<int> shrunk;
    };

    void grow(std::size_t node);
    void shrink(std::size_t node);

    Criterion& criterion_;
    const Constraints& constraints_;
    int child_;
    std::vector<int> required_;
    std::vector<Node> nodes_;
    std::vector<int> path_, candidates_;  // of the node at hand; ascending
    std::vector<double> scores_;
};

}  // namespace veridag::boss_search
