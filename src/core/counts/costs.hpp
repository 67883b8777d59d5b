// What the ways of counting cost. Nanoseconds, measured; only their ratios matter, and no result depends on them.
#pragma once

namespace veridag {

constexpr double ns_per_word = 0.2;           // AND and popcount
constexpr double ns_per_and = 4.0;            // starting one
constexpr double ns_per_cell = 0.3;           // a pass over the cells
constexpr double ns_per_row_and_axis = 0.15;  // adding up a row's place in the table
constexpr double ns_per_row = 0.4;            // and counting it

constexpr double ns_per_row_and_chunk = 2.0;  // counting 256 bits of a row, column by column
constexpr double ns_per_row_sorted = 2.5;
constexpr double ns_per_cell_and_chunk = 60.0;

}  // namespace veridag
