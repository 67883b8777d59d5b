// The functions that scores are made of, with caches of their values. A thread has its own; what one search computed
// serves the next.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <unordered_map>
#include <vector>

#include "counts/counter.hpp"
#include "elementary.hpp"

namespace veridag {

// The logarithm of the gamma function for x > 0, to about 1e-15 of max(1, |value|).
double log_gamma(double x);

// The logarithm of the multinomial complexity C(n, k), for k given by its logarithm too, since k may be beyond a
// double. The exact sum of Mononen and Myllymaki (2008), whose terms are all positive, ended where the rest cannot
// change the result; for k above 10^16 n^2 its last term (k / n)^n, all others together being less than 10^-15 of it.
double log_complexity(Count n, double k, double log_k);

// log Gamma(a + n) - log Gamma(a), as a table of what was asked for; NaN is what was not. `a` comes with its logarithm,
// and may itself be too small for a double, or so far above n that the difference of two log-gammas has no digits left.
class RisingLogs {
   public:
    RisingLogs(double a, double log_a) : a_(a), log_a_(log_a), log_gamma_next_(log_gamma(a + 1.0)), values_{0.0} {}

    double operator()(Count n) {
        auto k = static_cast<std::size_t>(n);
        if (k < values_.size() && !std::isnan(values_[k])) return values_[k];
        return k < table_size ? cache(k) : direct(n);
    }

    // The same for a number that is no integer, above 0.
    double operator()(double n) { return rising(n); }

    std::size_t size() const { return values_.size(); }

   private:
    static constexpr std::size_t table_size = std::size_t{1} << 16;

    double cache(std::size_t k);
    double direct(Count n) const;
    double rising(double n) const;

    double a_, log_a_, log_gamma_next_;
    std::vector<double> values_;
};

class Functions {
   public:
    Functions();

    // n log n, with 0 log 0 = 0.
    double x_log_x(Count n) const {
        if (static_cast<std::size_t>(n) < x_log_x_.size()) return x_log_x_[static_cast<std::size_t>(n)];
        auto x = static_cast<double>(n);
        return x * elementary::log(x);
    }
    double x_log_x(double x) const { return x > 0.0 ? x * elementary::log(x) : 0.0; }

    // Valid until the next call.
    RisingLogs& rising(double a, double log_a);

    double complexity(Count n, double k, double log_k);

    void forget_if_large();

   private:
    const std::vector<double>& x_log_x_;
    std::size_t since_measured_ = 0;
    std::unordered_map<std::uint64_t, RisingLogs> rising_;
    std::unordered_map<std::uint64_t, std::unordered_map<Count, double>> complexity_;
};

// Functions on loan from a small pool, for as long as this lives.
class LentFunctions {
   public:
    LentFunctions();
    ~LentFunctions();
    LentFunctions(const LentFunctions&) = delete;
    LentFunctions& operator=(const LentFunctions&) = delete;

    Functions& operator*() const { return *functions_; }

   private:
    std::unique_ptr<Functions> functions_;
};

}  // namespace veridag
