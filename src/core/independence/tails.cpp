#include "independence/tails.hpp"

#include <cmath>
#include <limits>

#include "elementary.hpp"
#include "scores/functions.hpp"

namespace veridag {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double tiny = 1e-300;
constexpr int most_terms = 1'000'000;  // of the order of the square root of the parameters

double away_from_zero(double x) { return std::fabs(x) < tiny ? tiny : x; }

// log of the upper incomplete gamma function ratio Q(a, x) (Abramowitz and Stegun 1964): for small x one less the
// series 6.5.29 of the lower one, for large x the continued fraction 6.5.31.
double log_gamma_tail(double a, double x) {
    if (x <= 0.0) return 0.0;
    double log_front = a * elementary::log(x) - x - log_gamma(a);
    if (x < a + 1.0) {
        double term = 1.0 / a, sum = term;
        for (int k = 1; k < most_terms && term > epsilon * sum; ++k) {
            term *= x / (a + k);
            sum += term;
        }
        return elementary::log1p(-std::fmin(1.0, elementary::exp(log_front + elementary::log(sum))));
    }
    double b = x + 1.0 - a, c = 1.0 / tiny, d = 1.0 / away_from_zero(b), fraction = d;
    for (int k = 1; k < most_terms; ++k) {
        double numerator = -k * (k - a);
        b += 2.0;
        d = 1.0 / away_from_zero(numerator * d + b);
        c = away_from_zero(b + numerator / c);
        fraction *= d * c;
        if (std::fabs(d * c - 1.0) < epsilon) break;
    }
    return log_front + elementary::log(fraction);
}

// log of the incomplete beta function ratio I_x(a, b) by its continued fraction (Abramowitz and Stegun 1964, 26.5.8),
// for x below (a + 1) / (a + b + 2). `rest` is 1 - x.
double log_beta_fraction(double a, double b, double x, double rest) {
    double c = 1.0, d = 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0)), fraction = d;
    auto step = [&](double numerator) {
        d = 1.0 / away_from_zero(1.0 + numerator * d);
        c = away_from_zero(1.0 + numerator / c);
        fraction *= d * c;
        return std::fabs(d * c - 1.0);
    };
    for (int k = 1; k < most_terms; ++k) {
        step(k * (b - k) * x / ((a + 2 * k - 1) * (a + 2 * k)));
        if (step(-(a + k) * (a + b + k) * x / ((a + 2 * k) * (a + 2 * k + 1))) < epsilon) break;
    }
    return a * elementary::log(x) + b * elementary::log(rest) - elementary::log(a) + log_gamma(a + b) - log_gamma(a) -
           log_gamma(b) + elementary::log(fraction);
}

}  // namespace

double log_chi_square_tail(double statistic, double df) {
    if (df == 0.0 || std::isinf(df) || statistic <= 0.0) return 0.0;
    if (std::isinf(statistic)) return -std::numeric_limits<double>::infinity();
    return log_gamma_tail(0.5 * df, 0.5 * statistic);
}

// P(|t| > s) = I_x(df / 2, 1 / 2) with x = df / (df + s^2).
double log_student_tail(double t, double df) {
    if (t == 0.0) return 0.0;
    if (std::isinf(t)) return -std::numeric_limits<double>::infinity();
    double a = 0.5 * df, b = 0.5, square = t * t, x = df / (df + square), rest = square / (df + square);
    if (x < (a + 1.0) / (a + b + 2.0)) return log_beta_fraction(a, b, x, rest);
    return elementary::log1p(-std::fmin(1.0, elementary::exp(log_beta_fraction(b, a, rest, x))));
}

}  // namespace veridag
