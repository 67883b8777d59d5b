#include <cmath>
#include <limits>
#include <numbers>

#include "check.hpp"
#include "scores/gaussian.hpp"

using namespace veridag;

TEST(what_rounding_leaves_of_a_linear_function_is_no_variance) {
    double just_above = std::nextafter(std::nextafter(1.0 / 9.0, 1.0), 1.0);
    std::vector<double> matrix{1.0, 1.0 / 3.0, 1.0 / 3.0, just_above};
    std::vector<int> parent{0};
    CHECK(SubmatrixCholesky(matrix.data(), 2, 0.0).pivots(parent, 1).back() > 0.0);
    CHECK_EQUAL(SubmatrixCholesky(matrix.data(), 2, singular).pivots(parent, 1).back(), 0.0);
}

TEST(a_gaussian_family_has_a_slope_a_parent_an_intercept_and_a_variance) {
    std::vector<double> scatter{4.0, 2.0, 2.0, 3.0};  // the residual of the second is 3 - 2 * 2 / 4 = 2
    double n = 10.0, log_likelihood = -0.5 * n * (std::log(2.0 * std::numbers::pi * 2.0 / n) + 1.0);
    GaussianData data{scatter.data(), 2, n};
    std::vector<int> parent{0};
    std::vector<double> gamma{0.0};
    CHECK_NEAR(make_gaussian_score("loglik", {}, data)->local(1, parent), log_likelihood, 1e-12);
    CHECK_NEAR(make_gaussian_score("aic", {}, data)->local(1, parent), log_likelihood - 3.0, 1e-12);
    CHECK_NEAR(make_gaussian_score("bic", gamma, data)->local(1, parent), log_likelihood - 1.5 * std::log(n), 1e-12);
}
