// What is known of the graph before a search.
#pragma once

#include <utility>
#include <vector>

#include "graph/matrix.hpp"
#include "index.hpp"

namespace veridag {

// Arcs that must or must not be there, as matrices [from, to], and the most parents that each variable may have.
struct Constraints {
    Matrix required, forbidden;
    std::vector<int> max_indegree;

    // Nothing is known.
    explicit Constraints(int variables) : Constraints(variables, variables) {}
    Constraints(int variables, int most) : Constraints(Matrix(variables), Matrix(variables), most) {}
    Constraints(Matrix must, Matrix must_not, int most)
        : Constraints(std::move(must), std::move(must_not), std::vector<int>{}) {
        max_indegree.assign(at(variables()), most);
    }
    Constraints(Matrix must, Matrix must_not, std::vector<int> most)
        : required(std::move(must)), forbidden(std::move(must_not)), max_indegree(std::move(most)) {}

    int variables() const { return required.size(); }
    int limit(int v) const { return max_indegree[at(v)]; }

    bool is_required(int from, int to) const { return required.has(from, to); }
    bool is_forbidden(int from, int to) const { return forbidden.has(from, to); }
    // An arc is required in one direction or the other; or forbidden in both.
    bool must_join(int x, int y) const { return required.joined(x, y); }
    bool may_not_join(int x, int y) const { return forbidden.has_edge(x, y); }
};

}  // namespace veridag
