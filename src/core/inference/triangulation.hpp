// An order in which the variables of a network are eliminated, and the cliques that this makes.
#pragma once

#include <vector>

namespace veridag::inference {

// A perfect order of the triangulated moral graph.
struct Triangulation {
    std::vector<int> order;                 // of elimination
    std::vector<std::vector<int>> cliques;  // of each in `order`: itself, then its neighbours among those left
    double entries = 0.0;                   // of the tables over the cliques, in all
};

// Greedily, next the variable with the least weighted fill, the least fill, or the least table; each with several ways
// of breaking ties, and the cheapest is kept (Kjaerulff 1990). The weight of an edge is the product of its ends'
// numbers of states. `scopes` are the sets of variables that must lie within a clique: the families. Once a table is
// hopelessly large the variables that are left become one clique.
// Without `thorough` there is one try of each kind.
Triangulation triangulate(const std::vector<int>& arities, const std::vector<std::vector<int>>& scopes, bool thorough);

}  // namespace veridag::inference
