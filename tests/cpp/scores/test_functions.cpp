#include <cmath>
#include <numbers>

#include "check.hpp"
#include "scores/batch.hpp"
#include "scores/functions.hpp"

namespace {

bool close(double a, double b, double relative = 1e-13) {
    return std::abs(a - b) <= relative * std::max(1.0, std::abs(b));
}

// C(n, 2) by its definition
double complexity_of_two(int n) {
    double sum = 0.0;
    for (int h = 0; h <= n; ++h) {
        double log_term = std::lgamma(n + 1.0) - std::lgamma(h + 1.0) - std::lgamma(n - h + 1.0);
        if (h > 0) log_term += h * std::log(static_cast<double>(h) / n);
        if (h < n) log_term += (n - h) * std::log(static_cast<double>(n - h) / n);
        sum += std::exp(log_term);
    }
    return sum;
}

double log_complexity(int n, double k) { return veridag::log_complexity(n, k, std::log(k)); }

}  // namespace

TEST(log_gamma_has_its_known_values) {
    CHECK(close(veridag::log_gamma(1.0), 0.0));
    CHECK(close(veridag::log_gamma(2.0), 0.0));
    CHECK(close(veridag::log_gamma(0.5), 0.5 * std::log(std::numbers::pi)));
    CHECK(close(veridag::log_gamma(10.0), std::log(362880.0)));
    for (double x = 1e-12; x < 1e9; x *= 1.37) CHECK(close(veridag::log_gamma(x), std::lgamma(x)));
}

TEST(rising_logs_are_sums_of_logarithms) {
    for (double a : {1e-12, 0.0625, 1.0, 37.5}) {
        veridag::RisingLogs rising(a, std::log(a));
        double sum = 0.0;
        for (int n = 0; n < 20000; ++n) {
            if (n % 97 == 0 || n < 40) CHECK(close(rising(veridag::Count{n}), sum, 1e-11));
            sum += std::log(a + n);
        }
    }
}

TEST(complexity_satisfies_its_definition_and_its_recurrence) {
    CHECK_EQUAL(log_complexity(0, 5), 0.0);
    CHECK_EQUAL(log_complexity(7, 1), 0.0);
    for (int n : {1, 2, 3, 10, 100, 1000, 20000}) {
        CHECK(close(std::exp(log_complexity(n, 2)), complexity_of_two(n), 1e-10));
        for (int k = 1; k < 30; ++k) {  // C(n, k + 2) = C(n, k + 1) + n / k C(n, k)
            double scale = log_complexity(n, k + 2);
            double sum = std::exp(log_complexity(n, k + 1) - scale) +
                         n / static_cast<double>(k) * std::exp(log_complexity(n, k) - scale);
            CHECK(close(sum, 1.0, 1e-11));
        }
    }
    CHECK(std::isfinite(log_complexity(100000, 1e30)));
    // Both forms meet where one takes over from the other.
    for (int n : {2, 50, 3000}) {
        double k = 1e16 * n * n;
        CHECK(close(log_complexity(n, 1.01 * k) - log_complexity(n, 0.99 * k), n * std::log(1.01 / 0.99), 1e-9));
    }
    CHECK(close(veridag::log_complexity(10, INFINITY, 1000.0), 10 * (1000.0 - std::log(10.0))));
}

TEST(families_that_are_none_are_refused) {
    auto bad = [](std::vector<std::int32_t> children, std::vector<std::int64_t> offsets,
                  std::vector<std::int32_t> parents) { veridag::check({children, offsets, parents}, 3); };
    bad({0, 2}, {0, 2, 2}, {1, 2});
    CHECK_THROWS(bad({3}, {0, 0}, {}), std::invalid_argument);
    CHECK_THROWS(bad({0}, {0, 1}, {0}), std::invalid_argument);
    CHECK_THROWS(bad({0}, {0, 1}, {-1}), std::invalid_argument);
    CHECK_THROWS(bad({0}, {0, 2}, {1, 1}), std::invalid_argument);
    CHECK_THROWS(bad({0}, {0, 2}, {1}), std::invalid_argument);
    CHECK_THROWS(bad({0}, {0}, {}), std::invalid_argument);
}
