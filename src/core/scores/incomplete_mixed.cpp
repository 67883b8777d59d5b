#include "scores/incomplete_mixed.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "counts/axes.hpp"
#include "elementary.hpp"
#include "index.hpp"
#include "scores/gaussian.hpp"

namespace veridag {
namespace {

constexpr double unbounded = std::numeric_limits<double>::infinity();

double observations(const Strata& strata) { return std::accumulate(strata.n().begin(), strata.n().end(), 0.0); }

// What the last of k variables varies around its regression on those before it, from their scatter, which is used up;
// variables that are linear functions of others are passed over.
double residual_scatter(double* s, std::size_t k, std::vector<double>& own) {
    own.resize(k);
    for (std::size_t p = 0; p < k; ++p) own[p] = s[p * k + p];
    for (std::size_t p = 0; p + 1 < k; ++p) {
        double pivot = s[p * k + p];
        if (pivot <= singular * own[p]) continue;
        for (std::size_t a = p + 1; a < k; ++a) {
            double factor = s[p * k + a] / pivot;
            for (std::size_t b = a; b < k; ++b) s[a * k + b] -= factor * s[p * k + b];
        }
    }
    double last = s[k * k - 1];
    return last <= singular * own[k - 1] ? 0.0 : last;
}

}  // namespace

double IncompleteMixedLocalScorer::local(int child, std::span<const int> parents) {
    discrete_.clear();
    continuous_.clear();
    for (int p : parents) (table_.is_discrete(p) ? discrete_ : continuous_).push_back(table_.place(p));
    std::sort(discrete_.begin(), discrete_.end());  // callers may give them in any order
    std::sort(continuous_.begin(), continuous_.end());
    int place = table_.place(child);
    if (table_.is_discrete(child) && continuous_.empty()) return all_discrete_.local(place, discrete_);
    if (!table_.is_discrete(child) && discrete_.empty()) return of_moments(place);
    with_child_ = discrete_;
    members_ = continuous_;
    (table_.is_discrete(child) ? with_child_ : members_).push_back(place);
    find_hidden();
    Strata without(table_, discrete_, sorting_, hidden_);
    double n = observations(without);
    if (n < 1.0 || n < least_) return -unbounded;
    if (!table_.is_discrete(child)) return of_continuous(without, discrete_, members_, n);
    Strata with(table_, with_child_, sorting_, hidden_);
    double score = of_discrete(place, without, with, n);
    for (std::size_t i = 0; i < continuous_.size(); ++i) {  // Bayes' rule
        auto members = std::span<const int>(continuous_).first(i + 1);
        double beside = of_continuous(with, with_child_, members, n);
        if (beside == unbounded) return unbounded;
        score += beside - of_continuous(without, discrete_, members, n);
    }
    return score;
}

void IncompleteMixedLocalScorer::find_hidden() {
    mark_gaps(table_.discrete(), with_child_, hidden_);
    for (int v : members_) {
        if (!table_.values_missing(v)) continue;
        hidden_.resize(table_.rows(), 0);
        const double* values = table_.values(v);
        for (std::size_t i = 0; i < hidden_.size(); ++i) hidden_[i] |= static_cast<char>(std::isnan(values[i]));
    }
}

// The family's moments come in ascending order of the variables: the child's are brought to the end.
double IncompleteMixedLocalScorer::of_moments(int child) {
    members_ = continuous_;
    auto place = std::lower_bound(members_.begin(), members_.end(), child);
    auto last = static_cast<std::size_t>(place - members_.begin());
    members_.insert(place, child);
    std::size_t k = members_.size();
    const SetMoments& found = moments_->of(members_, summing_);
    if (found.n < 1.0 || (k > 1 && found.n < least_)) return -unbounded;
    auto from = [&](std::size_t i) { return i + 1 == k ? last : i + (i >= last ? 1 : 0); };
    scatter_.resize(k * k);
    for (std::size_t a = 0; a < k; ++a) {
        for (std::size_t b = a; b < k; ++b) scatter_[a * k + b] = found.scatter[from(a) * k + from(b)];
    }
    double fit = log_likelihood(residual_scatter(scatter_.data(), k, own_), found.n);
    return table_.total() / found.n * fit - (penalty_ > 0.0 ? penalty_ * static_cast<double>(k + 1) : 0.0);
}

double IncompleteMixedLocalScorer::log_likelihood(double residual, double n) const {
    return residual == 0.0 ? unbounded : -0.5 * n * (elementary::log(2.0 * std::numbers::pi * residual / n) + 1.0);
}

double IncompleteMixedLocalScorer::configurations(std::span<const int> discrete) const {
    double q = 1.0;
    for (int v : discrete) q *= table_.discrete().observed_arity(v);
    return q;
}

double IncompleteMixedLocalScorer::of_discrete(int child, const Strata& without, const Strata& with, double n) {
    Functions& f = *functions_;
    f.forget_if_large();
    double sum = 0.0, r = table_.discrete().observed_arity(child);
    for (double m : without.n()) sum -= f.x_log_x(static_cast<Count>(m));
    for (double m : with.n()) sum += f.x_log_x(static_cast<Count>(m));
    double penalty = penalty_ > 0.0 && r > 1.0 ? penalty_ * (r - 1.0) * configurations(discrete_) : 0.0;
    return table_.total() / n * sum - penalty;
}

double IncompleteMixedLocalScorer::of_continuous(Strata& strata, std::span<const int> discrete,
                                                 std::span<const int> members, double n) {
    std::size_t k = members.size();
    scatter_.resize(strata.size() * k * k);
    for (std::size_t a = 0; a < k; ++a) {
        for (std::size_t b = a; b < k; ++b) {
            const double* found = strata.scatter(members[a], members[b]);
            for (std::size_t j = 0; j < strata.size(); ++j) scatter_[(j * k + a) * k + b] = found[j];
        }
    }
    double fit = 0.0;
    for (std::size_t j = 0; j < strata.size(); ++j) {
        fit += log_likelihood(residual_scatter(scatter_.data() + j * k * k, k, own_), strata.n()[j]);
        if (fit == unbounded) return unbounded;
    }
    double parameters = static_cast<double>(k + 1) * configurations(discrete);
    return table_.total() / n * fit - (penalty_ > 0.0 ? penalty_ * parameters : 0.0);
}

}  // namespace veridag
