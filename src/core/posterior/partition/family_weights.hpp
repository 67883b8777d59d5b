// The weights of the parent sets of one variable, and their sums over the sets that a partition allows.
//
// In a partition of the variables into parts, a variable has all its parents in the parts before its own, and at least
// one of them in the part just before (Kuipers and Moffa 2017). So the sums needed are over the sets S within `before`
// that meet `last`. Those within a few candidates come from a table of sums over subsets, by the difference of two
// entries where that loses few digits (Viinikka et al. 2020). The others, and the sums where it would lose many, come
// from lists in the order of the weights, which are read until what is left is negligible.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bit_set.hpp"

namespace veridag::partition {

// Parent sets of one variable with their scores, in any order, each set at most once.
struct ScoredSets {
    std::vector<double> scores;
    std::vector<Word> sets;  // `words` each
};

// The logarithm of a sum, or a bound that it does not exceed.
struct Bound {
    double high;
    bool exact;
};

// The same by where another variable is put: in the same part or a later one; in the part just before, with others or
// alone; or before that.
enum Where { later, joined, alone, earlier };
struct Around {
    Bound at[4];
};

class FamilyWeights {
   public:
    // The candidates are at most `max_candidates`.
    FamilyWeights(std::size_t words, std::vector<int> candidates, const ScoredSets& scored);

    static constexpr std::size_t max_candidates = 20;

    // The logarithm of the sum of exp(score) over the sets within `before` that meet `last`, or over all within
    // `before` if `last` is null. It is right to 1e-5, and depends on the arguments alone.
    double log_sum(const Word* before, const Word* last) const;

    // The same, or a bound: in little time, or in more unless it is below `least` anyway.
    Bound bound(const Word* before, const Word* last) const;
    Bound log_sum(const Word* before, const Word* last, double least) const;

    // The same by where variable v is put, which is in neither set.
    Around around(const Word* before, const Word* last, int v) const;

    // One of these sets, with the probability of its share of the sum, which is known, from a number uniform on [0, 1).
    std::size_t draw(const Word* before, const Word* last, double log_sum, double uniform) const;

    // The same of the sets within the candidates alone, given by the candidates in `before` and in `last`: relative to
    // the best set. It takes little time if there are tables for it, that is, with few candidates.
    std::size_t project(const Word* set) const;
    double log_sum_inside(std::size_t before, const std::size_t* last) const;
    std::size_t draw_inside(std::size_t before, const std::size_t* last, double log_sum, double uniform) const;
    bool has_log_tables() const { return !log_table_.empty(); }

    std::size_t size() const { return scores_.size(); }
    double score(std::size_t i) const { return scores_[i]; }
    const Word* set(std::size_t i) const { return all_.sets.data() + i * words_; }

    const std::vector<int>& candidates() const { return candidates_; }

    // How much of the weight of all sets is that of the sets with variable u.
    double share(int u) const;

    // Of all sets: no sum is higher.
    double log_total() const { return log_total_; }

   private:
    // Sets in the order of their weights, and the sum of the weights from each on.
    struct List {
        std::vector<double> weights, left{0.0};
        std::vector<Word> sets;
        std::vector<std::uint32_t> places;  // among all sets

        std::size_t size() const { return weights.size(); }
    };

    // Sums over all sets of some candidates, and over those without the members of which one is wanted.
    struct Inside {
        double with, without;
    };

    bool allows(const Word* set, const Word* before, const Word* last) const;
    void add(List& list, std::size_t i) const;
    double sum(const List& list, const Word* before, const Word* last, const Word* seen, double start) const;
    double sum_outside(const Word* before, const Word* last, double start) const;
    std::size_t draw_from_all(const Word* before, const Word* last, double log_sum, double uniform) const;
    double log_sum_with_outside(double inside, const Word* before, const Word* last) const;
    void fill_log_tables();
    double most_outside(const Word* last) const;
    Inside inside(std::size_t before, std::size_t wanted) const;
    Bound bound(Inside sums, double outside) const;
    void fill_table();

    std::size_t words_;
    std::vector<int> candidates_;
    std::vector<double> scores_;  // the best first
    List all_;
    List outside_;                    // sets that are not within the candidates
    std::vector<List> outside_with_;  // those that have this variable
    std::vector<double> weights_;     // by set of candidates
    std::vector<std::uint32_t> places_;
    std::vector<double> table_;        // sums of the weights of all subsets, by set of candidates
    std::vector<double> log_weights_;  // by set of candidates
    // Logarithms of sums over all subsets; and, one table after the other, over those with the first, the second, ...
    // candidate. They neither cancel nor underflow, and there are none with many candidates.
    std::vector<double> log_table_, log_tables_with_;
    double best_ = 0.0, log_total_ = 0.0;
};

}  // namespace veridag::partition
