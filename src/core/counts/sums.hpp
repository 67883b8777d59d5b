// Sums over many numbers, the same on every machine whatever the width of its vectors.
#pragma once

#include <cstddef>

namespace veridag {

// Several sums in turn: each addition would otherwise wait for the one before.
template <class Term>
double sum_of(std::size_t count, Term term) {
    constexpr std::size_t turns = 8;
    double sums[turns] = {};
    std::size_t i = 0;
    for (; i + turns <= count; i += turns) {
        for (std::size_t t = 0; t < turns; ++t) sums[t] += term(i + t);
    }
    for (; i < count; ++i) sums[0] += term(i);
    return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

inline double sum(const double* a, std::size_t count) {
    return sum_of(count, [a](std::size_t i) { return a[i]; });
}

inline double product(const double* a, const double* b, std::size_t count) {
    return sum_of(count, [a, b](std::size_t i) { return a[i] * b[i]; });
}

}  // namespace veridag
