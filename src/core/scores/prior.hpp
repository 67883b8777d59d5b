// All that the core knows of structure priors.
#pragma once

#include <cstddef>
#include <span>

#include "index.hpp"

namespace veridag {

// The terms of a modular prior: log P(G) is the sum over v of size[v, |parents|] plus arc[u, v] for every parent u.
struct PriorTerms {
    int variables = 0;
    const double* size = nullptr;  // variables x variables; null if there are none
    const double* arc = nullptr;   // variables x variables, [u, v]; null if there are none
    bool same_size = false;        // one row of `size` holds for all variables

    double of_size(int v, std::size_t parents) const {
        return size ? size[(same_size ? 0 : at(v) * at(variables)) + parents] : 0.0;
    }
    double of_arc(int u, int v) const { return arc ? arc[at(u, v, variables)] : 0.0; }

    double of_family(int child, std::span<const int> parents) const {
        double term = of_size(child, parents.size());
        if (arc) {
            for (int p : parents) term += of_arc(p, child);
        }
        return term;
    }
};

}  // namespace veridag
