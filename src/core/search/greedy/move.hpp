// The steps of a greedy search over DAGs.
#pragma once

#include "scores/ties.hpp"

namespace veridag {

enum class MoveKind : int { add, remove, reverse };

struct Move {
    MoveKind kind = MoveKind::add;
    int from = -1, to = -1;
    double gain = minus_infinity;

    bool exists() const { return from >= 0; }
};

}  // namespace veridag
