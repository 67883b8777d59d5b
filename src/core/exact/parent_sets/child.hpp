// One variable as a child, while its parent sets are enumerated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "exact/parent_sets/ranks.hpp"
#include "exact/parent_sets/set_list.hpp"
#include "graph/constraints.hpp"
#include "scores/prior.hpp"

namespace veridag {

// With its families of the level before.
struct Child {
    Child(int v, const Constraints& constraints);

    bool is_required(int u) const;
    bool may_have(std::size_t number) const { return number <= limit && number >= required.size(); }
    // What the prior can still add to a family of k parents.
    void prepare_prior(std::size_t k, const PriorTerms& prior);

    int variable;
    std::vector<int> required;  // ascending
    std::vector<int> optional;  // ascending
    std::vector<char> allowed;  // by variable, required or optional
    std::size_t limit = 0;      // the most parents
    int lowest = 0;             // of itself and its required parents
    double most_likely = 0.0;

    // Alive families: their parents but the required ones, in lexicographic order, and the best score of a subset, by
    // rank.
    SetList alive;
    RankMap best;
    SetList next_alive;
    RankMap next_best;

    // The prior for so many parents and the best arcs to come, for that number and for any number from there on.
    std::vector<double> prior_with, prior_from;
    double prior_of_one_more = 0.0;  // the most that a prior rises by one more parent, from this level on

    // What is kept.
    std::vector<double> scores;
    std::vector<std::uint16_t> sizes;
    std::vector<Member> parents;
};

}  // namespace veridag
