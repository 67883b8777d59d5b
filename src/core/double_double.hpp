// Numbers of twice the precision: the unevaluated sum of two doubles (Dekker 1971). Alternating sums over sets of
// variables cancel, and lose as many digits as the number of sets has; these have 32.
#pragma once

namespace veridag {

struct DoubleDouble {
    double hi = 0.0, lo = 0.0;  // |lo| is at most half a unit in the last place of hi
};

// The relative error of one operation below, at most.
constexpr double double_double_unit = 0x1p-102;

namespace exactly {

// a + b without an error, if |a| >= |b|.
constexpr DoubleDouble ordered_sum(double a, double b) {
    double sum = a + b;
    return {sum, b - (sum - a)};
}

// a + b without an error.
constexpr DoubleDouble sum(double a, double b) {
    double total = a + b, second = total - a;
    return {total, (a - (total - second)) + (b - second)};
}

// A double as the sum of two that have half of its digits each.
constexpr DoubleDouble split(double a) {
    double scaled = 134217729.0 * a;  // 2^27 + 1
    double hi = scaled - (scaled - a);
    return {hi, a - hi};
}

// a * b without an error, unless it is near the smallest or the largest double.
constexpr DoubleDouble product(double a, double b) {
    double rounded = a * b;
    DoubleDouble x = split(a), y = split(b);
    return {rounded, ((x.hi * y.hi - rounded) + x.hi * y.lo + x.lo * y.hi) + x.lo * y.lo};
}

}  // namespace exactly

constexpr DoubleDouble operator-(DoubleDouble a) { return {-a.hi, -a.lo}; }

constexpr DoubleDouble operator+(DoubleDouble a, DoubleDouble b) {
    DoubleDouble high = exactly::sum(a.hi, b.hi), low = exactly::sum(a.lo, b.lo);
    high = exactly::ordered_sum(high.hi, high.lo + low.hi);
    return exactly::ordered_sum(high.hi, high.lo + low.lo);
}

constexpr DoubleDouble& operator+=(DoubleDouble& a, DoubleDouble b) { return a = a + b; }

constexpr DoubleDouble operator+(DoubleDouble a, double b) {
    DoubleDouble high = exactly::sum(a.hi, b);
    return exactly::ordered_sum(high.hi, high.lo + a.lo);
}

constexpr DoubleDouble& operator+=(DoubleDouble& a, double b) { return a = a + b; }

constexpr DoubleDouble operator*(DoubleDouble a, DoubleDouble b) {
    DoubleDouble high = exactly::product(a.hi, b.hi);
    return exactly::ordered_sum(high.hi, high.lo + (a.hi * b.lo + a.lo * b.hi));
}

// Times a power of two, which is exact.
constexpr DoubleDouble scaled(DoubleDouble a, double power) { return {a.hi * power, a.lo * power}; }
constexpr double scaled(double a, double power) { return a * power; }

// The double that is nearest.
constexpr double rounded(DoubleDouble a) { return a.hi; }
constexpr double rounded(double a) { return a; }

}  // namespace veridag
