#include "elementary.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "double_double.hpp"

namespace veridag::elementary {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr std::uint64_t exponent_bits = 0x7ff0000000000000, smallest_normal = 0x0010000000000000;
constexpr double two_to_54 = 0x1p54;

// 2^k for a normal result
constexpr double power_of_two(std::int64_t k) {
    return std::bit_cast<double>(static_cast<std::uint64_t>(k + 1023) << 52);
}

// ---- what the compiler computes, with twice a double's digits

constexpr DoubleDouble quotient(DoubleDouble a, double b) {
    double first = a.hi / b;
    DoubleDouble left = a + -exactly::product(first, b);
    return exactly::ordered_sum(first, left.hi / b);
}

// log(p / q) = 2 artanh(z) = 2 (z + z^3/3 + z^5/5 + ...) with z = (p - q) / (p + q), at most 1/3
constexpr DoubleDouble log_of_ratio(double p, double q) {
    DoubleDouble z = quotient({p - q, 0.0}, p + q), square = z * z, power = z, sum = z;
    for (int i = 3; i < 75; i += 2) {
        power = power * square;
        sum += quotient(power, i);
    }
    return scaled(sum, 2.0);
}

constexpr DoubleDouble exp_of(DoubleDouble x) {
    DoubleDouble term{1.0, 0.0}, sum = term;
    for (int i = 1; i < 30; ++i) {
        term = quotient(term * x, i);
        sum += term;
    }
    return sum;
}

// The multiple of `unit`, a power of two, that is nearest, and the rest.
constexpr DoubleDouble cut(DoubleDouble a, double unit) {
    double shift = 0x1.8p52 * unit, high = (a.hi + shift) - shift;
    return {high, (a.hi - high) + a.lo};
}

constexpr DoubleDouble ln2 = log_of_ratio(2.0, 1.0);

// ---- logarithm
//
// Tang (1990), "Table-driven implementation of the logarithm function in IEEE floating-point arithmetic", with a way to
// reduce that needs no fused operation. x = 2^k m with m from 1 - 77/256 to below twice that, so that 1 is well inside.
// The leading seven bits of m choose a number c near 1 / m that has at most ten bits, and
//     log x = k log 2 - log c + log(1 + r),    r = m c - 1,  |r| < 1/128.
// m is split into its leading 32 bits and the others: the product of either with c is exact, so is the difference of
// the first from 1, and r is known as a sum of two doubles. k log 2 - log c is the sum of a multiple of 2^-42, which is
// exact, and a rest. For the two intervals that meet at 1, c is 1 and its logarithm 0: near 1 all digits are those of
// r.

constexpr int log_cells = 128;
constexpr std::uint64_t log_start = std::bit_cast<std::uint64_t>(1.0 - 77.0 / 256);
constexpr double log_unit = 0x1p-42;
constexpr DoubleDouble log_of_two = cut(ln2, log_unit);

struct LogCell {
    double c, high, low;  // high + low = -log c
};

constexpr std::array<LogCell, log_cells> log_table = [] {
    std::array<LogCell, log_cells> table{};
    for (std::size_t i = 0; i < log_cells; ++i) {
        double from = std::bit_cast<double>(log_start + (std::uint64_t{i} << 45));
        double to = std::bit_cast<double>(log_start + (std::uint64_t{i + 1} << 45));
        bool at_one = from == 1.0 || to == 1.0;
        double c = at_one ? 1.0 : (2.0 / (from + to) + 0x1.8p43) - 0x1.8p43;  // a multiple of 2^-9
        DoubleDouble minus_log = cut(log_of_ratio(1.0, c), log_unit);
        table[i] = {c, minus_log.hi, minus_log.lo};
    }
    return table;
}();

// log(1 + r) - r by Taylor's series; the terms left out are below 2^-60 of r.
double after_first_term(double r) {
    double square = r * r;
    double odd = 1.0 / 3 + square * (1.0 / 5 + square * (1.0 / 7 + square * (1.0 / 9)));
    double even = 1.0 / 2 + square * (1.0 / 4 + square * (1.0 / 6 + square * (1.0 / 8)));
    return square * (r * odd - even);
}

// log(x + rest) for normal x > 0 and a rest below its last place, with the factor 2^k taken off already.
double log_of_sum(double x, double rest, std::int64_t k) {
    auto bits = std::bit_cast<std::uint64_t>(x);
    std::uint64_t above = bits - log_start;
    std::int64_t shift = static_cast<std::int64_t>(above) >> 52;
    const LogCell& cell = log_table[(above >> 45) % log_cells];
    bits -= static_cast<std::uint64_t>(shift) << 52;
    double m = std::bit_cast<double>(bits), leading = std::bit_cast<double>(bits & ~std::uint64_t{0x1fffff});
    double first = leading * cell.c - 1.0, second = (m - leading) * cell.c;
    double r = first + second, r_rest = (first - r) + second;
    auto power = static_cast<double>(k + shift);
    double whole = power * log_of_two.hi + cell.high, high = whole + r;
    double low = ((whole - high) + r) + (power * log_of_two.lo + cell.low + r_rest);
    if (rest != 0.0) low += rest / x;
    return high + (low + after_first_term(r));
}

// ---- exponential
//
// Tang (1989), "Table-driven implementation of the exponential function in IEEE floating-point arithmetic":
// x = n log(2) / 64 + r with |r| below 0.0055, n = 64 k + j, and e^x = 2^k 2^(j/64) e^r. log(2) / 64 is cut so that n
// times its leading part is exact.

constexpr int exp_cells = 64;
constexpr DoubleDouble exp_step = cut(scaled(ln2, 1.0 / exp_cells), 0x1p-42);
constexpr double highest = 710.0, lowest = -746.0;  // beyond them e^x is infinite or zero

constexpr std::array<DoubleDouble, exp_cells> exp_table = [] {
    std::array<DoubleDouble, exp_cells> table{};
    for (std::size_t j = 0; j < exp_cells; ++j)
        table[j] = exp_of(ln2 * DoubleDouble{static_cast<double>(j) / exp_cells, 0.0});
    return table;
}();

}  // namespace

double log(double x) {
    auto bits = std::bit_cast<std::uint64_t>(x);
    if (bits - smallest_normal < exponent_bits - smallest_normal) return log_of_sum(x, 0.0, 0);
    if (x == 0.0) return -infinity;
    if (!(x > 0.0)) return nan;
    return x == infinity ? x : log_of_sum(x * two_to_54, 0.0, -54);
}

double log1p(double x) {
    if (x > -0x1p-8 && x < 0x1p-8) return x + after_first_term(x);
    if (!(x > -1.0 && x < infinity)) return x == -1.0 ? -infinity : x == infinity ? x : nan;
    DoubleDouble sum = exactly::sum(1.0, x);
    return log_of_sum(sum.hi, sum.lo, 0);
}

double exp(double x) {
    if (!(x > lowest && x < highest)) return x >= highest ? infinity : x <= lowest ? 0.0 : nan;
    double n = (x * (1.0 / exp_step.hi) + 0x1.8p52) - 0x1.8p52;
    double r = (x - n * exp_step.hi) - n * exp_step.lo;
    auto whole = static_cast<std::int64_t>(n);
    const DoubleDouble& power = exp_table[static_cast<std::size_t>(whole & (exp_cells - 1))];
    std::int64_t k = whole >> 6;
    // e^r - 1 by Taylor's series; the terms left out are below 2^-64.
    double rest = r + r * r * (1.0 / 2 + r * (1.0 / 6 + r * (1.0 / 24 + r * (1.0 / 120 + r * (1.0 / 720)))));
    double value = power.hi + (power.lo + power.hi * rest);
    if (k >= -1022 && k < 1024) return value * power_of_two(k);
    return k > 0 ? value * 2.0 * power_of_two(k - 1) : value * power_of_two(k + 54) * (1.0 / two_to_54);
}

}  // namespace veridag::elementary
