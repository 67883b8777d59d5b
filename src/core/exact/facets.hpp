// Violated constraints on three or four variables that are stronger than those of clusters: facets of the polytope
// whose corners are the acyclic graphs on so many variables (Cussens et al. 2017). A set counts by what it has of the
// three or four.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "exact/candidates.hpp"

namespace veridag {

// The sum of coefficient times weight, over these rows, is at most `most` in every acyclic graph.
struct Cut {
    std::vector<std::int64_t> rows;
    std::vector<double> coefficients;
    double most;
};

// A facet on four variables: what a set of variable v counts that has those with a bit in `parents`, for [v][parents].
struct Facet {
    int coefficient[4][16];
    int most;
};

// The facets on four variables that are neither clusters nor facets on fewer of them, under every naming.
const std::vector<Facet>& four_variable_facets();

// Cuts that the weights x of the rows violate by more than the margin, farthest first, at most so many. On three
// variables all are found; on four, those that contain three variables one of which has much weight on sets with the
// two others.
std::vector<Cut> violated_facets(const Candidates& candidates, std::span<const double> x, double margin,
                                 std::size_t most);

}  // namespace veridag
