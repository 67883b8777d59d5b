#include "independence/decision.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "independence/contingency.hpp"
#include "independence/partial_correlation.hpp"
#include "independence/tails.hpp"
#include "scores/ties.hpp"

namespace veridag {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t most_cached = std::size_t{1} << 22;  // 200 MB

Decision by_p_value(double log_p, double log_alpha) { return {-log_p, log_p > log_alpha}; }

class EntropyG2 : public PairTest {
   public:
    struct Shared {
        VariableKeys keys;
        SharedCache<double> sums{most_cached};
    };

    EntropyG2(const Table& table, double alpha, std::shared_ptr<Shared> shared)
        : counter_(table), log_alpha_(std::log(alpha)), shared_(std::move(shared)) {}

    Decision of(int x, int y, std::span<const int> given) override {
        const Table& table = counter_.table();
        double df = (table.arity(x) - 1.0) * (table.arity(y) - 1.0);
        for (int z : given) df *= table.arity(z);
        if (df == 0.0 || std::isinf(df) || no_data_could_show(x, y, df)) return {};
        double without = sum(given, -1, -1), with_x = sum(given, x, -1), with_y = sum(given, y, -1),
               with_both = sum(given, x, y);
        double g2 = std::max(0.0, 2.0 * (with_both - with_x - with_y + without));
        return by_p_value(log_chi_square_tail(g2, df), log_alpha_);
    }

   private:
    // G2 is at most 2 n log of the smaller number of states. Where even that has a p-value of 1 there is nothing to
    // count.
    bool no_data_could_show(int x, int y, double df) const {
        const Table& table = counter_.table();
        double most = 2.0 * static_cast<double>(table.total()) * std::log(std::min(table.arity(x), table.arity(y)));
        return most < 0.75 * df && log_chi_square_tail(most, df) > -1e-12;
    }

    // The sum of n log n over the joint states of the variables given and up to two more.
    double sum(std::span<const int> given, int first, int second) {
        Key key = shared_->keys.conditions(given);
        if (first >= 0) key = key + shared_->keys.condition(first);
        if (second >= 0) key = key + shared_->keys.condition(second);
        double value = 0.0;
        if (shared_->sums.find(key, value)) return value;
        // In ascending order, so that the sum is the same to the last digit whichever test asks for it.
        members_.assign(given.begin(), given.end());
        for (int v : {first, second}) {
            if (v >= 0) members_.insert(std::upper_bound(members_.begin(), members_.end(), v), v);
        }
        for (Count n : counter_.joint(members_)) value += functions_.x_log_x(n);
        shared_->sums.keep(key, value);
        return value;
    }

    Counter counter_;
    Functions functions_;
    double log_alpha_;
    std::shared_ptr<Shared> shared_;
    std::vector<int> members_;
};

class CountedTest : public PairTest {
   public:
    CountedTest(const Table& table, bool pearson, DegreesOfFreedom rule, double alpha)
        : table_(table), contingency_(table), pearson_(pearson), rule_(rule), log_alpha_(std::log(alpha)) {}

    Decision of(int x, int y, std::span<const int> given) override {
        double R = table_.arity(x), C = table_.arity(y), strata = strata_of(given);
        if (R == 1.0 || C == 1.0) return {};
        if (rule_ == DegreesOfFreedom::adjusted && static_cast<double>(table_.total()) < 5.0 * R * C * strata)
            return {};
        bool plain = rule_ == DegreesOfFreedom::plain;
        if (plain && std::isinf((R - 1.0) * (C - 1.0) * strata)) return {};
        ContingencyStatistics found = contingency_.of(x, y, given);
        double df = plain ? (R - 1.0) * (C - 1.0) * strata : found.adjusted_df;
        Decision decision = by_p_value(log_chi_square_tail(pearson_ ? found.x2 : found.g2, df), log_alpha_);
        decision.reliable = may_be_reliable(x, y, given);
        return decision;
    }

    bool may_be_reliable(int x, int y, std::span<const int> given) const override {
        double cells = static_cast<double>(table_.arity(x)) * table_.arity(y) * strata_of(given);
        return rule_ != DegreesOfFreedom::observed || static_cast<double>(table_.total()) >= cells;
    }

   private:
    double strata_of(std::span<const int> given) const {
        double strata = 1.0;
        for (int z : given) strata *= table_.arity(z);
        return strata;
    }

    const Table& table_;
    Contingency contingency_;
    bool pearson_;
    DegreesOfFreedom rule_;
    double log_alpha_;
};

class Correlation : public PairTest {
   public:
    Correlation(const double* scatter, int variables, double n, CorrelationTest kind, double alpha)
        : correlations_(scatter, variables, n), n_(n), kind_(kind), log_alpha_(std::log(alpha)) {}

    Decision of(int x, int y, std::span<const int> given) override {
        PartialCorrelation found = correlations_.of(x, y, given);
        double df = n_ - found.rank - (kind_ == CorrelationTest::fisher_z ? 3.0 : 2.0);
        if (df <= 0.0) return {};
        if (std::fabs(found.rho) == 1.0) return {infinity, false};
        return by_p_value(log_p(found.rho, df), log_alpha_);
    }

   private:
    double log_p(double rho, double df) const {
        if (kind_ == CorrelationTest::g2) return log_chi_square_tail(-n_ * std::log1p(-rho * rho), 1.0);
        if (kind_ == CorrelationTest::student_t)
            return log_student_tail(rho * std::sqrt(df / ((1.0 - rho) * (1.0 + rho))), df);
        double z = std::fabs(std::atanh(rho)) * std::sqrt(df);
        return z < 30.0 ? std::log(std::erfc(z * std::sqrt(0.5)))
                        : log_chi_square_tail(z * z, 1.0);  // before erfc underflows
    }

    PartialCorrelations correlations_;
    double n_;
    CorrelationTest kind_;
    double log_alpha_;
};

class ScoreGain : public PairTest {
   public:
    struct Shared {
        VariableKeys keys;
        bool cached;
        SharedCache<double> scores{most_cached};
    };

    ScoreGain(std::unique_ptr<LocalScorer> scorer, double n, PriorTerms prior, std::shared_ptr<Shared> shared)
        : scorer_(std::move(scorer)), n_(n), prior_(prior), shared_(std::move(shared)) {}

    Decision of(int x, int y, std::span<const int> given) override {
        bool any_data_fits = n_ <= static_cast<double>(given.size()) + 2.0;
        double gain = std::max(added(x, y, given, any_data_fits), added(y, x, given, any_data_fits));
        return {gain, gain <= 0.0};
    }

   private:
    // The C++ version of veridag.criteria.independence.score_test: what `parent` beside the variables given adds to the
    // score of `child`.
    double added(int child, int parent, std::span<const int> given, bool any_data_fits) {
        double without = local(child, given, -1), beside = local(child, given, parent);
        if (beside == -infinity || without == infinity) return beside < without ? -infinity : 0.0;
        if (beside == infinity && any_data_fits) return 0.0;
        double gain = beside - without;
        return std::isinf(gain) || std::fabs(gain) > tie * std::max(std::fabs(beside), std::fabs(without)) ? gain : 0.0;
    }

    double local(int child, std::span<const int> given, int one_more) {
        if (!shared_->cached) return score(child, given, one_more);
        Key key = shared_->keys.subject(child) + shared_->keys.conditions(given);
        if (one_more >= 0) key = key + shared_->keys.condition(one_more);
        double value = 0.0;
        if (shared_->scores.find(key, value)) return value;
        value = score(child, given, one_more);
        shared_->scores.keep(key, value);
        return value;
    }

    double score(int child, std::span<const int> given, int one_more) {
        parents_.assign(given.begin(), given.end());
        if (one_more >= 0) parents_.insert(std::upper_bound(parents_.begin(), parents_.end(), one_more), one_more);
        double log_prior = prior_.of_family(child, parents_);
        return log_prior == -infinity ? -infinity : scorer_->local(child, parents_) + log_prior;
    }

    std::unique_ptr<LocalScorer> scorer_;
    double n_;
    PriorTerms prior_;
    std::shared_ptr<Shared> shared_;
    std::vector<int> parents_;
};

}  // namespace

TestFactory g2_test(const Table& table, double alpha) {
    std::shared_ptr<EntropyG2::Shared> shared(new EntropyG2::Shared{VariableKeys(table.variables())});
    return [&table, alpha, shared] { return std::make_unique<EntropyG2>(table, alpha, shared); };
}

TestFactory contingency_test(const Table& table, bool pearson, DegreesOfFreedom rule, double alpha) {
    return [&table, pearson, rule, alpha] { return std::make_unique<CountedTest>(table, pearson, rule, alpha); };
}

TestFactory correlation_test(const double* scatter, int variables, double n, CorrelationTest kind, double alpha) {
    return [=] { return std::make_unique<Correlation>(scatter, variables, n, kind, alpha); };
}

TestFactory score_test(BatchScorer::Factory make, int variables, double n, PriorTerms prior, bool cached) {
    std::shared_ptr<ScoreGain::Shared> shared(new ScoreGain::Shared{VariableKeys(variables), cached});
    return [=] { return std::make_unique<ScoreGain>(make(), n, prior, shared); };
}

}  // namespace veridag
