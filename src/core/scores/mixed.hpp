// Scores of families in a table of discrete and continuous variables: the conditional linear Gaussian, in which a
// continuous variable has a regression in each configuration of its discrete parents. A discrete variable with
// continuous parents has the score that follows from the others by Bayes' rule, so that equivalent networks have the
// same score. The C++ versions of the formulas in src/veridag/criteria/scores.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "counts/strata.hpp"
#include "scores/batch.hpp"

namespace veridag {

// The score of a continuous variable with at least one discrete parent, from what is in the strata of these.
class StratifiedScore {
   public:
    virtual ~StratifiedScore() = default;
    // `parents` are the continuous ones; all are places among the continuous variables.
    virtual double local(Strata& strata, int child, std::span<const int> parents) = 0;
};

// The likelihood less a penalty for each parameter: a slope for each continuous parent, an intercept and a variance in
// each possible configuration. Infinite if a stratum leaves no residuals.
std::unique_ptr<StratifiedScore> make_stratified_likelihood(double penalty);

// BGe in each stratum that has observations, with the same prior matrix T (variables x variables) and mean in all.
struct StratifiedPrior {
    const double* scale;
    const double* mean;
    int variables;
    double iss_mu, iss_w;

    // n iss_mu / (n + iss_mu), whose product may be too large for a double.
    double weight(double n) const {
        double less = std::min(n, iss_mu), more = std::max(n, iss_mu);
        return less / (1.0 + less / more);
    }
};
std::unique_ptr<StratifiedScore> make_stratified_bge(const StratifiedPrior& prior);

// Families by their kind: discrete ones and Gaussian ones go to the scores of such variables, which know them by place.
class MixedLocalScorer : public LocalScorer {
   public:
    MixedLocalScorer(const MixedTable& table, std::unique_ptr<LocalScorer> discrete,
                     std::unique_ptr<LocalScorer> gaussian, std::unique_ptr<StratifiedScore> stratified);

    double local(int child, std::span<const int> parents) override;
    void extended(int child, std::span<const int> parents, std::span<const int> candidates, double* out) override;

   private:
    // Candidates of one kind: their places among the variables of their kind, and among the candidates.
    struct Candidates {
        std::vector<int> places;
        std::vector<std::size_t> at;
        std::vector<double> scores;
    };

    // The places of the parents of each kind, ascending.
    void split(std::span<const int> parents);
    // Places, ascending.
    double of_continuous(int child, std::span<const int> discrete, std::span<const int> continuous);
    double of_discrete(int child, std::span<const int> discrete, std::span<const int> continuous);
    void extended_discrete(int child, double* out);
    void extended_continuous(int child, double* out);
    // score(parents with one of the candidates), for each of them.
    template <class Score>
    void each(const Candidates& candidates, std::span<const int> parents, double* out, Score score);

    const MixedTable& table_;
    StrataCache strata_;
    std::unique_ptr<LocalScorer> discrete_, gaussian_;
    std::unique_ptr<StratifiedScore> stratified_;
    std::vector<int> discrete_parents_, continuous_parents_, family_, with_child_;
    Candidates discrete_candidates_, continuous_candidates_;
};

}  // namespace veridag
