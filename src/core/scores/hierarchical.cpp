#include "scores/hierarchical.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "elementary.hpp"
#include "scores/functions.hpp"

namespace veridag {
namespace {

constexpr double most_cells = 1e100;  // as in veridag.hierarchy
constexpr double large = 8.0;         // from here on the series below are exact to the last digits
constexpr int small_counts = 8;       // below, rising factorials are multiplied out

// Coefficients of x^-2, x^-4, ... in ln x - psi(x) - 1 / (2 x) and in x psi'(x) - 1 - 1 / (2 x).
constexpr double psi_terms[] = {1.0 / 12,  -1.0 / 120,     1.0 / 252, -1.0 / 240,
                                1.0 / 132, -691.0 / 32760, 1.0 / 12,  -3617.0 / 8160};
constexpr double trigamma_terms[] = {1.0 / 6,  -1.0 / 30,     1.0 / 42, -1.0 / 30,
                                     5.0 / 66, -691.0 / 2730, 7.0 / 6,  -3617.0 / 510};
constexpr double slope_terms[] = {1.0 / 3, -2.0 / 15, 1.0 / 7, -4.0 / 15, 25.0 / 33};  // of the latter's derivative

// d = ln x - psi(x), t = x psi'(x) - 1 and the derivative of t. The large parts are never subtracted from each other.
struct Excess {
    double d, t, slope;
};

// The sum of so many terms, as a polynomial in y = x^-2.
template <int terms>
double polynomial(const double* coefficients, double y) {
    double sum = coefficients[terms - 1];
    for (int i = terms - 2; i >= 0; --i) sum = sum * y + coefficients[i];
    return sum;
}

// d for x >= large to 1e-13; with fewer terms where x is larger.
double log_less_psi(double x, double inverse) {
    double y = inverse * inverse;
    return 0.5 * inverse + y * (x >= 40.0 ? polynomial<3>(psi_terms, y) : polynomial<6>(psi_terms, y));
}

// psi'(x) for x >= large to 1e-9, which is enough for a second derivative: it decides how fast Newton's method is, not
// where it ends.
double trigamma(double inverse) {
    double y = inverse * inverse;
    return inverse * (1.0 + 0.5 * inverse + y * polynomial<3>(trigamma_terms, y));
}

Excess excess_of_large(double x) {
    double inverse = 1.0 / x, y = inverse * inverse;
    double t = 0.5 * inverse + y * polynomial<7>(trigamma_terms, y);
    return {log_less_psi(x, inverse), t, -(0.5 + inverse * polynomial<5>(slope_terms, y)) * y};
}

Excess excess(double x) {
    if (x >= large) return excess_of_large(x);
    double top = x, sum = 0.0, squares = 0.0, cubes = 0.0;
    while (top < large) {
        double inverse = 1.0 / top;
        sum += inverse;
        squares += inverse * inverse;
        cubes += inverse * inverse * inverse;
        top += 1.0;
    }
    Excess above = excess_of_large(top);
    double trigamma = (1.0 + above.t) / top;
    double tetragamma = (above.slope - trigamma) / top - 2.0 * cubes;
    trigamma += squares;
    return {elementary::log(x / top) + above.d + sum, x * trigamma - 1.0, trigamma + x * tetragamma};
}

// w(x) = log Gamma(x) - (x - 1/2) ln x + x - ln(2 pi) / 2
double stirling(double x) {
    constexpr double half_log_two_pi = 0.91893853320467274178;
    if (x < large) return log_gamma(x) - (x - 0.5) * elementary::log(x) + x - half_log_two_pi;
    double y = 1.0 / (x * x), sum = 0.0;
    for (int i = 7; i >= 0; --i) sum = sum * y + psi_terms[i] / (2 * i + 1);
    return sum / x;
}

// The first two derivatives in a of the sum over the counts, in ascending order, of log Gamma(a + n) - log Gamma(a).
void rising_derivatives(double a, std::span<const double> counts, double& first, double& second) {
    double sums[small_counts + 1], squares[small_counts + 1];
    sums[0] = squares[0] = 0.0;
    int known = 0;
    auto know = [&](int n) {
        for (; known < n; ++known) {
            double inverse = 1.0 / (a + known);
            sums[known + 1] = sums[known] + inverse;
            squares[known + 1] = squares[known] + inverse * inverse;
        }
    };
    first = second = 0.0;
    std::size_t i = 0;
    for (; i < counts.size() && counts[i] < small_counts; ++i) {
        int n = static_cast<int>(counts[i]);
        know(n);
        first += sums[n];
        second -= squares[n];
    }
    if (i == counts.size()) return;
    // psi(a + n) = psi(a) + sums[8] + psi(a + n) - psi(a + 8), and one logarithm for all of them.
    know(small_counts);
    auto rest = static_cast<double>(counts.size() - i);
    double base = a + small_counts, base_inverse = 1.0 / base, ratios = 1.0;
    first += rest * (sums[small_counts] + log_less_psi(base, base_inverse));
    second -= rest * (squares[small_counts] + trigamma(base_inverse));
    for (; i < counts.size(); ++i) {
        double z = a + counts[i], inverse = 1.0 / z;
        ratios *= z * base_inverse;
        if (ratios > 1e250) {
            first += elementary::log(ratios);
            ratios = 1.0;
        }
        first -= log_less_psi(z, inverse);
        second += trigamma(inverse);
    }
    first += elementary::log(ratios);
}

// The sum over the counts of log Gamma(a + n) - log Gamma(a).
template <class Counts>
double sum_log_rising(double a, const Counts& counts) {
    double products[small_counts + 1];
    products[0] = 1.0;
    for (int i = 0; i < small_counts; ++i) products[i + 1] = products[i] * (a + i);
    double total = 0.0, product = 1.0, rest = 0.0;
    for (auto count : counts) {
        auto n = static_cast<double>(count);
        if (n <= small_counts) {
            product *= products[static_cast<int>(n)];
            if (product < 1e-150 || product > 1e150) {
                total += elementary::log(product);
                product = 1.0;
            }
        } else {
            total += log_gamma(a + n);
            rest += 1.0;
        }
    }
    if (rest > 0.0) total -= rest * (log_gamma(a + small_counts) - elementary::log(products[small_counts]));
    return total + elementary::log(product);
}

}  // namespace

// ---- the rows

void SharedPrior::clear() {
    for (const Row& row : rows_) {
        if (row.first < row.last) slots_[row.slot] = 0;  // the others would take long after a large family
    }
    counts_.clear();
    rows_.clear();
    empty_cells_ = 0.0;
}

std::size_t SharedPrior::add(std::span<Count> counts) {
    std::sort(counts.begin(), counts.end());
    std::uint64_t hash = counts.size();
    for (Count n : counts) hash = (hash ^ static_cast<std::uint64_t>(n)) * 0x9e3779b97f4a7c15ULL;
    hash ^= hash >> 32;
    if (slots_.size() < 2 * (rows_.size() + 1)) grow();
    std::size_t mask = slots_.size() - 1, slot = hash & mask;
    for (; slots_[slot] != 0; slot = (slot + 1) & mask) {
        Row& row = rows_[slots_[slot] - 1];
        auto same = [](double a, Count b) { return a == static_cast<double>(b); };
        auto own = this->counts(row);
        if (std::equal(own.begin(), own.end(), counts.begin(), counts.end(), same)) {
            row.cells += 1.0;
            return slots_[slot] - 1;
        }
    }
    std::size_t first = counts_.size();
    for (Count n : counts) counts_.push_back(static_cast<double>(n));
    rows_.push_back({first, counts_.size(), 1.0, hash, slot});
    slots_[slot] = static_cast<std::uint32_t>(rows_.size());
    return rows_.size() - 1;
}

void SharedPrior::grow() {
    slots_.assign(std::max<std::size_t>(64, 2 * slots_.size()), 0u);
    std::size_t mask = slots_.size() - 1;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        std::size_t slot = rows_[i].hash & mask;
        while (slots_[slot] != 0) slot = (slot + 1) & mask;
        slots_[slot] = static_cast<std::uint32_t>(i + 1);
        rows_[i].slot = slot;
    }
}

// ---- the optimum

void SharedPrior::maximise() {
    if (empty_cells_ > 0.0) rows_.push_back({counts_.size(), counts_.size(), empty_cells_, 0, 0});
    steps_ = 0;
    if (!climb_boldly()) climb_carefully();
}

void SharedPrior::start() {
    cells_ = tau_ = 0.0;
    for (Row& row : rows_) {
        row.x = alpha0_ + groups_;
        cells_ += row.cells;
    }
    tau_ = cells_ * (alpha0_ + groups_);
}

// Newton's steps as they come. They converge within a few steps where L is well-behaved, which it nearly always is;
// false if not.
bool SharedPrior::climb_boldly() {
    start();
    double before = std::numeric_limits<double>::infinity();
    for (int i = 0; i < 12; ++i) {
        Step step = newton();
        if (!step.concave || !(step.size < 4.0 * before)) return false;
        move(step, 1.0);
        if (step.size < 5e-6) return true;  // then the next step would be the square of it
        before = step.size;
    }
    return false;
}

// The steps shortened until L does not fall.
void SharedPrior::climb_carefully() {
    start();
    double value = bound(), before = std::numeric_limits<double>::infinity();
    for (int i = 0; i < 500; ++i) {
        Step step = newton();
        double length = 1.0, tau = tau_;
        for (Row& row : rows_) row.before = row.x;
        move(step, length);
        double reached = bound();
        while (reached < value - 1e-13 * std::abs(value) && step.size >= 1e-6 && length >= 1e-12) {
            length /= 2.0;
            tau_ = tau;
            for (Row& row : rows_) row.x = row.before;
            move(step, length);
            reached = bound();
        }
        value = reached;
        if (step.size < 1e-11 || (step.size < 1e-6 && step.size > before / 2.0)) return;
        before = step.size;
    }
}

namespace {

// By what to multiply for a step of that share: the derivatives go with 1 / kappa, along which it is straight.
double factor(double share) { return 1.0 / (1.0 - std::clamp(share, -3.0, 0.7)); }

}  // namespace

void SharedPrior::move(const Step& step, double length) {
    double sum = 0.0;
    for (Row& row : rows_) {
        row.x *= factor(length * row.step);
        sum += row.cells * row.x;
    }
    tau_ *= factor(length * step.tau);
    for (Row& row : rows_) row.x *= tau_ / sum;
}

// Newton's step in kappa and tau, as shares of each; where L is not concave, as if it were. See veridag.hierarchy.
SharedPrior::Step SharedPrior::newton() {
    ++steps_;
    double F = groups_, K = cells_, a = alpha0_ + F, sigma = s_ / tau_, b = 1.0 + F * sigma, free = K * a - F * s_;
    double xx = 0.0, xc = 0.0, xg = 0.0, cc = 0.0, cg = 0.0, G = 0.0, H = 0.0;
    Step step{0.0, 0.0, true};
    for (Row& row : rows_) {
        double x = row.x, z = sigma * x, r1 = 0.0, r2 = 0.0;
        Excess e = excess(x);
        if (row.first < row.last) rising_derivatives(z, counts(row), r1, r2);
        double bent = (a - b * x) * x * e.slope;
        row.g = alpha0_ + (a - x) * e.t + F * z * (e.d - e.t) + z * r1;
        row.h = bent - alpha0_ - (a + F * z) * e.t + z * z * r2;
        row.c = bent - b * x * e.t;
        if (!(row.h < 0.0)) {
            step.concave = false;
            row.h = -std::abs(row.h) - 1e-3;
        }
        G += row.cells * e.t * (a - b * x);
        H += row.cells * (bent - (a - F * z) * e.t);
        double weight = row.cells / row.h;
        xx += weight * x * x;
        xc += weight * x * row.c;
        xg += weight * x * row.g;
        cc += weight * row.c * row.c;
        cg += weight * row.c * row.g;
    }
    Excess e = excess(tau_);
    G += F * sigma * (K - 1.0) - e.t * (free - tau_);
    H += e.t * free - e.slope * tau_ * (free - tau_) - 2.0 * F * sigma * (K - 1.0);
    double curvature = H - cc + xc * xc / xx;
    if (!(curvature < 0.0)) {
        step.concave = false;
        curvature = -std::abs(curvature) - 1e-3 * K;
    }
    step.tau = -(G - cg + xc * xg / xx) / curvature;
    double multiplier = (xg + xc * step.tau) / xx;
    step.size = std::abs(step.tau);
    for (Row& row : rows_) {
        row.step = (multiplier * row.x - row.g - row.c * step.tau) / row.h;
        step.size = std::max(step.size, std::abs(row.step));
    }
    return step;
}

// L up to a constant.
double SharedPrior::bound() const {
    double F = groups_, K = cells_, a = alpha0_ + F, sigma = s_ / tau_, total = 0.0;
    for (const Row& row : rows_) {
        double own = (alpha0_ - 0.5) * elementary::log(row.x) + stirling(row.x) -
                     (a - (1.0 + F * sigma) * row.x) * excess(row.x).d;
        total += row.cells * (own + sum_log_rising(sigma * row.x, counts(row)));
    }
    total -= (K * alpha0_ - 0.5) * elementary::log(tau_) + stirling(tau_);
    return total + (K * a - tau_ - F * s_) * excess(tau_).d - F * s_ * (K - 1.0) / tau_;
}

double SharedPrior::log_rising() const {
    double total = 0.0;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        if (rows_[i].first < rows_[i].last) total += rows_[i].cells * sum_log_rising(alpha(i), counts(rows_[i]));
    }
    return total;
}

// ---- the score (Azzimonti, Corani and Scutari 2020, eq. 9)

double HierarchicalLocalScorer::local(int child, std::span<const int> parents) {
    double cells = counter_.table().arity(child);
    for (int p : parents) cells = std::min(cells * counter_.table().arity(p), most_cells);
    prior_.clear();
    return counter_.is_sparse(cells * static_cast<double>(groups_)) ? sparse(child, parents, cells)
                                                                    : dense(child, parents);
}

double HierarchicalLocalScorer::dense(int child, std::span<const int> parents) {
    variables_.assign(parents.begin(), parents.end());
    variables_.insert(variables_.end(), {child, group_});
    std::span<const Count> counts = counter_.dense(variables_, std::numeric_limits<std::size_t>::max());
    auto r = static_cast<std::size_t>(counter_.table().arity(child));
    row_of_cell_.clear();
    for (std::size_t at = 0; at < counts.size(); at += groups_) {
        row_.clear();
        for (std::size_t f = 0; f < groups_; ++f) {
            if (counts[at + f] > 0) row_.push_back(counts[at + f]);
        }
        row_of_cell_.push_back(row_.empty() ? no_row : prior_.add(row_));
    }
    prior_.add_empty(static_cast<double>(std::count(row_of_cell_.begin(), row_of_cell_.end(), no_row)));
    prior_.maximise();
    double total = prior_.log_rising();
    for (std::size_t cell = 0; cell < row_of_cell_.size(); cell += r) {
        double alpha = 0.0;
        row_.assign(groups_, 0);
        for (std::size_t k = cell; k < cell + r; ++k) {
            alpha += alpha_of(row_of_cell_[k]);
            for (std::size_t f = 0; f < groups_; ++f) row_[f] += counts[k * groups_ + f];
        }
        total -= sum_log_rising(alpha, row_);
    }
    return total;
}

// The counts of each owner, such as a cell or a configuration, in the data sets where it occurs.
void HierarchicalLocalScorer::Lists::collect(const Table& table, const RowKeys& keys, std::size_t entries,
                                             std::span<const std::uint64_t> owner_of_row, std::size_t owners) {
    counts.assign(entries, 0);
    owner.resize(entries);
    const std::int64_t* weights = table.weights();
    for (std::size_t i = 0; i < table.rows(); ++i) {
        std::uint64_t entry = keys.keys()[i];
        counts[entry] += weights ? weights[i] : 1;
        owner[entry] = owner_of_row[i];
    }
    first.assign(owners + 1, 0);
    for (std::size_t e = 0; e < entries; ++e) first[owner[e] + 1] += counts[e] > 0;
    for (std::size_t o = 0; o < owners; ++o) first[o + 1] += first[o];
    sorted.resize(first[owners]);
    next.assign(first.begin(), first.end() - 1);
    for (std::size_t e = 0; e < entries; ++e) {
        if (counts[e] > 0) sorted[next[owner[e]]++] = counts[e];
    }
}

double HierarchicalLocalScorer::sparse(int child, std::span<const int> parents, double cells) {
    const Table& table = counter_.table();
    auto tell_parents_apart = [&] {
        keys_.start(table.rows());
        for (int p : parents) keys_.add(table, p);
    };
    tell_parents_apart();
    std::size_t configurations = keys_.number();
    configuration_of_row_ = keys_.keys();
    keys_.add(table, child);
    std::size_t occurring = keys_.number();
    cell_of_row_ = keys_.keys();
    keys_.add(table, group_);
    std::size_t entries = keys_.number();
    of_cells_.collect(table, keys_, entries, cell_of_row_, occurring);
    tell_parents_apart();
    keys_.add(table, group_);
    entries = keys_.number();
    of_configurations_.collect(table, keys_, entries, configuration_of_row_, configurations);

    row_of_cell_.assign(occurring, no_row);
    double observed = 0.0;
    for (std::size_t cell = 0; cell < occurring; ++cell) {
        std::span<Count> own = of_cells_.of(cell);
        if (own.empty()) continue;
        row_of_cell_[cell] = prior_.add(own);
        observed += 1.0;
    }
    prior_.add_empty(std::max(0.0, cells - observed));
    prior_.maximise();

    // A configuration has r cells, of which those that do not occur have the weight of an empty one.
    sums_.assign(configurations, table.arity(child) * prior_.alpha_empty());
    configuration_of_cell_.resize(occurring);
    for (std::size_t i = 0; i < table.rows(); ++i) configuration_of_cell_[cell_of_row_[i]] = configuration_of_row_[i];
    for (std::size_t cell = 0; cell < occurring; ++cell) {
        if (row_of_cell_[cell] != no_row)
            sums_[configuration_of_cell_[cell]] += prior_.alpha(row_of_cell_[cell]) - prior_.alpha_empty();
    }
    double total = prior_.log_rising();
    for (std::size_t j = 0; j < configurations; ++j) {
        std::span<Count> own = of_configurations_.of(j);
        if (!own.empty()) total -= sum_log_rising(sums_[j], own);
    }
    return total;
}

}  // namespace veridag
