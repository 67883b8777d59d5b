#include "posterior/exact/posterior.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "parallel.hpp"

namespace veridag {
namespace {

// Less than this, times the number of sets, changes no probability.
constexpr double nothing = 1e-40;

}  // namespace

ExactPosterior::ExactPosterior(WeightedFamilies families, Counted counted, int threads, Progress& progress)
    : families_(std::move(families)), counted_(counted) {
    if (counted == Counted::dags) {
        if (variables() > max_dag_sum_variables) throw std::invalid_argument("too many variables for sums over DAGs");
        auto sums = all_parent_sums<DoubleDouble>(families_, Weights::posterior, {}, threads, progress);
        if (progress.stopped()) return;
        dags_ = dag_sums(sums, threads, progress);
        sum_ = dags_.sum;
        residual_ = dags_.residual;
        finished_ = dags_.finished;
        return;
    }
    auto sums = all_parent_sums<double>(families_, Weights::posterior, {}, threads, progress);
    if (progress.stopped()) return;
    orders_ = order_sums(sums, progress);
    finished_ = !progress.stopped();
    if (!finished_) return;
    std::size_t all = all_of(variables());
    sum_ = orders_.before.at_place(all);
    if (!sum_.is_zero()) residual_ = std::abs(orders_.after.at_place(all).over(sum_) - 1.0);
}

const std::vector<double>& ExactPosterior::outside(int v, const WideNumbers<double>& sums,
                                                   std::vector<double>& memory) const {
    if (counted_ == Counted::dags) return dags_.outside[at(v)];
    memory = places_in_order(orders_, sums, v, variables());
    return memory;
}

// P(u -> v) = sum over C with u of P(C) (1 - A_v(C - u) / A_v(C)): within C, the share of parent sets that have u.
std::vector<double> ExactPosterior::arcs(int threads) const {
    int n = variables();
    std::vector<double> found(at(n) * at(n), 0.0);
    parallel_for(at(n), threads, [&](std::size_t task, std::size_t) {
        int v = static_cast<int>(task);
        std::vector<double> memory;
        WideNumbers<double> sums = parent_sums<double>(families_, v, Weights::posterior);
        const std::vector<double>& others = outside(v, sums, memory);
        std::vector<DoubleDouble> own(at(n));
        for (std::size_t place = 0; place < others.size(); ++place) {
            if (others[place] < nothing || sums.is_zero(place)) continue;
            WideNumber whole = sums.at_place(place);
            for (VariableSet rest = set_at(place, v); rest; rest &= rest - 1) {
                int u = std::countr_zero(rest);
                std::size_t without = place & ~(std::size_t{1} << (u < v ? u : u - 1));
                own[at(u)] += others[place] * (1.0 - sums.at_place(without).over(whole));
            }
        }
        for (int u = 0; u < n; ++u) found[at(u, v, n)] = std::clamp(own[at(u)].hi, 0.0, 1.0);
    });
    return found;
}

std::vector<double> ExactPosterior::ancestors() const {
    if (counted_ != Counted::dags) throw std::logic_error("the descendants are not known");
    int n = variables();
    std::vector<double> found(at(n) * at(n), 0.0);
    for (int u = 0; u < n; ++u) {
        const std::vector<double>& others = dags_.outside[at(u)];
        std::vector<DoubleDouble> own(at(n));
        for (std::size_t place = 0; place < others.size(); ++place) {
            if (others[place] < nothing) continue;
            for (VariableSet rest = all_of(n) & ~set_at(place, u) & ~just(u); rest; rest &= rest - 1)
                own[at(std::countr_zero(rest))] += others[place];
        }
        for (int v = 0; v < n; ++v) found[at(u, v, n)] = std::clamp(own[at(v)].hi, 0.0, 1.0);
    }
    return found;
}

double ExactPosterior::probability_of_one(int v, ParentRule rule) const {
    std::vector<double> memory;
    WideNumbers<double> sums = parent_sums<double>(families_, v, Weights::posterior);
    WideNumbers<double> allowed = parent_sums<double>(families_, v, Weights::posterior, rule);
    const std::vector<double>& others = outside(v, sums, memory);
    DoubleDouble found;
    for (std::size_t place = 0; place < others.size(); ++place) {
        if (others[place] < nothing || sums.is_zero(place)) continue;
        found += others[place] * allowed.at_place(place).over(sums.at_place(place));
    }
    return std::clamp(found.hi, 0.0, 1.0);
}

double ExactPosterior::probability(const ParentRules& rules, int threads, Progress& progress) const {
    if (rules.size() != at(variables())) throw std::invalid_argument("there is one rule a variable");
    int ruled = 0, last = 0;
    for (int v = 0; v < variables(); ++v) {
        if (rules[at(v)].is_free()) continue;
        ++ruled;
        last = v;
    }
    if (ruled == 0) return 1.0;
    if (ruled == 1) return probability_of_one(last, rules[at(last)]);
    return std::min(1.0, sum_of(Weights::posterior, rules, threads, progress).over(sum_));
}

WideNumber ExactPosterior::sum_of(Weights which, const ParentRules& rules, int threads, Progress& progress) const {
    if (counted_ == Counted::orders) {
        auto sums = all_parent_sums<double>(families_, which, rules, threads, progress);
        return progress.stopped() ? WideNumber{} : sum_over_orders(sums, progress);
    }
    auto sums = all_parent_sums<DoubleDouble>(families_, which, rules, threads, progress);
    return progress.stopped() ? WideNumber{} : sum_over_dags(sums, threads, progress);
}

double ExactPosterior::log_prior_sum(int threads, Progress& progress) const {
    return sum_of(Weights::prior, {}, threads, progress).log() + families_.log_scale(Weights::prior);
}

double posterior_bytes(int variables, Counted counted) {
    if (counted == Counted::dags) return dag_sum_bytes(variables);
    constexpr double wide = sizeof(double) + sizeof(std::int32_t);
    return std::ldexp(1.0, variables) * (variables / 2.0 * wide + 2 * wide);
}

}  // namespace veridag
