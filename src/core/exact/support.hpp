// The rows of a table that a solution of the linear program gives weight, by child and by parent.
#pragma once

#include <span>
#include <vector>

#include "exact/candidates.hpp"
#include "index.hpp"

namespace veridag {

// Below this a row has no weight; linear programming is no more exact than that.
constexpr double no_weight = 1e-7;

// The rows that have weight.
struct Support {
    Support(const Candidates& candidates, std::span<const double> x)
        : n(candidates.variables()), of_child(at(n)), of_parent(at(n)) {
        for (std::size_t k = 0; k < candidates.rows(); ++k) {
            if (x[k] <= no_weight) continue;
            row.push_back(k);
            of_child[at(candidates.child(k))].push_back(weight.size());
            weight.push_back(x[k]);
            child.push_back(candidates.child(k));
            parents.emplace_back();
            for (int u = 0; u < n; ++u) {
                if (!has_bit(candidates.set(k), u)) continue;
                parents.back().push_back(u);
                of_parent[at(u)].push_back(weight.size() - 1);
            }
        }
    }

    int n;
    std::vector<std::size_t> row;  // of the table
    std::vector<double> weight;
    std::vector<int> child;
    std::vector<std::vector<int>> parents;
    std::vector<std::vector<std::size_t>> of_child, of_parent;  // rows of the support
};

}  // namespace veridag
