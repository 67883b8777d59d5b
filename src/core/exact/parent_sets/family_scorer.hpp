// The scoring of one level of families: all those of the same number of parents.
#pragma once

#include <cstdint>
#include <vector>

#include "exact/parent_sets/child.hpp"
#include "exact/parent_sets/enumerate.hpp"
#include "exact/parent_sets/ranks.hpp"
#include "exact/parent_sets/set_list.hpp"
#include "exact/parent_sets/set_scores.hpp"

namespace veridag {

// What the threads that score a level read.
struct Level {
    explicit Level(const ParentSetProblem& all) : problem(all), ranks(all.constraints.variables()) {}

    const ParentSetProblem& problem;
    std::vector<Child> children;
    Ranks ranks;
    std::size_t width = 0;          // numbers cached of a set
    RankMap values_before, values;  // cached of sets of k - 1 and k variables
    SetList sets;                   // of k + 1 variables, parents and child together
    std::size_t k = 0;              // parents
    bool goes_on = false;           // whether there is a level after this one
};

// How many sets next to set i, within reason, begin with the same members but the last two.
std::size_t company(const SetList& sets, std::size_t i);

// What a task finds, to be entered in order.
struct Found {
    struct Family {
        int child;
        double score, best;
        bool kept, alive;
        Rank parents;
        std::size_t set;  // in the list of sets
    };
    std::vector<Family> families;
    std::vector<Rank> ranks;
    std::vector<double> values;
    std::int64_t scored = 0;

    void clear();
};

// One thread's work on a task.
class FamilyScorer {
   public:
    FamilyScorer(const Level& level, SetScorer& scorer, Found& found) : level_(level), scorer_(scorer), found_(found) {
        found_.clear();
    }

    // Scores the families of the set with this index.
    void score_set(std::size_t index);

   private:
    // A member of the set that is the child of a family to be scored.
    struct Owner {
        std::size_t position;
        double best;  // of the subsets of its parents
        const double* parents;
    };

    const Child& child(std::size_t i) const { return level_.children[at(set_[i])]; }
    Rank without(std::size_t i, std::size_t j) const { return i < j ? subsets_.without(i, j) : subsets_.without(j, i); }
    void find_owner(std::size_t i);
    bool is_better_without_one(std::size_t i, const double* parents);
    void score(const Owner& owner, std::size_t index);
    bool is_closed(const Owner& owner, double best, double arcs);

    const Level& level_;
    SetScorer& scorer_;
    Found& found_;
    std::vector<int> set_;
    SubsetRanks subsets_;
    std::vector<Owner> owners_;
};

}  // namespace veridag
