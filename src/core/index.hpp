// Variables are numbered by int, and containers are indexed by std::size_t: the one conversion between them.
#pragma once

#include <cstddef>

namespace veridag {

constexpr std::size_t at(int i) { return static_cast<std::size_t>(i); }

// A wider number would lose its upper half on the way.
template <class Number>
std::size_t at(Number) = delete;

// The place of [i, j] in a matrix of n columns, row after row.
constexpr std::size_t at(int i, int j, int n) { return at(i) * at(n) + at(j); }

}  // namespace veridag
