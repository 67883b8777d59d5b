// As little of a test framework as the core needs: TEST registers a function, and a CHECK that fails shows its values,
// is counted, and lets the test go on.
#pragma once

#include <cmath>
#include <cstdio>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "graph/matrix.hpp"

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

// ---- values as text

template <class Value>
std::string shown(const Value& value);

template <class Range>
std::string shown_range(const Range& range) {
    constexpr std::size_t most = 50;
    std::string text = "{";
    std::size_t count = 0;
    for (const auto& one : range) {
        if (count == most) return text + ", ... " + std::to_string(std::size(range)) + " in all}";
        text += (count++ > 0 ? ", " : "") + shown(one);
    }
    return text + "}";
}

inline std::string shown_matrix(const veridag::Matrix& matrix) {
    std::string text;
    for (int i = 0; i < matrix.size(); ++i) {
        text += "\n      ";
        for (int j = 0; j < matrix.size(); ++j) text += matrix.has(i, j) ? '1' : '.';
    }
    return text;
}

template <class Value>
std::string shown(const Value& value) {
    if constexpr (std::is_same_v<Value, bool>) {
        return value ? "true" : "false";
    } else if constexpr (std::is_floating_point_v<Value>) {
        char text[40];
        std::snprintf(text, sizeof text, "%.17g", static_cast<double>(value));
        return text;
    } else if constexpr (std::is_enum_v<Value>) {
        return std::to_string(static_cast<long long>(value));
    } else if constexpr (std::is_integral_v<Value>) {
        return std::to_string(value);
    } else if constexpr (std::is_same_v<Value, std::nullptr_t>) {
        return "nullptr";
    } else if constexpr (std::is_convertible_v<Value, std::string_view>) {
        return '"' + std::string(std::string_view(value)) + '"';
    } else if constexpr (std::is_pointer_v<Value>) {
        return value ? "a pointer" : "nullptr";
    } else if constexpr (std::is_same_v<Value, veridag::Matrix>) {
        return shown_matrix(value);
    } else if constexpr (requires {
                             value.begin();
                             value.end();
                         }) {
        return shown_range(value);
    } else {
        return "(a value that cannot be shown)";
    }
}

// ---- checks

inline void fail(const char* expression, const char* file, int line, const std::string& values) {
    ++failures();
    std::printf("%s:%d: failed: %s\n%s", file, line, expression, values.c_str());
}

inline void is_true(bool good, const char* expression, const char* file, int line) {
    if (!good) fail(expression, file, line, "");
}

template <class A, class B>
bool equal(const A& a, const B& b) {
    if constexpr (std::is_integral_v<A> && std::is_integral_v<B> && !std::is_same_v<A, bool> &&
                  !std::is_same_v<B, bool>) {
        return std::cmp_equal(a, b);
    } else {
        return a == b;
    }
}

template <class A, class B>
void are_equal(const A& a, const B& b, const char* expression, const char* file, int line) {
    if (!equal(a, b)) fail(expression, file, line, "    left:  " + shown(a) + "\n    right: " + shown(b) + "\n");
}

inline void are_near(double a, double b, double tolerance, const char* expression, const char* file, int line) {
    if (a == b || std::fabs(a - b) <= tolerance) return;  // equal infinities are near
    fail(expression, file, line,
         "    left:  " + shown(a) + "\n    right: " + shown(b) + "\n    apart: " + shown(std::fabs(a - b)) + "\n");
}

}  // namespace check

#define TEST(name)                                             \
    static void name();                                        \
    static const check::Register register_##name{#name, name}; \
    static void name()

// These take expressions with commas, such as those in braces.
#define CHECK(...) check::is_true(static_cast<bool>(__VA_ARGS__), #__VA_ARGS__, __FILE__, __LINE__)
#define CHECK_EQUAL(a, ...) check::are_equal(a, __VA_ARGS__, #a " == " #__VA_ARGS__, __FILE__, __LINE__)
#define CHECK_NEAR(a, b, tolerance) \
    check::are_near(a, b, tolerance, #a " is within " #tolerance " of " #b, __FILE__, __LINE__)

#define CHECK_THROWS(expression, type)                                            \
    do {                                                                          \
        bool thrown = false;                                                      \
        try {                                                                     \
            (void)(expression);                                                   \
        } catch (const type&) {                                                   \
            thrown = true;                                                        \
        }                                                                         \
        check::is_true(thrown, #expression " throws " #type, __FILE__, __LINE__); \
    } while (false)
