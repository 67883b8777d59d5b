#include "scores/gaussian.hpp"

#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>

#include "scores/functions.hpp"

namespace veridag {

std::span<const double> SubmatrixCholesky::pivots(std::span<const int> variables, int child) {
    std::size_t k = variables.size() + 1;
    auto member = [&](std::size_t i) { return static_cast<std::size_t>(i + 1 == k ? child : variables[i]); };
    work_.resize(k * k);
    pivots_.resize(k);
    for (std::size_t i = 0; i < k; ++i) {
        for (std::size_t j = i; j < k; ++j) work_[i * k + j] = matrix_[member(i) * n_ + member(j)];
    }
    for (std::size_t p = 0; p < k; ++p) {
        double pivot = work_[p * k + p];
        if (pivot <= threshold_ * matrix_[member(p) * n_ + member(p)]) {
            pivots_[p] = 0.0;
            continue;
        }
        pivots_[p] = pivot;
        for (std::size_t i = p + 1; i < k; ++i) {
            double factor = work_[p * k + i] / pivot;
            for (std::size_t j = i; j < k; ++j) work_[i * k + j] -= factor * work_[p * k + j];
        }
    }
    return pivots_;
}

namespace {

class PenalisedRegression : public GaussianScore {
   public:
    PenalisedRegression(const GaussianData& data, double penalty)
        : cholesky_(data.scatter, data.variables, singular), n_(data.n), penalty_(penalty) {}

    double local(int child, std::span<const int> parents) override {
        double variance = cholesky_.pivots(parents, child).back() / n_;
        if (variance == 0.0) return std::numeric_limits<double>::infinity();
        double log_likelihood = -0.5 * n_ * (std::log(2.0 * std::numbers::pi * variance) + 1.0);
        return log_likelihood - penalty_ * static_cast<double>(parents.size() + 2);
    }

   private:
    SubmatrixCholesky cholesky_;
    double n_, penalty_;
};

// Geiger and Heckerman (2002), as corrected by Kuipers et al. (2014); see veridag.scores.bge for the formula.
class BGe : public GaussianScore {
   public:
    BGe(const double* prior, const double* posterior, double iss_mu, double iss_w, const GaussianData& data)
        : prior_(prior, data.variables, 0.0),  // positive definite, however small a pivot is
          posterior_(posterior, data.variables, 0.0),
          n_(data.n),
          free_(iss_w - data.variables),
          constant_(0.5 * std::log(iss_mu / (data.n + iss_mu)) - 0.5 * data.n * std::log(std::numbers::pi)) {}

    double local(int child, std::span<const int> parents) override {
        double l = static_cast<double>(parents.size());
        double a = free_ + l;
        auto [prior_parents, prior_child] = log_determinant(prior_.pivots(parents, child));
        auto [posterior_parents, posterior_child] = log_determinant(posterior_.pivots(parents, child));
        // |T_{i,P}| = |T_P| times the last pivot, and so for R.
        return constant_ + log_gamma(0.5 * (n_ + a + 1.0)) - log_gamma(0.5 * (a + 1.0)) + 0.5 * prior_parents +
               0.5 * (a + 1.0) * prior_child - 0.5 * posterior_parents - 0.5 * (n_ + a + 1.0) * posterior_child;
    }

   private:
    static std::pair<double, double> log_determinant(std::span<const double> pivots) {
        double parents = 0.0;
        for (std::size_t i = 0; i + 1 < pivots.size(); ++i) parents += std::log(pivots[i]);
        return {parents, std::log(pivots.back())};
    }

    SubmatrixCholesky prior_, posterior_;
    double n_, free_, constant_;
};

}  // namespace

std::unique_ptr<GaussianScore> make_gaussian_score(const std::string& name, std::span<const double> parameters,
                                                   const GaussianData& data) {
    if (name == "loglik") return std::make_unique<PenalisedRegression>(data, 0.0);
    if (name == "aic") return std::make_unique<PenalisedRegression>(data, 1.0);
    if (name == "bic" && parameters.size() == 1) {
        return std::make_unique<PenalisedRegression>(
            data, 0.5 * std::log(data.n) + parameters[0] * std::log(static_cast<double>(data.variables)));
    }
    throw std::invalid_argument("the core has no Gaussian score '" + name + "'");
}

std::unique_ptr<GaussianScore> make_bge(const double* prior, const double* posterior, double iss_mu, double iss_w,
                                        const GaussianData& data) {
    return std::make_unique<BGe>(prior, posterior, iss_mu, iss_w, data);
}

}  // namespace veridag
