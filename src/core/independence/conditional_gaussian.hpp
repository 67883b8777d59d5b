// The likelihood ratio of the conditional Gaussian distribution, for tests of discrete and continuous variables
// together. The C++ version of veridag.criteria.independence.conditional_gaussian.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "counts/strata.hpp"
#include "table/mixed_table.hpp"

namespace veridag {

// A statistic and what it is held against: chi-square with so many degrees of freedom. 0 of these: nothing can be
// tested.
struct ChiSquare {
    double statistic = 0.0;
    double df = 0.0;
    double n = 0.0;  // observations, where it is asked for
};

// What is known of a test before the data is looked at.
struct PairDesign {
    double plain_df = 0.0;     // of the declared states
    double rows_needed = 0.0;  // for a Gaussian in each possible cell
    bool is_constant = false;  // x or y has a single state
};

PairDesign design(const MixedTable& table, int x, int y, std::span<const int> given);

class ConditionalGaussian {
   public:
    explicit ConditionalGaussian(const MixedTable& table) : strata_(table) {}

    // G2 and its degrees of freedom by what occurs, of variables of which at least one is discrete and one continuous;
    // from the rows in which all are observed.
    ChiSquare of(int x, int y, std::span<const int> given);

   private:
    // A configuration of all discrete variables: which of those in Z, and the states of x and y.
    struct Cell {
        std::uint64_t z;
        int x, y;
        std::size_t moments;  // where its number of observations is, with means and scatter behind it
    };

    void take_cells(int x, int y, std::span<const int> given);
    // The strata of discrete_ in the rows in which all of these and continuous_ are observed.
    Strata& strata();
    void take_moments(Strata& strata);
    // The moments of several cells together, as those of a new one.
    std::size_t merge(std::span<const std::size_t> parts);
    // The squared diagonal of the Cholesky factor of the scatter of `columns_`; zero as elsewhere.
    std::span<const double> pivots(std::size_t moments);

    void add_both_continuous(const Cell& cell, ChiSquare& sums);
    void add_one_of_each(std::span<const Cell> cells, ChiSquare& sums);
    void add_both_discrete(std::span<const Cell> cells, ChiSquare& sums);
    // n log |S|
    double n_log_determinant(std::size_t moments);

    double n(std::size_t moments) const { return memory_[moments]; }

    StrataCache strata_;
    Strata::Workspace sorting_;
    std::unique_ptr<Strata> own_strata_;  // of the last test, if rows were passed over
    std::vector<char> hidden_;
    std::vector<int> discrete_, continuous_;  // places; of the continuous ones those in Z first, then x, then y
    std::vector<Cell> cells_;
    std::vector<double> memory_;  // of all moments
    std::vector<std::size_t> columns_, all_columns_, parts_;
    std::vector<double> work_, own_, pivots_;
};

}  // namespace veridag
