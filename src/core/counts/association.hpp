// How strongly each variable depends on others, in numbers that do not depend on how the data is written down.
#pragma once

#include <cstdint>
#include <vector>

#include "table/table.hpp"

namespace veridag {

// For each variable the `most` largest of n times its mutual information with another variable, the largest first; the
// smallest number where there are fewer. With x log x in fixed point,
//     n I(u, v) = sum over cells of n_uv log n_uv - sum of n_u log n_u - sum of n_v log n_v + n log n
// is a sum of integers: the same to the last bit however rows, columns and states are ordered, and whatever the number
// of threads. The unit is the same for all variables and differs between tables.
std::vector<std::int64_t> strongest_associations(const Table& table, int most, int threads);

}  // namespace veridag
