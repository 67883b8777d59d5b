// BHD, the score of related data sets, the C++ version of veridag.criteria.scores.bhd; and what it rests on, that of
// veridag.counts.hierarchy, where the formulas are derived.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "counts/counter.hpp"
#include "scores/batch.hpp"

namespace veridag {

// What related data sets have in common: for each cell of a family the prior weight s kappa that all of them share.
// Cells are given as rows of counts, one for each data set that has any, and those with the same counts are kept as
// one. Holds the memory that this takes, so a thread keeps one and uses it again and again; nothing else is carried
// from one family to the next.
class SharedPrior {
   public:
    SharedPrior(double ess, double alpha0, int groups) : s_(ess), alpha0_(alpha0), groups_(groups) {}

    void clear();
    // One more cell with these counts, all above zero and in any order, which are sorted; returns its row.
    std::size_t add(std::span<Count> counts);
    // So many cells without observations; they have the row `empty` of alpha().
    void add_empty(double cells) { empty_cells_ = cells; }

    // Finds the optimum for the cells that were added, of which there must be one at least.
    void maximise();

    double alpha(std::size_t row) const { return s_ * rows_[row].x / tau_; }
    double alpha_empty() const { return empty_cells_ > 0.0 ? s_ * rows_.back().x / tau_ : 0.0; }
    double tau() const { return tau_; }
    int steps() const { return steps_; }

    // sum over cells and data sets of log Gamma(alpha + n) - log Gamma(alpha)
    double log_rising() const;

   private:
    struct Row {
        std::size_t first, last;  // of its counts
        double cells;             // how many have them
        std::uint64_t hash;
        std::size_t slot;                  // where it is in the hash table, if it has counts
        double x = 0.0, before = 0.0;      // tau kappa
        double g = 0.0, h = 0.0, c = 0.0;  // derivatives
        double step = 0.0;                 // of kappa, as a share of it
    };
    struct Step {
        double tau;   // of tau, as a share of it
        double size;  // the largest share
        bool concave;
    };

    bool climb_boldly();
    void climb_carefully();
    void grow();
    void start();
    Step newton();
    void move(const Step& step, double length);
    double bound() const;
    std::span<const double> counts(const Row& row) const { return {counts_.data() + row.first, row.last - row.first}; }

    double s_, alpha0_;
    int groups_;
    double empty_cells_ = 0.0;
    std::vector<double> counts_;
    std::vector<Row> rows_;
    std::vector<std::uint32_t> slots_;  // a hash table of rows, by their counts
    double cells_ = 0.0, tau_ = 0.0;
    int steps_ = 0;
};

// The data has one variable more than the network, the last, which says to which of the related data sets a row
// belongs.
class HierarchicalLocalScorer : public LocalScorer {
   public:
    HierarchicalLocalScorer(const Table& table, double ess, double alpha0)
        : counter_(table),
          group_(table.variables() - 1),
          groups_(static_cast<std::size_t>(table.arity(group_))),
          prior_(ess, alpha0, table.arity(group_)) {}

    double local(int child, std::span<const int> parents) override;

   private:
    static constexpr std::size_t no_row = static_cast<std::size_t>(-1);

    struct Lists {
        std::vector<Count> counts, sorted;
        std::vector<std::size_t> first, next;
        std::vector<std::uint64_t> owner;

        void collect(const Table& table, const RowKeys& keys, std::size_t entries,
                     std::span<const std::uint64_t> owner_of_row, std::size_t owners);
        std::span<Count> of(std::size_t o) { return {sorted.data() + first[o], first[o + 1] - first[o]}; }
    };

    double dense(int child, std::span<const int> parents);
    double sparse(int child, std::span<const int> parents, double cells);
    double alpha_of(std::size_t row) const { return row == no_row ? prior_.alpha_empty() : prior_.alpha(row); }

    Counter counter_;
    int group_;
    std::size_t groups_;
    SharedPrior prior_;
    RowKeys keys_;
    std::vector<int> variables_;
    std::vector<Count> row_;
    std::vector<double> sums_;
    std::vector<std::size_t> row_of_cell_;
    std::vector<std::uint64_t> configuration_of_row_, cell_of_row_, configuration_of_cell_;
    Lists of_cells_, of_configurations_;
};

}  // namespace veridag
