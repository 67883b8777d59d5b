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

// The configurations of a node's discrete parents, which choose a row of its parameters.
struct Configurations {
    std::vector<int> parents;          // indices of nodes that come earlier in the order
    std::vector<std::size_t> strides;  // of each parent's state in the number of the row
    std::size_t rows = 1;
};

struct DiscreteNode {
    Configurations given;
    std::size_t arity = 1;
    const double* table = nullptr;  // rows x arity, each row a distribution up to a constant
    Codes out;                      // where n states go
};

// Normal given its parents; the discrete ones choose the regression on the continuous ones.
struct GaussianNode {
    Configurations given;
    std::vector<int> parents;             // the continuous ones
    const double* regressions = nullptr;  // rows x (intercept, a coefficient a parent, standard deviation)
    double* out = nullptr;
};

using Node = std::variant<DiscreteNode, GaussianNode>;

// `order` lists the nodes with parents before children; discrete nodes have discrete parents only. Throws
// std::invalid_argument on a row of a table without probability.
void sample(const std::vector<Node>& nodes, const std::vector<int>& order, std::size_t n, std::uint64_t seed,
            int threads);

}  // namespace veridag
