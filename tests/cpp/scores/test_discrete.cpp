// The scores of a family by hand: four configurations of its parents, two of which do not occur, and three states.
#include <array>
#include <cmath>
#include <map>
#include <string>

#include "check.hpp"
#include "scores/discrete.hpp"

using namespace veridag;

namespace {

constexpr std::array<Count, 12> cells{5, 1, 0, 0, 0, 0, 2, 3, 9, 0, 0, 0};
constexpr std::array<Count, 4> configurations{6, 0, 14, 0};
constexpr double r = 3.0, q = 4.0, n = 20.0;

double score(const std::string& name, const std::vector<double>& parameters = {}) {
    Functions functions;
    FamilyCounts family{3, q, std::log(q), 20, cells, configurations};
    return make_discrete_score(name, parameters, 5)->local(family, functions);
}

double log_likelihood() {
    double sum = 0.0;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        auto own = static_cast<double>(cells[i]);
        if (own > 0.0) sum += own * std::log(own / static_cast<double>(configurations[i / 3]));
    }
    return sum;
}

// With the same alpha in every cell.
double dirichlet(double alpha) {
    double sum = 0.0;
    for (Count own : cells) sum += std::lgamma(alpha + static_cast<double>(own)) - std::lgamma(alpha);
    for (Count own : configurations) sum -= std::lgamma(r * alpha + static_cast<double>(own)) - std::lgamma(r * alpha);
    return sum;
}

// The complexity of a multinomial with k states, by the recurrence of Kontkanen and Myllymaki (2007).
double complexity(int size, int k) {
    double before = 1.0, now = 0.0;
    for (int h = 0; h <= size; ++h) {
        double p = static_cast<double>(h) / size,
               log_choices = std::lgamma(size + 1.0) - std::lgamma(h + 1.0) - std::lgamma(size - h + 1.0);
        now += std::exp(log_choices) * std::pow(p, h) * std::pow(1.0 - p, size - h);
    }
    for (int states = 3; states <= k; ++states) {
        double next = now + size / (states - 2.0) * before;
        before = now;
        now = next;
    }
    return std::log(k == 1 ? before : now);
}

}  // namespace

TEST(penalised_likelihoods_are_those_by_hand) {
    CHECK_NEAR(score("loglik"), log_likelihood(), 1e-12);
    CHECK_NEAR(score("aic"), log_likelihood() - 2.0 * q, 1e-12);
    CHECK_NEAR(score("bic", {0.0}), log_likelihood() - 2.0 * q * std::log(n) / 2.0, 1e-12);
    CHECK_NEAR(score("bic", {0.5}), log_likelihood() - 2.0 * q * (std::log(n) / 2.0 + 0.5 * std::log(5.0)), 1e-12);
}

TEST(dirichlet_scores_are_those_by_hand) {
    CHECK_NEAR(score("k2"), dirichlet(1.0), 1e-12);
    CHECK_NEAR(score("jeffreys"), dirichlet(0.5), 1e-12);
    CHECK_NEAR(score("bdeu", {2.0}), dirichlet(2.0 / (r * q)), 1e-12);
    CHECK_NEAR(score("bds", {2.0}), dirichlet(2.0 / (r * 2.0)), 1e-12);  // two configurations occur
}

TEST(normalised_maximum_likelihoods_are_those_by_hand) {
    CHECK_NEAR(score("fnml"), log_likelihood() - complexity(6, 3) - complexity(14, 3), 1e-10);
    CHECK_NEAR(score("qnml"), log_likelihood() - complexity(20, 12) + complexity(20, 4), 1e-10);
}
