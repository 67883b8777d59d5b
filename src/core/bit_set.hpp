// Sets of variables as rows of bits.
#pragma once

#include <cstdint>
#include <vector>

#include "index.hpp"

namespace veridag {

using Word = std::uint64_t;
using Bits = std::vector<Word>;

constexpr std::size_t words_for(int variables) { return (at(variables) + 63) / 64; }

inline bool has_bit(const Word* set, int v) { return set[at(v) / 64] >> (at(v) % 64) & 1; }
inline void set_bit(Word* set, int v) { set[at(v) / 64] |= Word{1} << (at(v) % 64); }
inline void clear_bit(Word* set, int v) { set[at(v) / 64] &= ~(Word{1} << (at(v) % 64)); }

}  // namespace veridag
