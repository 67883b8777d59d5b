// Counts of joint states of a few variables, by whichever way is cheapest for the table at hand:
// - dense, by bits: AND and popcount over the bit rows of the states, configuration by configuration;
// - dense, by columns: the rows sorted by their cell, and in each cell the bits of all other variables counted side by
//   side; only where a family is extended by many candidates (counts/sweep.hpp);
// - dense, by rows: each row's place in the table (mixed-radix), and one more in that cell;
// - sparse, by rows: where the possible cells outnumber the rows, the configurations that occur are numbered by
//   hashing, and only they are counted. Memory is then a few words a row, however many cells are possible.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "counts/axes.hpp"
#include "counts/keys.hpp"
#include "table/table.hpp"

namespace veridag {

// The counts of a family. Cells and rows may contain zeros; they come in no particular order, but always the same.
template <class Number>
struct CountsOf {
    int r = 1;                      // states of the child
    double q = 1.0;                 // possible configurations of the parents; infinite beyond what a double holds
    double log_q = 0.0;             // their logarithm, always finite
    Number n = 0;                   // observations
    std::span<const Number> cells;  // n_ijk
    std::span<const Number> configurations;  // n_ij
};
using FamilyCounts = CountsOf<Count>;
using ExpectedCounts = CountsOf<double>;  // where values are missing, which are known by their probabilities

// Holds the memory that counting needs, so a thread keeps one and uses it again and again. Only the rows are counted in
// which all variables have a value, unless a missing value is to be a state.
class Counter {
   public:
    explicit Counter(const Table& table, Gaps gaps = Gaps::passed_over) : table_(table), axes_(table, gaps) {}

    // The counts of a child and its parents; valid until the next call.
    FamilyCounts family(int child, std::span<const int> parents);

    // The counts of the joint states of several variables that occur, or all of them if they are few; valid until the
    // next call.
    std::span<const Count> joint(std::span<const int> variables);

    // The counts of all joint states, in C order of the variables as given, or an empty span if there are more than
    // `limit`.
    std::span<const Count> dense(std::span<const int> variables, std::size_t limit);

    // How many observations were counted last.
    Count counted() const { return counted_; }

    // Whether this many possible cells are too many to go through them all.
    bool is_sparse(double cells) const;

    const Table& table() const { return table_; }

   private:
    void count_axes();
    void start_keys(std::span<const int> variables);
    double cells_of(std::span<const int> variables) const;
    void fill_last(const Axis& axis, const Word* mask, Count inside, Count* out);
    bool rows_are_cheaper() const;
    void set_size(FamilyCounts& counts, std::span<const int> parents) const;
    void sum_out(std::size_t inner, std::size_t r);

    void count_all_rows();
    template <class Place>
    void count_all_rows_unweighted();
    void count_all_rows_weighted();
    void mark_hidden(std::size_t start, std::size_t count);

    void tally(std::size_t distinct, std::vector<Count>& out) const;

    const Table& table_;
    Axes axes_;
    std::vector<Count> cells_, configurations_;
    Count counted_ = 0;
    std::vector<std::uint32_t> tallies_;
    std::vector<char> hidden_;  // of a block of rows, or of all; empty if none is
    std::vector<int> members_;
    RowKeys keys_;
};

}  // namespace veridag
