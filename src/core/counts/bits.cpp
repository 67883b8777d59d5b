#include "counts/bits.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>

#include "counts/processor.hpp"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define VERIDAG_X86 1
#include <immintrin.h>
#endif

namespace veridag {
namespace {

std::uint64_t count_portable(const Word* a, const Word* b, std::size_t words) {
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < words; ++i) total += static_cast<std::uint64_t>(std::popcount(a[i] & b[i]));
    return total;
}

std::uint64_t store_portable(const Word* a, const Word* b, Word* out, std::size_t words) {
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < words; ++i) {
        out[i] = a[i] & b[i];
        total += static_cast<std::uint64_t>(std::popcount(out[i]));
    }
    return total;
}

void each_portable(const Word* a, const Word* b, std::uint32_t* out, std::size_t words) {
    for (std::size_t i = 0; i < words; ++i) out[i] = static_cast<std::uint32_t>(std::popcount(a[i] & b[i]));
}

void columns_portable(const Word* rows, std::size_t stride, std::size_t words, const std::uint32_t* order,
                      std::size_t count, std::uint32_t* out) {
    std::fill(out, out + 64 * words, 0U);
    for (std::size_t i = 0; i < count; ++i) {
        const Word* row = rows + order[i] * stride;
        for (std::size_t w = 0; w < words; ++w) {
            for (Word left = row[w]; left; left &= left - 1)
                ++out[64 * w + static_cast<std::size_t>(std::countr_zero(left))];
        }
    }
}

#ifdef VERIDAG_X86

__attribute__((target("popcnt"))) void each_popcnt(const Word* a, const Word* b, std::uint32_t* out,
                                                   std::size_t words) {
    for (std::size_t i = 0; i < words; ++i) out[i] = static_cast<std::uint32_t>(__builtin_popcountll(a[i] & b[i]));
}

__attribute__((target("avx512f,avx512vpopcntdq"))) void each_avx512(const Word* a, const Word* b, std::uint32_t* out,
                                                                    std::size_t words) {
    for (std::size_t i = 0; i < words; i += 8) {
        auto keep = static_cast<__mmask8>(words - i >= 8 ? 0xff : (1U << (words - i)) - 1U);
        __m512i v = _mm512_and_si512(_mm512_maskz_loadu_epi64(keep, a + i), _mm512_maskz_loadu_epi64(keep, b + i));
        _mm512_mask_cvtepi64_storeu_epi32(out + i, keep, _mm512_popcnt_epi64(v));
    }
}

// Four sums, so that one addition need not wait for the one before.
__attribute__((target("popcnt"))) std::uint64_t count_popcnt(const Word* a, const Word* b, std::size_t words) {
    std::uint64_t s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    std::size_t i = 0;
    for (; i + 4 <= words; i += 4) {
        s0 += static_cast<std::uint64_t>(__builtin_popcountll(a[i] & b[i]));
        s1 += static_cast<std::uint64_t>(__builtin_popcountll(a[i + 1] & b[i + 1]));
        s2 += static_cast<std::uint64_t>(__builtin_popcountll(a[i + 2] & b[i + 2]));
        s3 += static_cast<std::uint64_t>(__builtin_popcountll(a[i + 3] & b[i + 3]));
    }
    for (; i < words; ++i) s0 += static_cast<std::uint64_t>(__builtin_popcountll(a[i] & b[i]));
    return s0 + s1 + s2 + s3;
}

__attribute__((target("popcnt"))) std::uint64_t store_popcnt(const Word* a, const Word* b, Word* out,
                                                             std::size_t words) {
    std::uint64_t s0 = 0, s1 = 0;
    std::size_t i = 0;
    for (; i + 2 <= words; i += 2) {
        out[i] = a[i] & b[i];
        out[i + 1] = a[i + 1] & b[i + 1];
        s0 += static_cast<std::uint64_t>(__builtin_popcountll(out[i]));
        s1 += static_cast<std::uint64_t>(__builtin_popcountll(out[i + 1]));
    }
    for (; i < words; ++i) {
        out[i] = a[i] & b[i];
        s0 += static_cast<std::uint64_t>(__builtin_popcountll(out[i]));
    }
    return s0 + s1;
}

// The number of bits in each byte, by looking up its halves (Mula's method).
__attribute__((target("avx2"))) inline __m256i byte_counts(__m256i v) {
    const __m256i table = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1, 2,
                                           2, 3, 2, 3, 3, 4);
    const __m256i low = _mm256_set1_epi8(0x0f);
    __m256i first = _mm256_shuffle_epi8(table, _mm256_and_si256(v, low));
    __m256i second = _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16(v, 4), low));
    return _mm256_add_epi8(first, second);
}

// Adds three bits of equal weight in every place: `sum` keeps that weight, the result has twice it.
__attribute__((target("avx2"))) inline __m256i carry(__m256i& sum, __m256i a, __m256i b) {
    __m256i half = _mm256_xor_si256(sum, a);
    __m256i twice = _mm256_or_si256(_mm256_and_si256(sum, a), _mm256_and_si256(half, b));
    sum = _mm256_xor_si256(half, b);
    return twice;
}

// Eight vectors at a time go through a tree of adders, so that only one in eight has its bits counted (Mula, Kurz and
// Lemire 2018). At most 31 counts of a byte are added up before they would overflow it.
template <bool Store>
__attribute__((target("avx2,popcnt"))) inline std::uint64_t run_avx2(const Word* a, const Word* b, Word* out,
                                                                     std::size_t words) {
    auto take = [&](std::size_t i) __attribute__((target("avx2"), always_inline)) {
        __m256i v = _mm256_and_si256(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(a + i)),
                                     _mm256_loadu_si256(reinterpret_cast<const __m256i*>(b + i)));
        if constexpr (Store) _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + i), v);
        return v;
    };
    const __m256i zero = _mm256_setzero_si256();
    __m256i ones = zero, twos = zero, fours = zero, total = zero, bytes = zero;
    std::size_t i = 0;
    int added = 0;
    for (; i + 32 <= words; i += 32) {
        __m256i twos_a = carry(ones, take(i), take(i + 4));
        __m256i twos_b = carry(ones, take(i + 8), take(i + 12));
        __m256i fours_a = carry(twos, twos_a, twos_b);
        twos_a = carry(ones, take(i + 16), take(i + 20));
        twos_b = carry(ones, take(i + 24), take(i + 28));
        __m256i fours_b = carry(twos, twos_a, twos_b);
        bytes = _mm256_add_epi8(bytes, byte_counts(carry(fours, fours_a, fours_b)));
        if (++added == 31) {
            total = _mm256_add_epi64(total, _mm256_sad_epu8(bytes, zero));
            bytes = zero;
            added = 0;
        }
    }
    total = _mm256_slli_epi64(_mm256_add_epi64(total, _mm256_sad_epu8(bytes, zero)), 3);
    // What is left in the adders: at most 8 a byte times 4, 2 and 1.
    __m256i rest = _mm256_slli_epi64(byte_counts(fours), 2);
    rest = _mm256_add_epi8(rest, _mm256_slli_epi64(byte_counts(twos), 1));
    rest = _mm256_add_epi8(rest, byte_counts(ones));
    for (; i + 4 <= words; i += 4) rest = _mm256_add_epi8(rest, byte_counts(take(i)));  // at most 7 times: below 256
    total = _mm256_add_epi64(total, _mm256_sad_epu8(rest, zero));
    std::uint64_t sums[4];
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(sums), total);
    std::uint64_t sum = sums[0] + sums[1] + sums[2] + sums[3];
    for (; i < words; ++i) {
        Word w = a[i] & b[i];
        if constexpr (Store) out[i] = w;
        sum += static_cast<std::uint64_t>(__builtin_popcountll(w));
    }
    return sum;
}

__attribute__((target("avx2,popcnt"))) std::uint64_t count_avx2(const Word* a, const Word* b, std::size_t words) {
    return run_avx2<false>(a, b, nullptr, words);
}

__attribute__((target("avx2,popcnt"))) std::uint64_t store_avx2(const Word* a, const Word* b, Word* out,
                                                                std::size_t words) {
    return run_avx2<true>(a, b, out, words);
}

// A byte for each of 32 bits: all ones where the bit is set.
__attribute__((target("avx2"))) inline __m256i spread(std::uint32_t bits) {
    const __m256i byte = _mm256_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3,
                                          3, 3, 3, 3, 3, 3);
    const __m256i bit = _mm256_set1_epi64x(static_cast<long long>(0x8040201008040201ULL));
    return _mm256_cmpeq_epi8(
        _mm256_and_si256(_mm256_shuffle_epi8(_mm256_set1_epi32(static_cast<int>(bits)), byte), bit), bit);
}

// Rows go through the same tree of adders, place by place: after eight of them only the carries of weight 8 are added
// up, a byte each.
template <std::size_t Words>
__attribute__((target("avx2"))) inline void run_columns_avx2(const Word* rows, std::size_t stride,
                                                             const std::uint32_t* order, std::size_t count,
                                                             std::uint32_t* out) {
    constexpr std::size_t pieces = 2 * Words;
    alignas(32) std::uint32_t piece[8];
    alignas(32) std::uint8_t bytes[32 * pieces];
    const __m256i zero = _mm256_setzero_si256();
    __m256i ones = zero, twos = zero, fours = zero, eights[pieces];
    for (auto& sum : eights) sum = zero;
    auto split = [&](__m256i v) __attribute__((target("avx2"), always_inline)) {
        _mm256_store_si256(reinterpret_cast<__m256i*>(piece), v);
    };
    auto flush = [&]() __attribute__((target("avx2"), always_inline)) {
        for (std::size_t p = 0; p < pieces; ++p)
            _mm256_store_si256(reinterpret_cast<__m256i*>(bytes + 32 * p), eights[p]);
        for (std::size_t k = 0; k < 32 * pieces; ++k) out[k] += 8U * bytes[k];
        for (auto& sum : eights) sum = zero;
    };
    auto add_eight = [&](auto&& take) __attribute__((target("avx2"), always_inline)) {
        __m256i twos_a = carry(ones, take(0), take(1));
        __m256i twos_b = carry(ones, take(2), take(3));
        __m256i fours_a = carry(twos, twos_a, twos_b);
        twos_a = carry(ones, take(4), take(5));
        twos_b = carry(ones, take(6), take(7));
        __m256i fours_b = carry(twos, twos_a, twos_b);
        split(carry(fours, fours_a, fours_b));
        for (std::size_t p = 0; p < pieces; ++p) eights[p] = _mm256_sub_epi8(eights[p], spread(piece[p]));
    };
    std::fill(out, out + 32 * pieces, 0U);
    std::size_t i = 0, added = 0;
    for (; i + 8 <= count; i += 8) {
        add_eight([&](std::size_t k) __attribute__((target("avx2"), always_inline)) {
            return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(rows + order[i + k] * stride));
        });
        if (++added == 255) {
            flush();
            added = 0;
        }
    }
    if (i < count) {
        add_eight([&](std::size_t k) __attribute__((target("avx2"), always_inline)) {
            return i + k < count ? _mm256_loadu_si256(reinterpret_cast<const __m256i*>(rows + order[i + k] * stride))
                                 : zero;
        });
    }
    flush();
    // What is left in the adders: at most 7 a place.
    __m256i rest[pieces];
    for (auto& sum : rest) sum = zero;
    int weight = 1;
    for (__m256i left : {ones, twos, fours}) {
        split(left);
        for (std::size_t p = 0; p < pieces; ++p) {
            rest[p] = _mm256_add_epi8(rest[p],
                                      _mm256_and_si256(spread(piece[p]), _mm256_set1_epi8(static_cast<char>(weight))));
        }
        weight *= 2;
    }
    for (std::size_t p = 0; p < pieces; ++p) _mm256_store_si256(reinterpret_cast<__m256i*>(bytes + 32 * p), rest[p]);
    for (std::size_t k = 0; k < 32 * pieces; ++k) out[k] += bytes[k];
}

__attribute__((target("avx2"))) void columns_avx2(const Word* rows, std::size_t stride, std::size_t words,
                                                  const std::uint32_t* order, std::size_t count, std::uint32_t* out) {
    switch (words) {
        case 1: return run_columns_avx2<1>(rows, stride, order, count, out);
        case 2: return run_columns_avx2<2>(rows, stride, order, count, out);
        case 3: return run_columns_avx2<3>(rows, stride, order, count, out);
        default: return run_columns_avx2<4>(rows, stride, order, count, out);
    }
}

template <bool Store>
__attribute__((target("avx512f,avx512vpopcntdq"))) inline std::uint64_t run_avx512(const Word* a, const Word* b,
                                                                                   Word* out, std::size_t words) {
    __m512i sum0 = _mm512_setzero_si512(), sum1 = _mm512_setzero_si512();
    std::size_t i = 0;
    for (; i + 16 <= words; i += 16) {
        __m512i v0 = _mm512_and_si512(_mm512_loadu_si512(a + i), _mm512_loadu_si512(b + i));
        __m512i v1 = _mm512_and_si512(_mm512_loadu_si512(a + i + 8), _mm512_loadu_si512(b + i + 8));
        if constexpr (Store) {
            _mm512_storeu_si512(out + i, v0);
            _mm512_storeu_si512(out + i + 8, v1);
        }
        sum0 = _mm512_add_epi64(sum0, _mm512_popcnt_epi64(v0));
        sum1 = _mm512_add_epi64(sum1, _mm512_popcnt_epi64(v1));
    }
    for (; i < words; i += 8) {
        auto keep = static_cast<__mmask8>(words - i >= 8 ? 0xff : (1U << (words - i)) - 1U);
        __m512i v = _mm512_and_si512(_mm512_maskz_loadu_epi64(keep, a + i), _mm512_maskz_loadu_epi64(keep, b + i));
        if constexpr (Store) _mm512_mask_storeu_epi64(out + i, keep, v);
        sum0 = _mm512_add_epi64(sum0, _mm512_popcnt_epi64(v));
    }
    std::uint64_t sums[8];
    _mm512_storeu_si512(sums, _mm512_add_epi64(sum0, sum1));
    return sums[0] + sums[1] + sums[2] + sums[3] + sums[4] + sums[5] + sums[6] + sums[7];
}

__attribute__((target("avx512f,avx512vpopcntdq"))) std::uint64_t count_avx512(const Word* a, const Word* b,
                                                                              std::size_t words) {
    return run_avx512<false>(a, b, nullptr, words);
}

__attribute__((target("avx512f,avx512vpopcntdq"))) std::uint64_t store_avx512(const Word* a, const Word* b, Word* out,
                                                                              std::size_t words) {
    return run_avx512<true>(a, b, out, words);
}

#endif

const BitKernels portable{"portable", count_portable, store_portable, each_portable, columns_portable};
#ifdef VERIDAG_X86
const BitKernels popcnt{"popcnt", count_popcnt, store_popcnt, each_popcnt, columns_portable};
const BitKernels avx2{"avx2", count_avx2, store_avx2, each_popcnt, columns_avx2};
const BitKernels avx512{"avx512", count_avx512, store_avx512, each_avx512, columns_avx2};
#endif

const BitKernels* best() {
    for (const char* name : {"avx512", "avx2", "popcnt"}) {
        if (const BitKernels* found = bit_kernels(name)) return found;
    }
    return &portable;
}

std::atomic<const BitKernels*>& current() {
    static std::atomic<const BitKernels*> chosen{best()};
    return chosen;
}

}  // namespace

const BitKernels* bit_kernels(const char* name) {
    if (std::strcmp(name, "portable") == 0) return &portable;
#ifdef VERIDAG_X86
    static const Processor processor = this_processor();
    if (std::strcmp(name, "popcnt") == 0 && processor.popcnt) return &popcnt;
    if (std::strcmp(name, "avx2") == 0 && processor.avx2 && processor.popcnt) return &avx2;
    if (std::strcmp(name, "avx512") == 0 && processor.avx2 && processor.avx512f && processor.avx512vpopcntdq)
        return &avx512;
#endif
    return nullptr;
}

const BitKernels& bit_kernels() { return *current().load(std::memory_order_relaxed); }

bool use_bit_kernels(const char* name) {
    const BitKernels* found = bit_kernels(name);
    if (found) current().store(found);
    return found != nullptr;
}

}  // namespace veridag
