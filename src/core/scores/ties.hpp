// How scores compare.
#pragma once

#include <limits>

namespace veridag {

// The score of what is ruled out.
constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

// Scores that differ by less than this share of their size tie.
constexpr double tie = 1e-9;

}  // namespace veridag
