// Means and scatter of sets of continuous variables with missing values, each in the rows in which all of the set are
// observed.
//
// Columns are kept centred, with 0 in place of missing values, so that the sums of products over all rows serve every
// set: those over the rows that a set passes over are taken away. Where these rows are the larger part, or where too
// few digits would be left, the rows that are observed are summed up instead.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bit_set.hpp"
#include "cache.hpp"
#include "index.hpp"
#include "table/mixed_table.hpp"

namespace veridag {

// Of k variables in n observations.
struct SetMoments {
    double n = 0.0;
    std::vector<double> scatter;  // k x k, in ascending order of the variables
};

// What threads share. Variables are known by their place among the continuous ones.
class ObservedMoments {
   public:
    explicit ObservedMoments(const MixedTable& table);

    // Memory for one thread, and what it was given last.
    struct Workspace {
        std::vector<Word> mask;
        std::vector<std::uint32_t> rows;
        std::size_t count = 0;  // of the rows that are listed
        std::vector<double> values, sums;
        SetMoments own;
        std::shared_ptr<const SetMoments> shared;
    };

    // Of the variables in ascending order; valid until the workspace is used again. Sets with gaps that were asked for
    // last are kept for all threads.
    const SetMoments& of(std::span<const int> variables, Workspace& work) const;

    int variables() const { return static_cast<int>(columns_.size()); }

   private:
    struct Column {
        std::vector<double> values;  // less the mean; 0 if missing
        std::vector<Word> gaps;      // empty if there are none
        double sum = 0.0;
    };

    // Of variables without gaps.
    void add_products(std::span<const int> variables, SetMoments& found) const;
    SetMoments compute(std::span<const int> variables, Workspace& work) const;
    // Lists the rows in which one of the variables is missing, or those in which none is.
    void list_rows(std::span<const int> variables, bool hidden, Workspace& work) const;
    // The values of the variables in the listed rows, variable by variable.
    void gather(std::span<const int> variables, Workspace& work) const;
    void multiply_by_roots(double* values, const Workspace& work) const;
    double listed_weight(const Workspace& work) const;
    // False if too few digits are left.
    bool take_away_hidden(std::span<const int> variables, SetMoments& found, Workspace& work) const;
    void add_observed(std::span<const int> variables, SetMoments& found, Workspace& work) const;
    // The sum of products over all rows.
    double product_of(int a, int b) const;

    std::size_t rows_ = 0;
    double total_ = 0.0;
    std::vector<double> weights_, roots_;  // and the roots of the weights, if there are any
    std::vector<Column> columns_;
    std::unique_ptr<std::atomic<double>[]> products_;  // of pairs; not a number until it is known
    VariableKeys keys_;
    mutable SharedCache<std::shared_ptr<const SetMoments>> cache_;
};

}  // namespace veridag
