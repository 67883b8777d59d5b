// Rows as bits: AND and popcount over words, by the widest instructions that this machine has. All kinds give the same
// numbers; which one runs is chosen once, when the program starts.
#pragma once

#include <cstddef>
#include <cstdint>

namespace veridag {

using Word = std::uint64_t;

struct BitKernels {
    const char* name;
    // The number of bits set in both a and b.
    std::uint64_t (*count_and)(const Word* a, const Word* b, std::size_t words);
    // The same, and the words themselves go to out.
    std::uint64_t (*store_and)(const Word* a, const Word* b, Word* out, std::size_t words);
    // The number of bits set in both a and b, word by word.
    void (*count_each_and)(const Word* a, const Word* b, std::uint32_t* out, std::size_t words);
};

// The kernels in use.
const BitKernels& bit_kernels();

// Those of one kind, or nullptr where the machine lacks them: "portable", "popcnt", "avx2", "avx512". For tests and benchmarks.
const BitKernels* bit_kernels(const char* name);

// Use one kind from now on; false where the machine lacks it.
bool use_bit_kernels(const char* name);

}  // namespace veridag
