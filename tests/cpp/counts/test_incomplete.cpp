// Counts and moments of data with missing values: those of a copy that has only the rows in which all variables of a
// family are observed.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <span>
#include <vector>

#include "check.hpp"
#include "counts/counter.hpp"
#include "counts/observed_moments.hpp"
#include "counts/sweep.hpp"
#include "independence/contingency.hpp"
#include "independence/decision.hpp"
#include "scores/incomplete.hpp"

using veridag::Count;
using veridag::Counter;
using veridag::Gaps;
using veridag::MixedTable;
using veridag::ObservedMoments;
using veridag::SetMoments;
using veridag::Table;

namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

// Discrete columns of which all but the first have gaps: in a tenth of the rows, and the last one in most.
struct Discrete {
    std::vector<int> observed{3, 2, 4, 2, 15, 16, 2};
    std::vector<std::vector<std::uint8_t>> columns;
    std::vector<std::int64_t> weights;
    std::vector<int> arities;
    std::size_t rows;

    explicit Discrete(std::size_t n) : columns(observed.size()), rows(n) {
        std::mt19937 random(5);
        for (std::size_t v = 0; v < observed.size(); ++v) {
            arities.push_back(observed[v] + (v > 0 ? 1 : 0));
            unsigned tenths = v == 0 ? 0 : v + 1 == observed.size() ? 7 : 1;
            for (std::size_t i = 0; i < n; ++i) {
                bool missing = random() % 10 < tenths;
                auto state = static_cast<int>(random() % 4) % observed[v];
                columns[v].push_back(static_cast<std::uint8_t>(missing ? observed[v] : state));
            }
        }
        for (std::size_t i = 0; i < n; ++i) weights.push_back(static_cast<std::int64_t>(random() % 3));
    }

    Table table(bool weighted) const {
        std::vector<veridag::StateArray> states;
        for (const auto& column : columns) states.emplace_back(column.data());
        return Table(states, arities, rows, weighted ? weights.data() : nullptr, observed);
    }

    // The rows in which these variables are observed.
    Discrete seen(const std::vector<int>& variables) const {
        Discrete part = *this;
        part.rows = 0;
        part.weights.clear();
        part.arities = observed;
        for (auto& column : part.columns) column.clear();
        for (std::size_t i = 0; i < rows; ++i) {
            auto there = [&](int v) { return columns[veridag::at(v)][i] < observed[veridag::at(v)]; };
            if (!std::all_of(variables.begin(), variables.end(), there)) continue;
            for (std::size_t v = 0; v < columns.size(); ++v)  // others may be missing, and do not matter
                part.columns[v].push_back(there(static_cast<int>(v)) ? columns[v][i] : std::uint8_t{0});
            part.weights.push_back(weights[i]);
            ++part.rows;
        }
        return part;
    }
};

std::vector<Count> copy(std::span<const Count> counts) { return {counts.begin(), counts.end()}; }

std::vector<Count> occurring(std::span<const Count> counts) {
    std::vector<Count> found;
    std::copy_if(counts.begin(), counts.end(), std::back_inserter(found), [](Count n) { return n > 0; });
    std::sort(found.begin(), found.end());
    return found;
}

// By bits, by rows, in blocks, and sparse.
const std::vector<std::vector<int>> families{{1}, {0, 1}, {6, 3}, {1, 2, 3}, {0, 4, 5}, {5, 4, 2, 1}, {6, 5, 4, 3, 2}};

}  // namespace

TEST(only_rows_in_which_all_variables_are_observed_are_counted) {
    for (std::size_t rows : {1UL, 64UL, 500UL, 5000UL, 150'000UL}) {
        Discrete data(rows);
        for (bool weighted : {false, true}) {
            Table table = data.table(weighted);
            Counter counter(table);
            for (const auto& family : families) {
                Discrete part = data.seen(family);
                Table complete = part.table(weighted);
                Counter expected(complete);
                CHECK_EQUAL(copy(counter.dense(family, 1 << 20)), copy(expected.dense(family, 1 << 20)));
                CHECK_EQUAL(counter.counted(), complete.total());
                CHECK_EQUAL(occurring(counter.joint(family)), occurring(expected.joint(family)));
                CHECK_EQUAL(counter.counted(), complete.total());
                auto parents = std::span<const int>(family).subspan(1);
                veridag::FamilyCounts own = counter.family(family[0], parents);
                std::vector<Count> cells = occurring(own.cells), configurations = occurring(own.configurations);
                CHECK_EQUAL(own.n, complete.total());
                veridag::FamilyCounts other = expected.family(family[0], parents);
                CHECK_EQUAL(own.q, other.q);
                CHECK_EQUAL(cells, occurring(other.cells));
                CHECK_EQUAL(configurations, occurring(other.configurations));
            }
        }
    }
}

TEST(a_missing_value_can_be_a_state) {
    Discrete data(300);
    Table table = data.table(false);
    std::vector<int> pair{1, 6};
    auto counts = copy(Counter(table, Gaps::a_state).dense(pair, 1 << 20));
    CHECK_EQUAL(counts.size(), std::size_t{9});
    CHECK_EQUAL(std::accumulate(counts.begin(), counts.end(), Count{0}), Count{300});
}

TEST(candidates_side_by_side_score_as_one_by_one) {
    for (std::size_t rows : {std::size_t{100}, std::size_t{6000}}) {
        Discrete data(rows);
        for (bool weighted : {false, true}) {
            Table table = data.table(weighted);
            veridag::IncompleteLocalScorer scorer(table, 1.5, 1.0);
            for (const std::vector<int>& parents : {std::vector<int>{}, std::vector<int>{1}, std::vector<int>{1, 3}}) {
                std::vector<int> candidates{0, 4, 5, 6};
                std::vector<double> found(candidates.size());
                scorer.extended(2, parents, candidates, found.data());
                for (std::size_t i = 0; i < candidates.size(); ++i) {
                    std::vector<int> family = parents;
                    family.push_back(candidates[i]);
                    std::sort(family.begin(), family.end());
                    double expected = scorer.local(2, family);
                    CHECK(std::abs(found[i] - expected) <= 1e-9 * std::abs(expected));
                }
            }
        }
    }
}

TEST(a_stratum_of_rows_with_gaps_alone_has_no_degrees_of_freedom) {
    // So many possible strata that rows are counted and not cells; in the second one y is missing.
    std::vector<std::uint8_t> x{0, 0, 1, 1, 0, 1}, y{0, 1, 0, 1, 2, 2}, z{0, 0, 0, 0, 1, 1};
    std::vector<veridag::StateArray> states{x.data(), y.data(), z.data()};
    std::vector<int> arities{9, 3, 250}, observed{9, 2, 250}, given{2};
    Table table(states, arities, 6, nullptr, observed);
    CHECK_EQUAL(veridag::Contingency(table).of(0, 1, given).adjusted_df, 1.0);
}

TEST(a_test_takes_the_rows_in_which_its_variables_are_observed) {
    Discrete data(2000);
    for (bool weighted : {false, true}) {
        Table table = data.table(weighted);
        veridag::Contingency contingency(table);
        auto g2 = veridag::g2_test(table, veridag::DegreesOfFreedom::observed, 0.05)();
        auto x2 = veridag::x2_test(table, veridag::DegreesOfFreedom::plain, 0.05)();
        for (const std::vector<int>& given : {std::vector<int>{}, std::vector<int>{3}, std::vector<int>{2, 4, 5}}) {
            std::vector<int> all = given;
            all.insert(all.end(), {1, 6});
            Discrete part = data.seen(all);
            Table complete = part.table(weighted);
            auto expected = veridag::Contingency(complete).of(1, 6, given), found = contingency.of(1, 6, given);
            CHECK_EQUAL(found.n, complete.total());
            CHECK_EQUAL(found.strata, expected.strata);
            CHECK_EQUAL(found.adjusted_df, expected.adjusted_df);
            CHECK(std::abs(found.g2 - expected.g2) <= 1e-9 * (1.0 + expected.g2));
            CHECK(std::abs(found.x2 - expected.x2) <= 1e-9 * (1.0 + expected.x2));
            auto own = g2->of(1, 6, given);
            auto other = veridag::g2_test(complete, veridag::DegreesOfFreedom::observed, 0.05)()->of(1, 6, given);
            CHECK(std::abs(own.evidence - other.evidence) <= 1e-9 * (1.0 + other.evidence));
            CHECK_EQUAL(own.reliable, other.reliable);
            auto pearson = veridag::x2_test(complete, veridag::DegreesOfFreedom::plain, 0.05)()->of(1, 6, given);
            CHECK(std::abs(x2->of(1, 6, given).evidence - pearson.evidence) <= 1e-9 * (1.0 + pearson.evidence));
        }
    }
}

namespace {

// Values around large means; the share of missing ones grows from column to column.
struct Continuous {
    std::vector<std::vector<double>> columns;
    std::vector<std::int64_t> weights;

    Continuous(std::size_t n, std::size_t p) : columns(p) {
        std::mt19937 random(11);
        std::normal_distribution<double> normal;
        for (std::size_t i = 0; i < n; ++i) {
            double common = normal(random);
            for (std::size_t v = 0; v < p; ++v) {
                double value = 1e4 * static_cast<double>(v) + common + normal(random);
                columns[v].push_back(random() % 10 < 2 * v ? nothing : value);
            }
            weights.push_back(static_cast<std::int64_t>(random() % 3));
        }
    }

    MixedTable table(bool weighted) const {
        std::vector<MixedTable::Column> all;
        for (const auto& column : columns) all.push_back({false, {}, 0, column.data()});
        return MixedTable(all, columns[0].size(), weighted ? weights.data() : nullptr);
    }

    // Two passes over the rows.
    SetMoments naive(const std::vector<int>& set, bool weighted) const {
        SetMoments found;
        std::size_t k = set.size();
        auto value = [&](std::size_t a, std::size_t i) { return columns[veridag::at(set[a])][i]; };
        auto weight = [&](std::size_t i) {
            for (std::size_t a = 0; a < k; ++a) {
                if (std::isnan(value(a, i))) return 0.0;
            }
            return weighted ? static_cast<double>(weights[i]) : 1.0;
        };
        std::vector<double> means(k, 0.0);
        found.scatter.assign(k * k, 0.0);
        for (std::size_t i = 0; i < columns[0].size(); ++i) found.n += weight(i);
        for (std::size_t i = 0; i < columns[0].size(); ++i) {
            for (std::size_t a = 0; a < k; ++a) means[a] += weight(i) > 0.0 ? weight(i) * value(a, i) / found.n : 0.0;
        }
        for (std::size_t i = 0; i < columns[0].size(); ++i) {
            if (weight(i) == 0.0) continue;
            for (std::size_t a = 0; a < k; ++a) {
                for (std::size_t b = 0; b < k; ++b)
                    found.scatter[a * k + b] += weight(i) * (value(a, i) - means[a]) * (value(b, i) - means[b]);
            }
        }
        return found;
    }
};

}  // namespace

TEST(moments_are_those_of_the_rows_in_which_a_set_is_observed) {
    for (std::size_t rows : {std::size_t{1}, std::size_t{64}, std::size_t{700}}) {
        Continuous data(rows, 5);
        for (bool weighted : {false, true}) {
            MixedTable table = data.table(weighted);
            ObservedMoments moments(table);
            ObservedMoments::Workspace work;
            for (const std::vector<int>& set :
                 {std::vector<int>{0}, std::vector<int>{0, 1}, std::vector<int>{1, 2}, std::vector<int>{0, 3, 4},
                  std::vector<int>{0, 1, 2, 3, 4}, std::vector<int>{0, 1}}) {
                const SetMoments& found = moments.of(set, work);
                SetMoments expected = data.naive(set, weighted);
                CHECK_EQUAL(found.n, expected.n);
                for (std::size_t i = 0; i < expected.scatter.size(); ++i)
                    CHECK(std::abs(found.scatter[i] - expected.scatter[i]) <= 1e-7 * (1.0 + expected.n));
            }
        }
    }
}

// Sums over all rows have no digits left for the few that are observed.
TEST(a_column_that_is_constant_where_a_set_is_observed_has_no_scatter) {
    std::vector<double> x, y, z;
    for (int i = 0; i < 300; ++i) {
        x.push_back(i < 200 ? 0.1 : 1e9 * i);
        y.push_back(i < 200 ? i % 7 : nothing);
        z.push_back(i % 5);
    }
    MixedTable table({{false, {}, 0, x.data()}, {false, {}, 0, y.data()}, {false, {}, 0, z.data()}}, 300, nullptr);
    ObservedMoments moments(table);
    ObservedMoments::Workspace work;
    std::vector<int> pair{0, 1}, others{1, 2}, nobody{};
    CHECK_EQUAL(moments.of(pair, work).scatter[0], 0.0);
    CHECK_EQUAL(moments.of(pair, work).n, 200.0);
    CHECK_EQUAL(moments.of(others, work).n, 200.0);
    CHECK_EQUAL(moments.of(nobody, work).n, 300.0);
}

TEST(variables_that_are_never_observed_together_are_not_tested) {
    std::vector<double> x{1, 2, 3, nothing, nothing, nothing}, y{nothing, nothing, nothing, 1, 2, 4};
    MixedTable table({{false, {}, 0, x.data()}, {false, {}, 0, y.data()}}, 6, nullptr);
    auto moments = std::make_shared<const ObservedMoments>(table);
    veridag::Decision found =
        veridag::correlation_test(moments, veridag::CorrelationTest::student_t, 0.05)()->of(0, 1, {});
    CHECK(found.independent);
    CHECK(found.reliable);
    CHECK_EQUAL(found.evidence, 0.0);
}
