#include "elementary.hpp"

#include <cmath>
#include <limits>

#include "check.hpp"
#include "random.hpp"

using namespace veridag;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double smallest = std::numeric_limits<double>::denorm_min();
constexpr int draws = 20000;

// How far apart, in units of the last place of `expected`.
double places_apart(double found, double expected) {
    if (found == expected) return 0.0;
    double next = std::nextafter(std::fabs(expected), infinity);
    return std::fabs(found - expected) / (next - std::fabs(expected));
}

// The C library is within one place as well; where long double has more digits, so has the comparison.
bool is_log(double x) {
    return places_apart(elementary::log(x), static_cast<double>(std::log((long double){x}))) <= 1.0;
}
bool is_log1p(double x) {
    return places_apart(elementary::log1p(x), static_cast<double>(std::log1p((long double){x}))) <= 1.0;
}
bool is_exp(double x) {
    return places_apart(elementary::exp(x), static_cast<double>(std::exp((long double){x}))) <= 1.0;
}

// From below to above zero, of sizes 2^least to 2^most.
double draw(Stream& random, int least, int most) {
    int power = least + static_cast<int>(random.uniform() * (most - least));
    return std::ldexp(1.0 + random.uniform(), power) * (random.uniform() < 0.5 ? -1.0 : 1.0);
}

}  // namespace

TEST(logarithms_are_right_to_the_last_place) {
    Stream random(1, 0, 0);
    for (int i = 0; i < draws; ++i) {
        CHECK(is_log(std::fabs(draw(random, -1074, 1024))));
        CHECK(is_log(0.5 + 1.5 * random.uniform()));
        CHECK(is_log(1.0 + draw(random, -54, -3)));
        CHECK(is_log(static_cast<double>(i + 1)));
    }
    for (double x : {smallest, 3.0 * smallest, 0x1p-1022, 0x1.fffffffffffffp-1023, 0x1.fffffffffffffp1023})
        CHECK(is_log(x));
    for (int k = -1074; k < 1024; ++k) CHECK(is_log(std::ldexp(1.0, k)));
}

// Where the table's intervals meet, and on either side.
TEST(logarithms_are_right_where_the_intervals_meet) {
    for (int i = 100; i <= 512; ++i) {
        double edge = i / 256.0;
        for (double x : {std::nextafter(edge, 0.0), edge, std::nextafter(edge, 2.0)}) CHECK(is_log(x));
    }
}

TEST(logarithms_of_one_plus_little_are_right_to_the_last_place) {
    Stream random(2, 0, 0);
    for (int i = 0; i < draws; ++i) {
        CHECK(is_log1p(std::fabs(draw(random, -1074, 1024))));
        CHECK(is_log1p(draw(random, -60, -1)));
        CHECK(is_log1p(-std::fabs(random.uniform())));
    }
    for (double edge : {-0x1p-8, 0x1p-8}) {
        for (double x : {std::nextafter(edge, -1.0), edge, std::nextafter(edge, 1.0)}) CHECK(is_log1p(x));
    }
}

TEST(exponentials_are_right_to_the_last_place) {
    Stream random(3, 0, 0);
    for (int i = 0; i < draws; ++i) {
        CHECK(is_exp(-746.0 + 1456.0 * random.uniform()));
        CHECK(is_exp(draw(random, -60, 3)));
    }
    for (double x : {709.782712893384, -708.4, -744.44, -745.13}) CHECK(is_exp(x));
}

TEST(logarithms_and_exponentials_of_special_numbers_are_exact) {
    CHECK_EQUAL(elementary::log(1.0), 0.0);
    CHECK_EQUAL(elementary::log(0.0), -infinity);
    CHECK_EQUAL(elementary::log(-0.0), -infinity);
    CHECK_EQUAL(elementary::log(infinity), infinity);
    CHECK_EQUAL(elementary::log1p(0.0), 0.0);
    CHECK(std::signbit(elementary::log1p(-0.0)));
    CHECK_EQUAL(elementary::log1p(smallest), smallest);
    CHECK_EQUAL(elementary::log1p(-1.0), -infinity);
    CHECK_EQUAL(elementary::log1p(infinity), infinity);
    CHECK_EQUAL(elementary::exp(0.0), 1.0);
    CHECK_EQUAL(elementary::exp(-0.0), 1.0);
    CHECK_EQUAL(elementary::exp(smallest), 1.0);
    CHECK_EQUAL(elementary::exp(-infinity), 0.0);
    CHECK_EQUAL(elementary::exp(-750.0), 0.0);
    CHECK_EQUAL(elementary::exp(infinity), infinity);
    CHECK_EQUAL(elementary::exp(709.79), infinity);
    double nan = std::numeric_limits<double>::quiet_NaN();
    for (double x :
         {elementary::log(-1.0), elementary::log(-smallest), elementary::log(-infinity), elementary::log(nan),
          elementary::log1p(-1.5), elementary::log1p(-infinity), elementary::log1p(nan), elementary::exp(nan)})
        CHECK(std::isnan(x));
}
