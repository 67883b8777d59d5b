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

TEST(families_that_are_scored_side_by_side_have_the_scores_that_they_have_alone) {
    // A child, and candidates of two and of three states.
    std::vector<std::vector<std::uint8_t>> columns(4);
    std::vector<StateArray> states;
    for (std::size_t v = 0; v < columns.size(); ++v) {
        for (std::size_t i = 0; i < 60; ++i)
            columns[v].push_back(static_cast<std::uint8_t>(i * (i + v) / 2 % (2 + v % 2)));
        states.emplace_back(columns[v].data());
    }
    std::vector<int> arities{2, 3, 2, 3}, candidates{1, 2, 3};
    Table table(states, arities, 60, nullptr);
    for (const auto& [name, parameters] : std::map<std::string, std::vector<double>>{{"bdeu", {2.0}}, {"k2", {}}}) {
        auto formula = make_discrete_score(name, parameters, 4);
        Functions functions;
        std::vector<double> together(candidates.size());
        auto visit = [&](Tile& tile) {
            formula->sweep(tile, functions, together.data());
            for (std::size_t i = 0; i < tile.size(); ++i)
                CHECK_NEAR(together[tile.place(i)], formula->local(tile.counts(i), functions), 1e-12);
        };
        CHECK(Sweep(table).run(0, {}, candidates, visit));
    }
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
