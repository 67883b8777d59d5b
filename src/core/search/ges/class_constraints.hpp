// Constraints on single arcs as constraints on classes of DAGs.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "graph/constraints.hpp"
#include "graph/matrix.hpp"

namespace veridag::ges_search {

// A class is allowed if one of its members has all required and no forbidden arcs. All members of a class have the same
// largest indegree, so that one is a matter of classes.
class ClassConstraints {
   public:
    explicit ClassConstraints(const Constraints& constraints);

    // No arc is required or forbidden.
    bool empty() const { return empty_; }
    int max_indegree() const { return max_indegree_; }
    // The arc is forbidden, or its reverse is required.
    bool bans(int from, int to) const { return banned_.has(from, to); }
    // One of the two arcs between i and j is required.
    bool keeps(int i, int j) const { return !required_.empty() && fixed_.has(i, j); }

    // The DAG of the class that extends the completed PDAG with what is known oriented, if there is any.
    std::optional<Matrix> member(const Matrix& completed) const;

   private:
    bool empty_;
    int max_indegree_;
    Matrix banned_, fixed_;
    std::vector<std::pair<int, int>> required_;
};

}  // namespace veridag::ges_search
