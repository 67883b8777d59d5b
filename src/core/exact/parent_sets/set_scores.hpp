// Scores of all families that are made of one set of variables: each member in turn is the child of the others. For
// discrete data local(v | S) = A(S + v) - B(S) + a term of the numbers of states, where A and B are sums over the
// counts of a set. So a set is counted once for all its families, and B is cached until the set is met again as
// parents.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "scores/batch.hpp"
#include "scores/gaussian.hpp"

namespace veridag {

constexpr double no_bound = std::numeric_limits<double>::infinity();

// As one thread uses it.
class SetScorer {
   public:
    virtual ~SetScorer() = default;

    // How many numbers are cached of a set for the families that have it as parents.
    virtual std::size_t width() const { return 0; }

    // How many sets a thread takes at a time.
    virtual std::size_t sets_a_task() const { return 64; }

    // The set, in ascending order, that the calls below are about, until the next one. `company`: see SetCounter.
    virtual void take(std::span<const int> set, std::size_t company) = 0;

    // What is cached of the set.
    virtual void values(double* out) { static_cast<void>(out); }

    // The local score of the set's member at `child`, the others being its parents, of which `parents` was cached.
    virtual double local(std::size_t child, const double* parents) = 0;

    // The most that the score of the child can be with these parents and `more` others; `most_likely` as below.
    virtual double bound(std::size_t child, const double* parents, std::size_t more, double most_likely) {
        static_cast<void>(child), static_cast<void>(parents), static_cast<void>(more), static_cast<void>(most_likely);
        return no_bound;
    }

    // A bound for the log-likelihood of the child whatever its parents, of those that are allowed.
    virtual double most_likely(int child, std::span<const int> allowed) {
        static_cast<void>(child), static_cast<void>(allowed);
        return no_bound;
    }

    // By how much, at least, the child is better off without `removed` among its parents, however many others there are
    // beside them; `parents` and `rest` were cached of the parents and of the parents without `removed`. The set need
    // not be taken.
    virtual double gain_of_removal(std::span<const int> set, std::size_t child, std::size_t removed,
                                   const double* parents, const double* rest) {
        static_cast<void>(set), static_cast<void>(child), static_cast<void>(removed), static_cast<void>(parents),
            static_cast<void>(rest);
        return -no_bound;
    }

    // Scores that differ by less than this are the same up to rounding.
    virtual double rounding(double score) const { return 1e-12 * std::max(1.0, std::abs(score)); }
};

using SetScorerFactory = std::function<std::unique_ptr<SetScorer>()>;

// Null if there is nothing quicker than `make_set_scorer` for the score.
std::unique_ptr<SetScorer> make_discrete_set_scorer(const Table& table, const std::string& name,
                                                    std::span<const double> parameters);

// LogLik, AIC or BIC of Gaussian data; null for others.
std::unique_ptr<SetScorer> make_gaussian_set_scorer(const std::string& name, std::span<const double> parameters,
                                                    const GaussianData& data);

// Any other score, family by family and without bounds.
std::unique_ptr<SetScorer> make_set_scorer(std::unique_ptr<LocalScorer> scorer);

}  // namespace veridag
