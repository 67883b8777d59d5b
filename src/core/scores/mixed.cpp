#include "scores/mixed.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "scores/functions.hpp"
#include "scores/gaussian.hpp"

namespace veridag {
namespace {

// The moments of a few variables in the strata: the scatter of all pairs, and the squared diagonal of its Cholesky
// factor in one stratum after the other.
class StratumPivots {
   public:
    // Parents first, the child last.
    void take(Strata& strata, std::span<const int> parents, int child) {
        members_.assign(parents.begin(), parents.end());
        members_.push_back(child);
        std::size_t k = members_.size();
        scatter_.clear();
        for (std::size_t a = 0; a < k; ++a) {
            for (std::size_t b = a; b < k; ++b) scatter_.push_back(strata.scatter(members_[a], members_[b]));
        }
        work_.resize(k * k);
        pivots_.resize(k);
        own_.resize(k);
    }

    std::span<const int> members() const { return members_; }

    // Those of stratum j, with `more(a, b)` added to the scatter of members a and b. A pivot that is no more than
    // `threshold` of the variable's own scatter is zero, and it is passed over.
    template <class More>
    std::span<const double> in(std::size_t j, double threshold, More more) {
        std::size_t k = members_.size(), pair = 0;
        for (std::size_t a = 0; a < k; ++a) {
            for (std::size_t b = a; b < k; ++b) work_[a * k + b] = scatter_[pair++][j] + more(a, b);
        }
        for (std::size_t p = 0; p < k; ++p) own_[p] = work_[p * k + p];
        for (std::size_t p = 0; p < k; ++p) {
            double pivot = work_[p * k + p];
            if (pivot <= threshold * own_[p]) {
                pivots_[p] = 0.0;
                continue;
            }
            pivots_[p] = pivot;
            for (std::size_t a = p + 1; a < k; ++a) {
                double factor = work_[p * k + a] / pivot;
                for (std::size_t b = a; b < k; ++b) work_[a * k + b] -= factor * work_[p * k + b];
            }
        }
        return pivots_;
    }

   private:
    std::vector<int> members_;
    std::vector<const double*> scatter_;
    std::vector<double> work_, pivots_, own_;
};

constexpr double infinity = std::numeric_limits<double>::infinity();

class StratifiedLikelihood : public StratifiedScore {
   public:
    explicit StratifiedLikelihood(double penalty) : penalty_(penalty) {}

    double local(Strata& strata, int child, std::span<const int> parents) override {
        pivots_.take(strata, parents, child);
        double sum = 0.0;
        for (std::size_t j = 0; j < strata.size(); ++j) {
            double n = strata.n()[j];
            double variance = pivots_.in(j, singular, [](std::size_t, std::size_t) { return 0.0; }).back() / n;
            if (variance == 0.0) return infinity;
            sum += n * (std::log(2.0 * std::numbers::pi * variance) + 1.0);
        }
        double parameters = strata.configurations() * static_cast<double>(parents.size() + 2);
        return -0.5 * sum - (penalty_ > 0.0 ? penalty_ * parameters : 0.0);
    }

   private:
    double penalty_;
    StratumPivots pivots_;
};

// See veridag.criteria.scores.bge for the formula.
class StratifiedBGe : public StratifiedScore {
   public:
    explicit StratifiedBGe(const StratifiedPrior& prior)
        : prior_(prior), scale_(prior.scale, prior.variables, 0.0), free_(prior.iss_w - prior.variables) {}

    double local(Strata& strata, int child, std::span<const int> parents) override {
        pivots_.take(strata, parents, child);
        std::span<const int> members = pivots_.members();
        std::size_t k = members.size();
        means_.clear();
        for (int v : members) means_.push_back(strata.mean(v));
        shift_.resize(k);
        double l = static_cast<double>(parents.size()), a = free_ + l;
        auto [log_t_parents, log_t_child] = log_determinant(scale_.pivots(parents, child));
        double of_prior = 0.5 * log_t_parents + 0.5 * (a + 1.0) * log_t_child - log_gamma(0.5 * (a + 1.0)) +
                          0.5 * std::log(prior_.iss_mu);
        double sum = 0.0;
        for (std::size_t j = 0; j < strata.size(); ++j) {
            double n = strata.n()[j], weight = prior_.weight(n);
            for (std::size_t i = 0; i < k; ++i) shift_[i] = means_[i][j] - prior_.mean[at(members[i])];
            auto more = [&](std::size_t x, std::size_t y) {
                return prior_.scale[at(members[x], members[y], prior_.variables)] + weight * shift_[x] * shift_[y];
            };
            auto [log_r_parents, log_r_child] = log_determinant(pivots_.in(j, drowned, more));
            sum += of_prior - 0.5 * std::log(n + prior_.iss_mu) - 0.5 * n * std::log(std::numbers::pi) +
                   log_gamma(0.5 * (n + a + 1.0)) - 0.5 * log_r_parents - 0.5 * (n + a + 1.0) * log_r_child;
        }
        return sum;
    }

   private:
    // The logarithms of the determinant of the parents' submatrix and of the child's pivot.
    static std::pair<double, double> log_determinant(std::span<const double> pivots) {
        double parents = 0.0;
        for (std::size_t i = 0; i + 1 < pivots.size(); ++i) parents += std::log(pivots[i]);
        return {parents, std::log(pivots.back())};
    }

    StratifiedPrior prior_;
    SubmatrixCholesky scale_;
    double free_;
    StratumPivots pivots_;
    std::vector<const double*> means_;
    std::vector<double> shift_;
};

}  // namespace

std::unique_ptr<StratifiedScore> make_stratified_likelihood(double penalty) {
    return std::make_unique<StratifiedLikelihood>(penalty);
}

std::unique_ptr<StratifiedScore> make_stratified_bge(const StratifiedPrior& prior) {
    return std::make_unique<StratifiedBGe>(prior);
}

MixedLocalScorer::MixedLocalScorer(const MixedTable& table, std::unique_ptr<LocalScorer> discrete,
                                   std::unique_ptr<LocalScorer> gaussian, std::unique_ptr<StratifiedScore> stratified)
    : table_(table),
      strata_(table),
      discrete_(std::move(discrete)),
      gaussian_(std::move(gaussian)),
      stratified_(std::move(stratified)) {}

void MixedLocalScorer::split(std::span<const int> parents) {
    discrete_parents_.clear();
    continuous_parents_.clear();
    for (int p : parents) (table_.is_discrete(p) ? discrete_parents_ : continuous_parents_).push_back(table_.place(p));
    // Callers may give the parents of one family in any order.
    std::sort(discrete_parents_.begin(), discrete_parents_.end());
    std::sort(continuous_parents_.begin(), continuous_parents_.end());
}

double MixedLocalScorer::local(int child, std::span<const int> parents) {
    split(parents);
    int place = table_.place(child);
    if (table_.is_discrete(child)) return of_discrete(place, discrete_parents_, continuous_parents_);
    return of_continuous(place, discrete_parents_, continuous_parents_);
}

double MixedLocalScorer::of_continuous(int child, std::span<const int> discrete, std::span<const int> continuous) {
    if (discrete.empty()) return gaussian_->local(child, continuous);
    return stratified_->local(strata_.of(discrete), child, continuous);
}

double MixedLocalScorer::of_discrete(int child, std::span<const int> discrete, std::span<const int> continuous) {
    double score = discrete_->local(child, discrete);
    if (continuous.empty()) return score;
    with_child_.assign(discrete.begin(), discrete.end());
    with_child_.insert(std::lower_bound(with_child_.begin(), with_child_.end(), child), child);
    for (std::size_t i = 0; i < continuous.size(); ++i) {
        double beside = of_continuous(continuous[i], with_child_, continuous.first(i));
        if (beside == infinity) return infinity;
        score += beside - of_continuous(continuous[i], discrete, continuous.first(i));
    }
    return score;
}

void MixedLocalScorer::extended(int child, std::span<const int> parents, std::span<const int> candidates, double* out) {
    split(parents);
    for (Candidates* kind : {&discrete_candidates_, &continuous_candidates_}) {
        kind->places.clear();
        kind->at.clear();
    }
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        Candidates& kind = table_.is_discrete(candidates[i]) ? discrete_candidates_ : continuous_candidates_;
        kind.places.push_back(table_.place(candidates[i]));
        kind.at.push_back(i);
    }
    if (table_.is_discrete(child)) {
        extended_discrete(table_.place(child), out);
    } else {
        extended_continuous(table_.place(child), out);
    }
}

void MixedLocalScorer::extended_discrete(int child, double* out) {
    if (continuous_parents_.empty()) {
        Candidates& own = discrete_candidates_;
        own.scores.resize(own.places.size());
        discrete_->extended(child, discrete_parents_, own.places, own.scores.data());
        for (std::size_t i = 0; i < own.at.size(); ++i) out[own.at[i]] = own.scores[i];
    } else {
        each(discrete_candidates_, discrete_parents_, out,
             [&](std::span<const int> family) { return of_discrete(child, family, continuous_parents_); });
    }
    each(continuous_candidates_, continuous_parents_, out,
         [&](std::span<const int> family) { return of_discrete(child, discrete_parents_, family); });
}

void MixedLocalScorer::extended_continuous(int child, double* out) {
    if (discrete_parents_.empty()) {
        Candidates& own = continuous_candidates_;
        own.scores.resize(own.places.size());
        gaussian_->extended(child, continuous_parents_, own.places, own.scores.data());
        for (std::size_t i = 0; i < own.at.size(); ++i) out[own.at[i]] = own.scores[i];
    } else {
        each(continuous_candidates_, continuous_parents_, out,
             [&](std::span<const int> family) { return of_continuous(child, discrete_parents_, family); });
    }
    each(discrete_candidates_, discrete_parents_, out,
         [&](std::span<const int> family) { return of_continuous(child, family, continuous_parents_); });
}

template <class Score>
void MixedLocalScorer::each(const Candidates& candidates, std::span<const int> parents, double* out, Score score) {
    for (std::size_t i = 0; i < candidates.at.size(); ++i) {
        int u = candidates.places[i];
        family_.assign(parents.begin(), parents.end());
        family_.insert(std::lower_bound(family_.begin(), family_.end(), u), u);
        out[candidates.at[i]] = score(family_);
    }
}

}  // namespace veridag
