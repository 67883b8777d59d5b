// Discrete and continuous variables in one table.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "index.hpp"
#include "table/table.hpp"

namespace veridag {

// A variable is known by its number among all, and by its place among those of its kind. The memory of the columns
// belongs to the caller.
class MixedTable {
   public:
    struct Column {
        bool is_discrete;
        StateArray states;     // if it is discrete
        int arity;             //
        const double* values;  // if it is continuous; missing ones are not a number
        int observed = 0;      // if it is discrete, its states without that of missing values; 0 if it has none
    };

    MixedTable(const std::vector<Column>& columns, std::size_t rows, const std::int64_t* weights);

    int variables() const { return static_cast<int>(place_.size()); }
    bool is_discrete(int v) const { return is_discrete_[at(v)] != 0; }
    // The variable's place among those of its kind.
    int place(int v) const { return place_[at(v)]; }

    // The discrete variables, by place; its rows and weights are those of all.
    const Table& discrete() const { return *discrete_; }
    int continuous() const { return static_cast<int>(values_.size()); }
    const double* values(int place) const { return values_[at(place)]; }

    // Whether values of variable v are missing.
    bool has_gaps(int v) const { return is_discrete(v) ? discrete().has_gaps(place(v)) : values_missing(place(v)); }
    bool values_missing(int place) const { return values_missing_[at(place)] != 0; }

    std::size_t rows() const { return discrete_->rows(); }
    const std::int64_t* weights() const { return discrete_->weights(); }
    double total() const { return static_cast<double>(discrete_->total()); }

   private:
    std::vector<int> place_;
    std::vector<char> is_discrete_;
    std::vector<const double*> values_;
    std::vector<char> values_missing_;
    std::unique_ptr<Table> discrete_;
};

}  // namespace veridag
