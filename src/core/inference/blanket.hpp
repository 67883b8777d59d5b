// The posterior of one discrete variable in many rows that have all of its Markov blanket: a product of few tables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "progress.hpp"
#include "table/table.hpp"

namespace veridag::inference {

// A column that a factor depends on: each of its codes leads so many entries further into the table.
struct BlanketColumn {
    StateArray codes;
    std::vector<std::int64_t> offsets;
};

// The logarithm of the table of one family, with the states of the target last.
struct BlanketFactor {
    const double* log_table;
    std::vector<BlanketColumn> columns;
};

// Writes P(target | row) to `probabilities`, rows x arity, and the logarithm of the sum over the target's states of the
// factors' product to `log_total`; where that is minus infinity, the probabilities are zero. No result depends on the
// number of threads.
void predict_from_blanket(std::span<const BlanketFactor> factors, std::size_t arity, std::size_t rows, int threads,
                          Progress& progress, double* probabilities, double* log_total);

}  // namespace veridag::inference
