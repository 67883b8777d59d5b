// Scores of Gaussian families, the C++ versions of the formulas in src/veridag/criteria/scores: functions of the
// scatter matrix of the data.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace veridag {

// A residual below this share of a variable's own scatter is zero; the same as in veridag.statistics.
constexpr double singular = 1e-10;

// A symmetric matrix of which families are submatrices, and the memory for factoring them.
class SubmatrixCholesky {
   public:
    SubmatrixCholesky(const double* matrix, int n, double threshold)
        : matrix_(matrix), n_(static_cast<std::size_t>(n)), threshold_(threshold) {}

    // The squared diagonal of the Cholesky factor of the submatrix of `variables` and last `child`: what each variable
    // varies around its regression on those before it. A pivot below `threshold` times the variable's own is zero, and
    // it is passed over. Valid until the next call.
    std::span<const double> pivots(std::span<const int> variables, int child);

   private:
    const double* matrix_;
    std::size_t n_;
    double threshold_;
    std::vector<double> work_, pivots_;
};

class GaussianScore {
   public:
    virtual ~GaussianScore() = default;
    virtual double local(int child, std::span<const int> parents) = 0;
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
