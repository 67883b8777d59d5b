#include "scores/gaussian.hpp"

#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>

#include "index.hpp"
#include "scores/functions.hpp"

namespace veridag {

SubmatrixCholesky::SubmatrixCholesky(const double* matrix, int n, double threshold)
    : matrix_(matrix), n_(at(n)), threshold_(threshold) {
    if (!matrix) return;
    for (std::size_t i = 0; i < n_; ++i) diagonal_.push_back(matrix_[i * n_ + i]);
}

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

// Follows the same steps as `pivots`, whose rows are in the work space, for many candidates side by side.
void SubmatrixCholesky::regress(std::span<const int> variables, int child, std::span<const int> candidates) {
    std::size_t k = variables.size(), count = candidates.size();
    rows_.resize(k * block);
    own_.resize(block);
    shared_.resize(block);
    const double* child_row = matrix_ + at(child) * n_;
    for (std::size_t i = 0; i < count; ++i) {
        own_[i] = diagonal_[at(candidates[i])];
        shared_[i] = child_row[at(candidates[i])];
    }
    for (std::size_t p = 0; p < k; ++p) {
        if (pivots_[p] == 0.0) continue;
        double* row = rows_.data() + p * block;
        const double* from = matrix_ + at(variables[p]) * n_;
        for (std::size_t i = 0; i < count; ++i) row[i] = from[at(candidates[i])];
        for (std::size_t q = 0; q < p; ++q) {
            if (pivots_[q] == 0.0) continue;
            double factor = work_[q * (k + 1) + p] / pivots_[q];
            const double* before = rows_.data() + q * block;
            for (std::size_t i = 0; i < count; ++i) row[i] -= factor * before[i];
        }
        double with_child = work_[p * (k + 1) + k] / pivots_[p], inverse = 1.0 / pivots_[p];
        for (std::size_t i = 0; i < count; ++i) {
            own_[i] -= row[i] * inverse * row[i];
            shared_[i] -= with_child * row[i];
        }
    }
}

namespace {

class PenalisedRegression : public GaussianScore {
   public:
    PenalisedRegression(const GaussianData& data, double penalty)
        : cholesky_(data.scatter, data.variables, singular), n_(data.n), penalty_(penalty) {}

    double local(int child, std::span<const int> parents) override {
        return value(cholesky_.pivots(parents, child).back(), parents.size());
    }

    void extended(int child, std::span<const int> parents, std::span<const int> candidates, double* out) override {
        auto visit = [&](std::size_t i, double, double residual) { out[i] = value(residual, parents.size() + 1); };
        cholesky_.extended_pivots(parents, child, candidates, visit);
    }

   private:
    double value(double residual, std::size_t parents) const {
        double variance = residual / n_;
        if (variance == 0.0) return std::numeric_limits<double>::infinity();
        double log_likelihood = -0.5 * n_ * (std::log(2.0 * std::numbers::pi * variance) + 1.0);
        return log_likelihood - penalty_ * static_cast<double>(parents + 2);
    }

    SubmatrixCholesky cholesky_;
    double n_, penalty_;
};

// Geiger and Heckerman (2002), as corrected by Kuipers et al. (2014); see veridag.scores.bge for the formula.
class BGe : public GaussianScore {
   public:
    BGe(const double* prior, const double* posterior, double iss_mu, double iss_w, const GaussianData& data)
        : prior_(prior, data.variables, 0.0),              // positive definite, however small a pivot is
          posterior_(posterior, data.variables, drowned),  // infinite then, as other scores are
          n_(data.n),
          free_(iss_w - data.variables),
          constant_(0.5 * (std::log(iss_mu) - std::log(data.n + iss_mu)) - 0.5 * data.n * std::log(std::numbers::pi)) {}

    double local(int child, std::span<const int> parents) override {
        auto [prior_parents, prior_child] = log_determinant(prior_.pivots(parents, child));
        auto [posterior_parents, posterior_child] = log_determinant(posterior_.pivots(parents, child));
        return of_size(parents.size()) + of_prior(parents.size(), prior_parents, prior_child) -
               of_posterior(parents.size(), posterior_parents, posterior_child);
    }

    void extended(int child, std::span<const int> parents, std::span<const int> candidates, double* out) override {
        std::size_t l = parents.size() + 1;
        double size = of_size(l);
        double shared = log_determinant(prior_.pivots(parents, child)).first;
        prior_.extended_pivots(parents, child, candidates, [&](std::size_t i, double own, double last) {
            out[i] = size + of_prior(l, shared + std::log(own), std::log(last));
        });
        shared = log_determinant(posterior_.pivots(parents, child)).first;
        posterior_.extended_pivots(parents, child, candidates, [&](std::size_t i, double own, double last) {
            out[i] -= of_posterior(l, shared + std::log(own), std::log(last));
        });
    }

   private:
    // The logarithms of the determinant of the parents' submatrix and of the child's pivot: |T_{i,P}| = |T_P| times the
    // last pivot, and so for R.
    static std::pair<double, double> log_determinant(std::span<const double> pivots) {
        double parents = 0.0;
        for (std::size_t i = 0; i + 1 < pivots.size(); ++i) parents += std::log(pivots[i]);
        return {parents, std::log(pivots.back())};
    }

    double of_size(std::size_t parents) const {
        double a = free_ + static_cast<double>(parents);
        return constant_ + log_gamma(0.5 * (n_ + a + 1.0)) - log_gamma(0.5 * (a + 1.0));
    }
    double of_prior(std::size_t parents, double log_parents, double log_child) const {
        return 0.5 * log_parents + 0.5 * (free_ + static_cast<double>(parents) + 1.0) * log_child;
    }
    double of_posterior(std::size_t parents, double log_parents, double log_child) const {
        return 0.5 * log_parents + 0.5 * (n_ + free_ + static_cast<double>(parents) + 1.0) * log_child;
    }

    SubmatrixCholesky prior_, posterior_;
    double n_, free_, constant_;
};

}  // namespace

std::unique_ptr<GaussianScore> make_gaussian_score(const std::string& name, std::span<const double> parameters,
                                                   const GaussianData& data) {
    if (name == "loglik") return std::make_unique<PenalisedRegression>(data, 0.0);
    if (name == "aic") return std::make_unique<PenalisedRegression>(data, 1.0);
    if (name == "penalised" && parameters.size() == 1)
        return std::make_unique<PenalisedRegression>(data, parameters[0]);
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
