// Which arcs a search may add, in the order in which it asks.
#pragma once

#include "bit_set.hpp"
#include "graph/constraints.hpp"
#include "index.hpp"

namespace veridag {

// Constraints are matrices [from, to], and a search asks for all `from` of one `to`: that would be one read from memory
// for each of thousands of variables. Here they are bits, side by side.
class PossibleParents {
   public:
    explicit PossibleParents(const Constraints& constraints)
        : constraints_(constraints), words_(words_for(constraints.variables())) {
        int n = constraints.variables();
        forbidden_.resize(at(n) * words_);
        for (int from = 0; from < n; ++from) {
            constraints.forbidden.for_each_in_row(from, [&](int to) { set_bit(row(to), from); });
            set_bit(row(from), from);
        }
    }

    // `parents` is how many there are.
    bool can_add(int from, int to, std::size_t parents) const {
        return static_cast<int>(parents) < constraints_.limit(to) &&
               !has_bit(forbidden_.data() + at(to) * words_, from);
    }
    bool can_remove(int from, int to) const { return !constraints_.is_required(from, to); }

   private:
    Word* row(int to) { return forbidden_.data() + at(to) * words_; }

    const Constraints& constraints_;
    std::size_t words_;
    Bits forbidden_;  // [to, from]
};

}  // namespace veridag
