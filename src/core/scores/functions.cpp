#include "scores/functions.hpp"

#include <algorithm>
#include <bit>
#include <mutex>
#include <numbers>

#include "elementary.hpp"

namespace veridag {
namespace {

constexpr std::size_t x_log_x_size = 1 << 16;
constexpr std::size_t max_cached = std::size_t{1} << 21;  // numbers, so 16 MB a thread

std::size_t size_of(const auto& tables) {
    std::size_t size = 0;
    for (const auto& [key, table] : tables) size += 8 + table.size();
    return size;
}

const std::vector<double>& x_log_x_table() {
    static const std::vector<double> table = [] {
        std::vector<double> values(x_log_x_size, 0.0);
        for (std::size_t n = 1; n < x_log_x_size; ++n)
            values[n] = static_cast<double>(n) * elementary::log(static_cast<double>(n));
        return values;
    }();
    return table;
}

// Where Stirling's series is good to a double's last digit.
constexpr double stirling_from = 8.0;

// w(x) = log Gamma(x) - (x - 1/2) log x + x - log(2 pi) / 2 for x >= 8
double stirling_rest(double x) {
    double y = 1.0 / (x * x);
    return (1.0 / 12 + y * (-1.0 / 360 + y * (1.0 / 1260 + y * (-1.0 / 1680 +
                                                                y * (1.0 / 1188 + y * (-691.0 / 360360 + y / 156)))))) /
           x;
}

}  // namespace

double log_gamma(double x) {
    if (!(x > 0.0)) return std::numeric_limits<double>::quiet_NaN();
    double product = 1.0;
    while (x < stirling_from) {  // shifted up by the recurrence
        product *= x;
        x += 1.0;
    }
    constexpr double half_log_two_pi = 0.91893853320467274178;
    double value = (x - 0.5) * elementary::log(x) - x + half_log_two_pi + stirling_rest(x);
    return product == 1.0 ? value : value - elementary::log(product);
}

// For large a the difference of the two series of Stirling, in which the terms of the size of a log a cancel exactly.
double RisingLogs::rising(double n) const {
    if (a_ < stirling_from) return log_a_ + (log_gamma(a_ + n) - log_gamma_next_);
    return n * log_a_ + ((a_ + n - 0.5) * elementary::log1p(n / a_) - n) + (stirling_rest(a_ + n) - stirling_rest(a_));
}

double log_complexity(Count n, double k, double log_k) {
    if (n == 0 || k <= 1.0) return 0.0;
    double log_n = elementary::log(static_cast<double>(n));
    if (log_k > 16.0 * std::numbers::ln10 + 2.0 * log_n) return static_cast<double>(n) * (log_k - log_n);
    // Term i + 1 is term i times (1 - i / n) (k - 1 + i) / (i + 1): rising at first, then falling for good.
    auto size = static_cast<double>(n);
    double term = 1.0, sum = 1.0, log_scale = 0.0;
    for (Count step = 0; step < n; ++step) {
        auto i = static_cast<double>(step);
        double ratio = (1.0 - i / size) * (k - 1.0 + i) / (i + 1.0);
        term *= ratio;
        sum += term;
        // From here on every ratio is below this one, so the rest is below a geometric series.
        if (ratio < 1.0 && term * ratio / (1.0 - ratio) < 1e-17 * sum) break;
        if (sum > 1e240) {
            term *= 1e-240;
            sum *= 1e-240;
            log_scale += 240.0 * std::numbers::ln10;
        }
    }
    return elementary::log(sum) + log_scale;
}

// log a + log(a + 1) + ... + log(a + n - 1)
double RisingLogs::direct(Count n) const {
    if (n == 0) return 0.0;
    if (n > 16 || a_ > 1e15) return rising(static_cast<double>(n));
    double product = 1.0;
    for (Count i = 1; i < n; ++i) product *= a_ + static_cast<double>(i);
    return log_a_ + elementary::log(product);
}

double RisingLogs::cache(std::size_t k) {
    if (k >= values_.size())
        values_.resize(std::max<std::size_t>(32, std::bit_ceil(k + 1)), std::numeric_limits<double>::quiet_NaN());
    return values_[k] = direct(static_cast<Count>(k));
}

Functions::Functions() : x_log_x_(x_log_x_table()) {}

RisingLogs& Functions::rising(double a, double log_a) {
    return rising_.try_emplace(std::bit_cast<std::uint64_t>(log_a), a, log_a).first->second;
}

double Functions::complexity(Count n, double k, double log_k) {
    auto& known = complexity_[std::bit_cast<std::uint64_t>(log_k)];
    auto [entry, is_new] = known.try_emplace(n, 0.0);
    if (is_new) entry->second = log_complexity(n, k, log_k);
    return entry->second;
}

// Called between families, so that no reference given out is still in use.
void Functions::forget_if_large() {
    if (++since_measured_ < 1024) return;
    since_measured_ = 0;
    if (size_of(rising_) > max_cached) rising_.clear();
    if (size_of(complexity_) > max_cached) complexity_.clear();
}

namespace {

struct Pool {
    static constexpr std::size_t most = 8;
    std::mutex mutex;
    std::vector<std::unique_ptr<Functions>> idle;
};

// Never destroyed: whoever borrowed from it may live until the very end of the process.
Pool& pool() {
    static auto* the_pool = new Pool;
    return *the_pool;
}

}  // namespace

LentFunctions::LentFunctions() {
    std::lock_guard<std::mutex> guard(pool().mutex);
    if (pool().idle.empty()) {
        functions_ = std::make_unique<Functions>();
    } else {
        functions_ = std::move(pool().idle.back());
        pool().idle.pop_back();
    }
}

LentFunctions::~LentFunctions() {
    std::lock_guard<std::mutex> guard(pool().mutex);
    if (pool().idle.size() < Pool::most) pool().idle.push_back(std::move(functions_));
}

}  // namespace veridag
