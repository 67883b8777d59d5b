// The rows of a mixed table by the configuration of some discrete variables, and the moments of the continuous ones in
// each of these strata. A column is brought into the order of the strata and centred there once; the scatter of a pair
// is then a product of two such columns, stratum by stratum.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "counts/keys.hpp"
#include "table/mixed_table.hpp"

namespace veridag {

// Only strata with observations are there. Continuous variables are known by their place among those of their kind.
class Strata {
   public:
    // Memory for sorting, which is used again.
    struct Workspace {
        RowKeys keys;
        std::vector<std::uint32_t> stratum;  // of each row
        std::vector<std::uint32_t> sizes, next;
    };

    // `discrete` are places among the discrete variables, in ascending order. Rows that are `hidden` take no part; an
    // empty span hides none.
    Strata(const MixedTable& table, std::span<const int> discrete, Workspace& work, std::span<const char> hidden = {});

    std::size_t size() const { return n_.size(); }
    // The number of observations in each stratum.
    std::span<const double> n() const { return n_; }
    // One of its rows, which has the configuration of all.
    std::size_t row(std::size_t stratum) const { return rows_[starts_[stratum]]; }
    // Possible configurations of the discrete variables; infinite beyond what a double holds.
    double configurations() const { return configurations_; }

    // The mean of a variable in each stratum. Valid as long as this object is, like the next.
    const double* mean(int variable);
    // sum (a - mean)(b - mean) in each stratum.
    const double* scatter(int a, int b);

    std::size_t bytes() const { return bytes_; }

   private:
    // A variable that was asked for.
    struct Column {
        std::vector<double> values;  // centred in its stratum, times the root of the weight
        std::vector<double> mean, scatter;
        std::vector<std::unique_ptr<double[]>> with;  // its scatter with each column before it; empty if none is known
    };

    // The place of the variable among the columns that are there.
    std::size_t column(int variable);
    void multiply(const Column& x, const Column& y, double* out) const;
    // Numbers the configurations of the rows; returns how many numbers there are, not all of which need occur.
    std::size_t number_rows(std::span<const int> discrete, Workspace& work) const;
    void sort_rows(std::size_t numbers, Workspace& work);
    void centre(std::size_t stratum, Column& column) const;

    const MixedTable& table_;
    std::span<const char> hidden_;  // while rows are sorted
    double configurations_ = 1.0;
    std::vector<double> n_;
    std::vector<std::size_t> starts_;
    std::vector<std::uint32_t> rows_;
    std::vector<double> root_weights_;  // of the rows in their order, if they have weights
    // A wide table has thousands of strata, each asked for a few variables: only these take more than four bytes.
    std::vector<std::uint32_t> place_;  // of each variable among the columns, plus one; zero if it is not there
    std::vector<std::unique_ptr<Column>> columns_;
    std::size_t bytes_ = 0;
};

// The strata of sets of discrete variables as one thread uses them: those used last are kept.
class StrataCache {
   public:
    explicit StrataCache(const MixedTable& table) : table_(table) {}

    const MixedTable& table() const { return table_; }

    // Valid until the next call. Ascending places among the discrete variables.
    Strata& of(std::span<const int> discrete);

   private:
    // A byte limit for all that is kept.
    static constexpr std::size_t max_bytes = std::size_t{192} << 20;

    struct Entry {
        std::vector<int> key;
        std::unique_ptr<Strata> strata;
        std::size_t bytes = 0;  // when they were last counted
    };

    // Only the strata used last can have grown since.
    void count_last();
    void make_room();

    const MixedTable& table_;
    std::size_t bytes_ = 0;  // of all that is kept
    Strata::Workspace work_;
    std::vector<int> wanted_;
    std::list<Entry> used_;  // the last used first
    std::map<std::vector<int>, std::list<Entry>::iterator> by_key_;
};

}  // namespace veridag
