// Rows as bits: AND and popcount over words, by the widest instructions that this machine has. All kinds give the same
// numbers; which one runs is chosen once, when the program starts.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bit_set.hpp"

namespace veridag {

struct BitKernels {
    const char* name;
    // The number of bits set in both a and b.
    std::uint64_t (*count_and)(const Word* a, const Word* b, std::size_t words);
    // The same, and the words themselves go to out.
    std::uint64_t (*store_and)(const Word* a, const Word* b, Word* out, std::size_t words);
    // The number of bits set in both a and b, word by word.
    void (*count_each_and)(const Word* a, const Word* b, std::uint32_t* out, std::size_t words);
    // For each bit of a row of `words` words, at most 4, how many of the `count` rows named in `order` have it set; row
    // i starts at rows + i * stride, and the 4 words from there on may be read. Goes to out[64 * word + bit].
    void (*count_columns)(const Word* rows, std::size_t stride, std::size_t words, const std::uint32_t* order,
                          std::size_t count, std::uint32_t* out);
};

// The kernels in use.
const BitKernels& bit_kernels();

// Those of one kind, or nullptr where the machine lacks them: "portable", "popcnt", "avx2", "avx512". For tests and
// benchmarks.
const BitKernels* bit_kernels(const char* name);

// Use one kind from now on; false where the machine lacks it.
bool use_bit_kernels(const char* name);

}  // namespace veridag
