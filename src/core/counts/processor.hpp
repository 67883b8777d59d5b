// Which instructions this machine has. Asked of the processor itself: what compilers offer for it differs between them,
// and some link it from a library that is not always there.
#pragma once

#if defined(__x86_64__) || defined(_M_X64)

#ifdef _MSC_VER
#include <immintrin.h>
#include <intrin.h>
#else
#include <cpuid.h>
#endif

#include <cstdint>

namespace veridag {

struct Processor {
    bool popcnt = false, avx2 = false, avx512f = false, avx512vpopcntdq = false;
};

namespace cpuid {

struct Registers {
    std::uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
};

// All zero where the processor does not know the leaf.
inline Registers leaf(std::uint32_t number) {
    Registers found;
#ifdef _MSC_VER
    int r[4];
    __cpuid(r, 0);
    if (static_cast<std::uint32_t>(r[0]) < number) return found;
    __cpuidex(r, static_cast<int>(number), 0);
    found = {static_cast<std::uint32_t>(r[0]), static_cast<std::uint32_t>(r[1]), static_cast<std::uint32_t>(r[2]),
             static_cast<std::uint32_t>(r[3])};
#else
    __get_cpuid_count(number, 0, &found.eax, &found.ebx, &found.ecx, &found.edx);
#endif
    return found;
}

// Which registers the operating system saves when it switches between threads.
inline std::uint64_t saved_registers() {
#ifdef _MSC_VER
    return _xgetbv(0);
#else
    std::uint32_t low, high;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return std::uint64_t{high} << 32 | low;
#endif
}

}  // namespace cpuid

// The bits are those of Intel's manual, volume 2A, CPUID, and volume 1, 13.3: a wide register is of use only where the
// system saves it.
inline Processor this_processor() {
    auto has = [](std::uint64_t bits, int place) { return (bits >> place & 1) != 0; };
    cpuid::Registers basic = cpuid::leaf(1), extended = cpuid::leaf(7);
    std::uint64_t saved = has(basic.ecx, 27) ? cpuid::saved_registers() : 0;
    bool ymm = has(saved, 1) && has(saved, 2) && has(basic.ecx, 28);
    bool zmm = ymm && has(saved, 5) && has(saved, 6) && has(saved, 7);
    return {has(basic.ecx, 23), ymm && has(extended.ebx, 5), zmm && has(extended.ebx, 16),
            zmm && has(extended.ecx, 14)};
}

}  // namespace veridag

#endif
