#include "independence/decision.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "counts/strata.hpp"
#include "elementary.hpp"
#include "independence/partial_correlation.hpp"
#include "independence/tails.hpp"
#include "scores/ties.hpp"

namespace veridag {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t most_cached = std::size_t{1} << 22;  // 200 MB

// `Correlations` finds them, and knows from how many observations.
template <class Correlations>
class Correlation : public PairTest {
   public:
    Correlation(Correlations correlations, CorrelationTest kind, double alpha)
        : correlations_(std::move(correlations)), kind_(kind), log_alpha_(elementary::log(alpha)) {}

    Decision of(int x, int y, std::span<const int> given) override {
        PartialCorrelation found = correlations_.of(x, y, given);
        double df = correlations_.n() - found.rank - (kind_ == CorrelationTest::fisher_z ? 3.0 : 2.0);
        if (df <= 0.0) return {};
        if (std::fabs(found.rho) == 1.0) return {infinity, false};
        return by_p_value(log_p(found.rho, df), log_alpha_);
    }

   private:
    double log_p(double rho, double df) const {
        if (kind_ == CorrelationTest::g2)
            return log_chi_square_tail(-correlations_.n() * elementary::log1p(-rho * rho), 1.0);
        if (kind_ == CorrelationTest::student_t)
            return log_student_tail(rho * std::sqrt(df / ((1.0 - rho) * (1.0 + rho))), df);
        double size = std::fabs(rho), z = 0.5 * elementary::log1p(2.0 * size / (1.0 - size));  // artanh
        return log_chi_square_tail(z * z * df, 1.0);  // of a normal variable's square
    }

    Correlations correlations_;
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

    ScoreGain(std::unique_ptr<LocalScorer> scorer, const PerfectFit& fit, PriorTerms prior,
              std::shared_ptr<Shared> shared)
        : scorer_(std::move(scorer)), fit_(fit), prior_(prior), shared_(std::move(shared)) {
        if (fit_.table) strata_ = std::make_unique<StrataCache>(*fit_.table);
    }

    Decision of(int x, int y, std::span<const int> given) override {
        double gain = std::max(added(x, y, given), added(y, x, given));
        return {gain, gain <= 0.0};
    }

   private:
    // The C++ version of veridag.criteria.independence.score_test: what `parent` beside the variables given adds to the
    // score of `child`.
    double added(int child, int parent, std::span<const int> given) {
        double without = local(child, given, -1), beside = local(child, given, parent);
        if (beside == -infinity || without == infinity) return beside < without ? -infinity : 0.0;
        if (beside == infinity && any_data_fits(child, parent, given)) return 0.0;
        double gain = beside - without;
        return std::isinf(gain) || std::fabs(gain) > tie * std::max(std::fabs(beside), std::fabs(without)) ? gain : 0.0;
    }

    bool any_data_fits(int x, int y, std::span<const int> given) {
        members_.assign(given.begin(), given.end());
        members_.insert(members_.end(), {x, y});
        if (!strata_) {
            int columns = 0;
            for (int v : members_) columns += fit_.widths[at(v)];
            return fit_.n <= columns;
        }
        const MixedTable& table = strata_->table();
        std::erase_if(members_, [&](int v) { return !table.is_discrete(v); });
        auto continuous = static_cast<double>(given.size() + 2 - members_.size());
        for (int& v : members_) v = table.place(v);
        std::sort(members_.begin(), members_.end());
        auto n = strata_->of(members_).n();
        return *std::min_element(n.begin(), n.end()) <= continuous;
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
    PerfectFit fit_;
    PriorTerms prior_;
    std::shared_ptr<Shared> shared_;
    std::unique_ptr<StrataCache> strata_;
    std::vector<int> parents_, members_;
};

}  // namespace

TestFactory correlation_test(const double* scatter, int variables, double n, CorrelationTest kind, double alpha) {
    using Test = Correlation<PartialCorrelations>;
    return [=] { return std::make_unique<Test>(PartialCorrelations(scatter, variables, n), kind, alpha); };
}

TestFactory correlation_test(std::shared_ptr<const ObservedMoments> moments, CorrelationTest kind, double alpha) {
    using Test = Correlation<ObservedCorrelations>;
    return [=] { return std::make_unique<Test>(ObservedCorrelations(moments), kind, alpha); };
}

TestFactory score_test(BatchScorer::Factory make, const PerfectFit& fit, PriorTerms prior, bool cached) {
    auto variables = static_cast<int>(fit.widths.size());
    std::shared_ptr<ScoreGain::Shared> shared(new ScoreGain::Shared{VariableKeys(variables), cached});
    return [=] { return std::make_unique<ScoreGain>(make(), fit, prior, shared); };
}

}  // namespace veridag
