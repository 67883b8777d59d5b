#include "counts/expected.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "check.hpp"
#include "scores/expected.hpp"

using namespace veridag;

namespace {

// Eight variables of three states, v with the parents v - 1 and v - 3; a third of the values are missing.
struct Sample {
    static constexpr int n = 8, r = 3;
    std::vector<std::vector<std::uint8_t>> columns{at(n)};
    std::vector<std::vector<double>> tables{at(n)};
    std::vector<std::vector<int>> parents{at(n)};
    std::vector<std::int64_t> weights;
    std::unique_ptr<Table> table;
    std::unique_ptr<IncompleteData> data;

    Sample(std::size_t rows, bool weighted) {
        std::mt19937 random(5);
        std::uniform_real_distribution<double> uniform(0.05, 1.0);
        for (int v = 0; v < n; ++v) {
            for (int p : {v - 3, v - 1}) {
                if (p >= 0) parents[at(v)].push_back(p);
            }
            std::size_t entries = r;
            for (std::size_t k = 0; k < parents[at(v)].size(); ++k) entries *= r;
            for (std::size_t i = 0; i < entries; ++i) tables[at(v)].push_back(uniform(random));
            for (std::size_t i = 0; i < rows; ++i) {
                bool missing = random() % 3 == 0;
                columns[at(v)].push_back(static_cast<std::uint8_t>(missing ? r : random() % r));
            }
        }
        for (std::size_t i = 0; i < rows; ++i) weights.push_back(static_cast<std::int64_t>(random() % 3));
        std::vector<StateArray> states;
        for (const auto& column : columns) states.emplace_back(column.data());
        table = std::make_unique<Table>(states, std::vector<int>(at(n), r + 1), rows,
                                        weighted ? weights.data() : nullptr, std::vector<int>(at(n), r));
        data = std::make_unique<IncompleteData>(IncompleteData{*table, std::vector<int>(at(n), r)});
    }

    NetworkTables network() const {
        NetworkTables all{parents, {}};
        for (const auto& one : tables) all.tables.emplace_back(one);
        return all;
    }

    double factor(int v, const std::vector<int>& row) const {
        std::size_t place = 0;
        for (int p : parents[at(v)]) place = place * r + at(row[at(p)]);
        return tables[at(v)][place * r + at(row[at(v)])];
    }

    // Over all completions of each row.
    std::vector<double> counts(const std::vector<int>& family) const {
        std::size_t cells = 1;
        for (std::size_t k = 0; k < family.size(); ++k) cells *= r;
        std::vector<double> sums(cells, 0.0);
        for (std::size_t i = 0; i < columns[0].size(); ++i) {
            std::vector<int> row, missing;
            for (int v = 0; v < n; ++v) {
                row.push_back(columns[at(v)][i]);
                if (row.back() == r) missing.push_back(v);
            }
            std::vector<double> own(cells, 0.0);
            double total = 0.0;
            fill(row, missing, 0, family, own, total);
            double weight = table->weights() ? static_cast<double>(weights[i]) : 1.0;
            for (std::size_t c = 0; c < cells; ++c) sums[c] += weight * own[c] / total;
        }
        return sums;
    }

    void fill(std::vector<int>& row, const std::vector<int>& missing, std::size_t k, const std::vector<int>& family,
              std::vector<double>& own, double& total) const {
        if (k < missing.size()) {
            for (int s = 0; s < r; ++s) {
                row[at(missing[k])] = s;
                fill(row, missing, k + 1, family, own, total);
            }
            return;
        }
        double p = 1.0;
        for (int v = 0; v < n; ++v) p *= factor(v, row);
        std::size_t cell = 0;
        for (int v : family) cell = cell * r + at(row[at(v)]);
        own[cell] += p;
        total += p;
    }
};

double difference(std::span<const double> found, std::vector<double> wanted) {
    std::vector<double> own;
    for (double x : found) {
        if (x > 0.0) own.push_back(x);
    }
    std::erase_if(wanted, [](double x) { return x == 0.0; });
    if (own.size() != wanted.size()) return 1e9;
    std::sort(own.begin(), own.end());
    std::sort(wanted.begin(), wanted.end());
    double most = 0.0;
    for (std::size_t i = 0; i < own.size(); ++i) most = std::max(most, std::abs(own[i] - wanted[i]));
    return most;
}

constexpr double all = 1e6;  // completions that are enumerated

}  // namespace

TEST(expected_counts_are_sums_over_all_completions) {
    for (bool weighted : {false, true}) {
        Sample sample(40, weighted);
        Completions completions(*sample.data, sample.network(), all);
        CHECK_EQUAL(completions.impossible(), -1);
        ExpectedCounter counter(completions);
        for (std::vector<int> family : {std::vector{0}, {0, 1}, {2, 5}, {0, 1, 2}, {1, 4, 7}, {0, 1, 2, 3, 4}}) {
            std::vector<int> parents(family.begin(), family.end() - 1);
            ExpectedCounts counts = counter.family(family.back(), parents);
            CHECK(difference(counts.cells, sample.counts(family)) < 1e-12);
            CHECK(difference(counts.configurations, parents.empty() ? std::vector{counts.n} : sample.counts(parents)) <
                  1e-12);
        }
    }
}

// 3^8 joint states are more than the rows and a thousand.
TEST(expected_counts_of_many_cells_are_hashed) {
    Sample sample(30, false);
    Completions completions(*sample.data, sample.network(), all);
    std::vector<int> family{0, 1, 2, 3, 4, 5, 6, 7}, parents(family.begin(), family.end() - 1);
    CHECK(Counter(*sample.table).is_sparse(6561.0));
    ExpectedCounter counter(completions);
    ExpectedCounts counts = counter.family(7, parents);
    double sum = 0.0;
    for (double x : counts.cells) sum += x;
    CHECK_NEAR(sum, 30.0, 1e-10);
    CHECK(difference(counts.cells, sample.counts(family)) < 1e-12);
    CHECK(difference(counts.configurations, sample.counts(parents)) < 1e-12);
}

// With few candidates and more parents it is cheaper to count them one by one.
TEST(candidates_side_by_side_have_the_expected_counts_of_each_alone) {
    Sample sample(500, false);
    Completions completions(*sample.data, sample.network(), all);
    ExpectedCounter together(completions), alone(completions);
    for (std::vector<int> parents : {std::vector<int>{}, {1}, {3}}) {
        std::vector<int> candidates;
        for (int u : {0, 1, 2, 3, 5, 6, 7}) {
            if (!std::binary_search(parents.begin(), parents.end(), u)) candidates.push_back(u);
        }
        std::size_t seen = 0;
        bool done = together.extended(4, parents, candidates, [&](std::size_t i, const ExpectedCounts& counts) {
            std::vector<int> family = parents;
            family.push_back(candidates[i]);
            ExpectedCounts right = alone.family(4, family);
            CHECK_EQUAL(counts.q, right.q);
            CHECK(difference(counts.cells, {right.cells.begin(), right.cells.end()}) < 1e-10);
            CHECK(difference(counts.configurations, {right.configurations.begin(), right.configurations.end()}) <
                  1e-10);
            ++seen;
        });
        CHECK(done);
        CHECK_EQUAL(seen, candidates.size());
    }
}

TEST(components_beyond_the_limit_take_draws) {
    Sample sample(50, false);
    Completions completions(*sample.data, sample.network(), 9.0);
    std::vector<std::int64_t> rows = completions.beyond_limit();
    CHECK(!rows.empty());
    CHECK(rows.size() < 50);
    CHECK_EQUAL(completions.number_beyond_limit(), static_cast<double>(rows.size()));
    std::vector<std::int32_t> draws;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        for (int d = 0; d < 2 * Sample::n; ++d) draws.push_back(d / Sample::n);
    }
    CHECK_THROWS(completions.draw(std::span(draws).subspan(1), 2), std::invalid_argument);
    completions.draw(draws, 2);
    ExpectedCounter counter(completions);
    std::vector<int> parents{0, 1, 2};
    ExpectedCounts counts = counter.family(3, parents);
    double sum = 0.0;
    for (double x : counts.cells) sum += x;
    CHECK_NEAR(sum, 50.0, 1e-10);
}

TEST(scores_without_a_formula_of_expected_counts_say_so) {
    Sample sample(20, false);
    Completions completions(*sample.data, sample.network(), all);
    ExpectedLocalScorer scorer(completions, make_discrete_score("fnml", {}, Sample::n));
    CHECK_THROWS(scorer.local(0, {}), std::invalid_argument);
}
