// The structural intervention distance of Peters and Buehlmann (2015): which effects of an intervention are computed
// wrongly by adjusting for the parents that an estimated graph gives a variable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "graph/matrix.hpp"

namespace veridag {

// Which effects a DAG, the truth, gives when another graph says what to adjust for. Must be acyclic.
class Interventions {
   public:
    explicit Interventions(const Matrix& truth);

    // wrong[j] = 1 if p(j | do(i)), computed as p(j) for j in `adjusted` and otherwise by adjusting for `adjusted`,
    // differs from the truth's for some distribution of the truth. Needs i outside `adjusted`. The result holds until
    // the next call.
    const std::vector<Byte>& wrong_effects(int i, const std::vector<int>& adjusted);

    // How many of them there are.
    std::int64_t count_wrong(int i, const std::vector<int>& adjusted);

   private:
    std::vector<std::vector<int>> parents, children;
    std::vector<Byte> wrong, in_adjusted, opens, below, states;
    std::vector<int> frontier;

    void close(std::vector<Byte>& marks, const std::vector<std::vector<int>>& step);
    void mark_forbidden(int i);
    void mark_open_paths(int i);
};

// All pairs at once: an entry [i, j] where the effect of i on j is wrong, for the parents that the estimate, a DAG as
// well, gives to i.
Matrix wrong_effects(const Matrix& truth, const Matrix& estimate);

// The least and the greatest distance of the DAGs in a class.
struct InterventionBounds {
    std::int64_t lower = 0, upper = 0;
    std::vector<int> too_large;  // the chain component with which the work exceeded its limit; empty if it did not
};

// The bounds for a completed PDAG. Its chain components are oriented independently of each other. Within one, every
// orientation has one source, which directs some of the edges and leaves smaller components, again independent (He, Jia
// and Yu 2015); components met before are not searched again. Gives up after `limit` choices of a source.
InterventionBounds intervention_bounds(const Matrix& truth, const Matrix& cpdag, std::size_t limit);

}  // namespace veridag
