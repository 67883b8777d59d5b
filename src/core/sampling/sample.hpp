// Rows drawn from a network, variable by variable in topological order, in blocks of rows. A block of a variable has
// its own random stream, so that the rows depend on the seed alone, and n rows are the first n of any longer sample.
#pragma once

#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

namespace veridag {

constexpr std::size_t block_rows = 4096;

// States of a discrete variable, one byte each up to 256 of them.
using Codes = std::variant<std::uint8_t*, std::uint16_t*>;

struct DiscreteNode {
    std::vector<int> parents;          // indices of nodes that come earlier in the order
    std::vector<std::size_t> strides;  // of each parent's state in the number of the row of the table
    std::size_t rows = 1;              // number of parent configurations
    std::size_t arity = 1;
    const double* table = nullptr;  // rows x arity, each row a distribution up to a constant
    Codes out;                      // where n states go
};

struct GaussianNode {
    std::vector<int> parents;
    const double* coefficients = nullptr;
    double intercept = 0.0;
    double sd = 1.0;
    double* out = nullptr;
};

// `order` lists the nodes with parents before children. Throws std::invalid_argument on a row without probability.
void sample(const std::vector<DiscreteNode>& nodes, const std::vector<int>& order, std::size_t n, std::uint64_t seed,
            int threads);
void sample(const std::vector<GaussianNode>& nodes, const std::vector<int>& order, std::size_t n, std::uint64_t seed,
            int threads);

}  // namespace veridag
