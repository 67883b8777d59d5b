#include "scores/incomplete_mixed.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "index.hpp"
#include "scores/gaussian.hpp"

namespace veridag {

double IncompleteMixedLocalScorer::local(int child, std::span<const int> parents) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    (*functions_).forget_if_large();
    discrete_.clear();
    continuous_.clear();
    for (int p : parents) (table_.is_discrete(p) ? discrete_ : continuous_).push_back(table_.place(p));
    std::sort(discrete_.begin(), discrete_.end());  // callers may give them in any order
    std::sort(continuous_.begin(), continuous_.end());
    int place = table_.place(child);
    with_child_ = discrete_;
    members_ = continuous_;
    (table_.is_discrete(child) ? with_child_ : members_).push_back(place);
    find_rows();
    if (n_ < 1.0 || (!parents.empty() && n_ < least_)) return -infinity;
    if (!table_.is_discrete(child)) return of_continuous(discrete_, members_);
    double score = of_discrete(place);
    for (std::size_t i = 0; i < continuous_.size(); ++i) {  // Bayes' rule
        auto members = std::span<const int>(continuous_).first(i + 1);
        double beside = of_continuous(with_child_, members);
        if (beside == infinity) return infinity;
        score += beside - of_continuous(discrete_, members);
    }
    return score;
}

void IncompleteMixedLocalScorer::find_rows() {
    const Table& discrete = table_.discrete();
    const std::int64_t* weights = table_.weights();
    is_hidden_.assign(table_.rows(), 0);
    for (int v : with_child_) {
        int gap = arities_[at(v)];
        auto mark = [&](const auto* states) {
            for (std::size_t i = 0; i < is_hidden_.size(); ++i) is_hidden_[i] |= static_cast<char>(states[i] == gap);
        };
        if (discrete.arity(v) > gap) std::visit(mark, discrete.states(v));
    }
    for (int v : members_) {
        const double* values = table_.values(v);
        for (std::size_t i = 0; i < is_hidden_.size(); ++i) is_hidden_[i] |= static_cast<char>(std::isnan(values[i]));
    }
    rows_.clear();
    n_ = 0.0;
    for (std::size_t i = 0; i < is_hidden_.size(); ++i) {
        if (is_hidden_[i] || (weights && weights[i] == 0)) continue;
        rows_.push_back(i);
        n_ += weights ? static_cast<double>(weights[i]) : 1.0;
    }
}

// The number of the configuration of discrete variables in each row; tallies_ gets how often each is observed.
void IncompleteMixedLocalScorer::number_rows(std::span<const int> discrete) {
    keys_.start(table_.rows());
    for (int v : discrete) keys_.add(table_.discrete(), v);
    tallies_.assign(keys_.number(), 0);
    for (std::size_t i : rows_) tallies_[keys_.keys()[i]] += table_.weights() ? table_.weights()[i] : 1;
}

double IncompleteMixedLocalScorer::of_discrete(int child) {
    Functions& f = *functions_;
    double sum = 0.0, parameters = arities_[at(child)] - 1.0;
    for (int v : discrete_) parameters *= arities_[at(v)];
    number_rows(discrete_);
    for (Count n : tallies_) sum -= f.x_log_x(n);
    number_rows(with_child_);
    for (Count n : tallies_) sum += f.x_log_x(n);
    double penalty = penalty_ > 0.0 && arities_[at(child)] > 1 ? penalty_ * parameters : 0.0;
    return table_.total() / n_ * sum - penalty;
}

double IncompleteMixedLocalScorer::of_continuous(std::span<const int> discrete, std::span<const int> members) {
    double parameters = static_cast<double>(members.size() + 1);
    for (int v : discrete) parameters *= arities_[at(v)];
    number_rows(discrete);
    add_scatter(members);
    return table_.total() / n_ * log_likelihood(tallies_.size(), members) -
           (penalty_ > 0.0 ? penalty_ * parameters : 0.0);
}

// Means in each stratum, and the scatter around them. A column that is constant there has none, though its mean may
// differ from it in the last digit.
void IncompleteMixedLocalScorer::add_scatter(std::span<const int> members) {
    std::size_t k = members.size(), strata = tallies_.size();
    const auto& stratum = keys_.keys();
    auto weight = [&](std::size_t i) { return table_.weights() ? static_cast<double>(table_.weights()[i]) : 1.0; };
    means_.assign(strata * k, 0.0);
    first_.assign(strata * k, std::numeric_limits<double>::quiet_NaN());
    varies_.assign(strata * k, 0);
    for (std::size_t i : rows_) {
        for (std::size_t a = 0; a < k; ++a) {
            std::size_t own = stratum[i] * k + a;
            double value = table_.values(members[a])[i];
            if (std::isnan(first_[own])) first_[own] = value;
            varies_[own] |= static_cast<char>(value != first_[own]);
            means_[own] += weight(i) * value;
        }
    }
    for (std::size_t j = 0; j < strata; ++j) {
        for (std::size_t a = 0; a < k; ++a) means_[j * k + a] /= static_cast<double>(tallies_[j]);
    }
    scatter_.assign(strata * k * k, 0.0);
    work_.resize(k);
    for (std::size_t i : rows_) {
        std::size_t j = stratum[i];
        for (std::size_t a = 0; a < k; ++a)
            work_[a] = varies_[j * k + a] ? table_.values(members[a])[i] - means_[j * k + a] : 0.0;
        for (std::size_t a = 0; a < k; ++a) {
            for (std::size_t b = a; b < k; ++b) scatter_[(j * k + a) * k + b] += weight(i) * work_[a] * work_[b];
        }
    }
}

double IncompleteMixedLocalScorer::log_likelihood(std::size_t strata, std::span<const int> members) {
    double sum = 0.0;
    for (std::size_t j = 0; j < strata; ++j) {
        if (tallies_[j] == 0) continue;
        auto n = static_cast<double>(tallies_[j]);
        double variance = residual_scatter(j, members.size()) / n;
        if (variance == 0.0) return std::numeric_limits<double>::infinity();
        sum -= 0.5 * n * (std::log(2.0 * std::numbers::pi * variance) + 1.0);
    }
    return sum;
}

// What the last member varies around its regression on those before it; members that are linear functions of others
// are passed over.
double IncompleteMixedLocalScorer::residual_scatter(std::size_t stratum, std::size_t k) {
    double* s = scatter_.data() + stratum * k * k;
    work_.resize(k);
    for (std::size_t p = 0; p < k; ++p) work_[p] = s[p * k + p];
    for (std::size_t p = 0; p < k; ++p) {
        double pivot = s[p * k + p];
        bool is_singular = pivot <= singular * work_[p];
        if (p + 1 == k) return is_singular ? 0.0 : pivot;
        if (is_singular) continue;
        for (std::size_t a = p + 1; a < k; ++a) {
            double factor = s[p * k + a] / pivot;
            for (std::size_t b = a; b < k; ++b) s[a * k + b] -= factor * s[p * k + b];
        }
    }
    return 0.0;
}

}  // namespace veridag
