// As little of a test framework as the core needs: TEST registers a function, CHECK counts failures and goes on.
#pragma once

#include <cstdio>
#include <utility>
#include <vector>

namespace check {

using Test = std::pair<const char*, void (*)()>;

inline std::vector<Test>& tests() {
    static std::vector<Test> all;
    return all;
}

inline int& failures() {
    static int count = 0;
    return count;
}

struct Register {
    Register(const char* name, void (*body)()) { tests().emplace_back(name, body); }
};

inline void report(bool good, const char* expression, const char* file, int line) {
    if (good) return;
    ++failures();
    std::printf("%s:%d: failed: %s\n", file, line, expression);
}

}  // namespace check

#define TEST(name)                                           \
    static void name();                                      \
    static const check::Register register_##name{#name, name}; \
    static void name()

#define CHECK(expression) check::report(static_cast<bool>(expression), #expression, __FILE__, __LINE__)

#define CHECK_THROWS(expression, type)                        \
    do {                                                      \
        bool thrown = false;                                  \
        try {                                                 \
            (void)(expression);                               \
        } catch (const type&) {                               \
            thrown = true;                                    \
        }                                                     \
        check::report(thrown, #expression " throws " #type, __FILE__, __LINE__); \
    } while (false)
