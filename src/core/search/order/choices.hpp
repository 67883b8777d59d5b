// The parent sets that each child may have, scored once before the first step of a search over orders.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graph/constraints.hpp"
#include "progress.hpp"
#include "scores/criterion.hpp"
#include "search/order/order.hpp"

namespace veridag::order_search {

using Mask = std::uint64_t;  // over the candidate parents of one child

constexpr Mask bit(std::size_t i) { return Mask{1} << i; }

// The parent sets that a child may have, best first; those with minus infinity are left out.
struct Choices {
    std::vector<int> candidates;  // ascending; bit i of a mask stands for candidates[i]
    Mask required = 0;
    std::vector<Mask> sets;
    std::vector<double> scores;

    // The best set whose members are all in `before`; sets.size() if there is none.
    std::size_t first(Mask before) const {
        std::size_t i = 0;
        while (i < sets.size() && (sets[i] & ~before)) ++i;
        return i;
    }

    double best(Mask before) const {
        std::size_t i = first(before);
        return i < sets.size() ? scores[i] : minus_infinity;
    }

    double average(Mask before) const;
    Mask mask(std::span<const int> parents) const;
    std::vector<int> members(Mask set) const;
};

// Scores the parent sets of every child. If the search is stopped, children keep the sets scored so far and at least
// the one they had in the beginning. Throws std::invalid_argument if the constraints or the number of sets do not allow
// it.
std::vector<Choices> score_choices(Criterion& criterion, const Constraints& constraints, const OrderSettings& settings,
                                   const Matrix* start, Progress& progress);

}  // namespace veridag::order_search
