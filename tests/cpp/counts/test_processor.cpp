#include "counts/processor.hpp"

#include "check.hpp"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)

TEST(the_processor_is_what_the_compiler_says) {
    veridag::Processor found = veridag::this_processor();
    CHECK_EQUAL(found.popcnt, __builtin_cpu_supports("popcnt") != 0);
    CHECK_EQUAL(found.avx2, __builtin_cpu_supports("avx2") != 0);
    CHECK_EQUAL(found.avx512f, __builtin_cpu_supports("avx512f") != 0);
    CHECK_EQUAL(found.avx512vpopcntdq, __builtin_cpu_supports("avx512vpopcntdq") != 0);
}

#endif
