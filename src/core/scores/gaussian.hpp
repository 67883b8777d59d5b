// Scores of Gaussian families, the C++ versions of the formulas in src/veridag/criteria/scores: functions of the
// scatter matrix of the data.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "index.hpp"

namespace veridag {

// A residual below this share of a variable's own scatter is zero; the same as in veridag.statistics.
constexpr double singular = 1e-10;

// The same for a posterior matrix, in which a prior may keep a small residual apart from rounding.
constexpr double drowned = 1e-13;

// A symmetric matrix of which families are submatrices, and the memory for factoring them.
class SubmatrixCholesky {
   public:
    SubmatrixCholesky(const double* matrix, int n, double threshold);

    // The squared diagonal of the Cholesky factor of the submatrix of `variables` and last `child`: what each variable
    // varies around its regression on those before it. A pivot below `threshold` times the variable's own is zero, and
    // it is passed over. Valid until the next call.
    std::span<const double> pivots(std::span<const int> variables, int child);

    // The same with each of several candidates between `variables` and `child`: calls visit(i, own, last), where `own`
    // is the pivot of candidate i and `last` then the child's. Those of `variables` are in the result.
    template <class Visit>
    std::span<const double> extended_pivots(std::span<const int> variables, int child, std::span<const int> candidates,
                                            Visit visit);

   private:
    // What is left of each candidate's own scatter, and of that with the child, after their regression on `variables`.
    void regress(std::span<const int> variables, int child, std::span<const int> candidates);

    static constexpr std::size_t block = 128;  // candidates at a time

    const double* matrix_;
    std::size_t n_;
    double threshold_;
    std::vector<double> diagonal_, work_, pivots_;
    std::vector<double> rows_, own_, shared_;  // of a block of candidates
};

template <class Visit>
std::span<const double> SubmatrixCholesky::extended_pivots(std::span<const int> variables, int child,
                                                           std::span<const int> candidates, Visit visit) {
    std::span<const double> without = pivots(variables, child);
    for (std::size_t start = 0; start < candidates.size(); start += block) {
        auto some = candidates.subspan(start, std::min(block, candidates.size() - start));
        regress(variables, child, some);
        for (std::size_t i = 0; i < some.size(); ++i) {
            double own = own_[i], last = without.back();
            if (own <= threshold_ * diagonal_[at(some[i])]) {
                own = 0.0;
            } else if (last > 0.0) {
                last -= shared_[i] / own * shared_[i];
                if (last <= threshold_ * diagonal_[at(child)]) last = 0.0;
            }
            visit(start + i, own, last);
        }
    }
    return without;
}

class GaussianScore {
   public:
    virtual ~GaussianScore() = default;
    virtual double local(int child, std::span<const int> parents) = 0;
    // With each of several candidates as one more parent.
    virtual void extended(int child, std::span<const int> parents, std::span<const int> candidates, double* out) = 0;
};

struct GaussianData {
    const double* scatter;  // variables x variables
    int variables;
    double n;
};

// "loglik", "aic" or "bic" (gamma); throws std::invalid_argument if there is no such score.
std::unique_ptr<GaussianScore> make_gaussian_score(const std::string& name, std::span<const double> parameters,
                                                   const GaussianData& data);

// BGe with prior matrix T and posterior matrix R, both variables x variables.
std::unique_ptr<GaussianScore> make_bge(const double* prior, const double* posterior, double iss_mu, double iss_w,
                                        const GaussianData& data);

}  // namespace veridag
