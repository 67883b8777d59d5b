// Discrete data with missing values.
#pragma once

#include <vector>

#include "table/table.hpp"

namespace veridag {

// A table in which missing values are a state of their own, the last of each variable that has any.
struct IncompleteData {
    const Table& table;
    std::vector<int> arities;  // without that state

    bool has_gaps(int v) const { return table.arity(v) > arities[at(v)]; }
};

}  // namespace veridag
