// Sets of variables as the chain handles them.
#pragma once

#include <bit>
#include <cstddef>

#include "bit_set.hpp"

namespace veridag::partition {

// Calls visit(v) for every member, ascending.
template <class Visit>
void for_each(const Word* set, std::size_t words, Visit visit) {
    for (std::size_t w = 0; w < words; ++w) {
        for (Word left = set[w]; left != 0; left &= left - 1) visit(static_cast<int>(64 * w) + std::countr_zero(left));
    }
}

inline int count(const Word* set, std::size_t words) {
    int total = 0;
    for (std::size_t w = 0; w < words; ++w) total += std::popcount(set[w]);
    return total;
}

// The member that has `rank` smaller ones.
inline int member(const Word* set, std::size_t words, int rank) {
    int found = -1;
    for_each(set, words, [&](int v) {
        if (rank-- == 0) found = v;
    });
    return found;
}

inline void unite(Word* set, const Word* other, std::size_t words) {
    for (std::size_t w = 0; w < words; ++w) set[w] |= other[w];
}

inline bool is_empty(const Word* set, std::size_t words) {
    Word any = 0;
    for (std::size_t w = 0; w < words; ++w) any |= set[w];
    return any == 0;
}

inline bool meet(const Word* a, const Word* b, std::size_t words) {
    Word any = 0;
    for (std::size_t w = 0; w < words; ++w) any |= a[w] & b[w];
    return any != 0;
}

}  // namespace veridag::partition
