// Constraints on DAGs as constraints on classes of DAGs.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "graph/constraints.hpp"
#include "graph/matrix.hpp"
#include "search/ges/pattern.hpp"

namespace veridag::ges_search {

// A class is allowed if one of its members is: it has all required and no forbidden arcs, and every variable a number
// of parents that it may have. All members of a class have the same indegrees, but not of the same variables: a limit
// that all variables share is a matter of classes, and limits of their own are not.
class ClassConstraints {
   public:
    // `sizes` has an entry [v, k] if v may have k parents, and is empty if it may have any number up to its limit.
    ClassConstraints(const Constraints& constraints, const Matrix& sizes);

    // All members of all classes below max_indegree are allowed.
    bool empty() const { return empty_; }
    // The most parents that any variable may have.
    int max_indegree() const { return max_indegree_; }
    // The arc is forbidden, or its reverse is required.
    bool bans(int from, int to) const { return banned_.has(from, to); }
    // One of the two arcs between i and j is required.
    bool keeps(int i, int j) const { return !required_.empty() && fixed_.has(i, j); }

    // An allowed member of the class, if there is any.
    std::optional<Matrix> member(const Pattern& g) const;

    // An order of a chain component that orients it as in an allowed member, if there is any.
    std::optional<std::vector<int>> order(const Pattern& g, const Set& component) const;

   private:
    bool allows_size(int v, std::size_t parents) const;
    bool allows_arcs(const Pattern& g) const;
    bool finish(const Pattern& g, const Set& component, Set& reversed) const;
    bool try_all(const Pattern& g, const Set& component, Set& reversed) const;
    bool can_be_last(const Pattern& g, const std::vector<char>& left, int v) const;

    bool empty_, is_monotone_ = true;  // whether fewer parents than allowed are allowed
    int max_indegree_;
    std::vector<int> limits_;
    Matrix sizes_, banned_, fixed_;
    std::vector<std::pair<int, int>> required_;
};

}  // namespace veridag::ges_search
