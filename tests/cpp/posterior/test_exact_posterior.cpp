#include "posterior/exact/posterior.hpp"

#include <bit>
#include <cmath>
#include <functional>
#include <numeric>

#include "check.hpp"
#include "random.hpp"
#include "scores/ties.hpp"

using namespace veridag;

namespace {

struct Row {
    VariableSet parents;
    double score, prior;
};

using Rows = std::vector<std::vector<Row>>;  // of each variable

// Random families; `spread` is how far apart their scores are, and some are left out.
Rows random_rows(int n, std::uint64_t seed, double spread, double left_out) {
    Stream random(seed, 5, 0);
    Rows rows(at(n));
    for (int v = 0; v < n; ++v) {
        for (VariableSet set = 0; set <= all_of(n); ++set) {
            if (set & just(v)) continue;
            double score = spread * random.uniform(), prior = random.uniform();
            if (set == 0 || random.uniform() >= left_out) rows[at(v)].push_back({set, score, prior});
        }
    }
    return rows;
}

WeightedFamilies families_of(const Rows& rows) {
    std::vector<std::int64_t> offsets{0}, parent_offsets{0};
    std::vector<double> scores, priors;
    std::vector<std::int32_t> parents;
    for (const auto& own : rows) {
        for (const Row& row : own) {
            scores.push_back(row.score);
            priors.push_back(row.prior);
            for (VariableSet rest = row.parents; rest; rest &= rest - 1) parents.push_back(std::countr_zero(rest));
            parent_offsets.push_back(static_cast<std::int64_t>(parents.size()));
        }
        offsets.push_back(static_cast<std::int64_t>(scores.size()));
    }
    return WeightedFamilies(static_cast<int>(rows.size()), offsets, scores, priors, parent_offsets, parents);
}

// The variables that a path from u leads to.
VariableSet descendants(const std::vector<VariableSet>& parents, int u) {
    VariableSet found = just(u);
    for (std::size_t round = 0; round < parents.size(); ++round) {
        for (std::size_t v = 0; v < parents.size(); ++v) {
            if (parents[v] & found) found |= just(static_cast<int>(v));
        }
    }
    return found & ~just(u);
}

bool is_acyclic(const std::vector<VariableSet>& parents) {
    for (std::size_t v = 0; v < parents.size(); ++v) {
        if (descendants(parents, static_cast<int>(v)) & parents[v]) return false;
    }
    return true;
}

// Calls visit(parents, score, prior) for every DAG.
void each_dag(const Rows& rows, const std::function<void(const std::vector<VariableSet>&, double, double)>& visit) {
    std::vector<VariableSet> parents(rows.size());
    std::function<void(std::size_t, double, double)> choose = [&](std::size_t v, double score, double prior) {
        if (v == rows.size()) {
            if (is_acyclic(parents)) visit(parents, score, prior);
            return;
        }
        for (const Row& row : rows[v]) {
            parents[v] = row.parents;
            choose(v + 1, score + row.score, prior + row.prior);
        }
    };
    choose(0, 0.0, 0.0);
}

}  // namespace

TEST(numbers_of_twice_the_precision_keep_what_cancels) {
    DoubleDouble third = DoubleDouble{1.0 / 3.0, 0.0} * DoubleDouble{1.0, 0.0};
    DoubleDouble product = third * third;
    CHECK_NEAR(product.hi + product.lo, third.hi * third.hi, 1e-17);
    DoubleDouble exact = exactly::product(third.hi, third.hi);
    CHECK((product + -exact).hi == 0.0);
    DoubleDouble sum = DoubleDouble{1.0, 0.0} + DoubleDouble{0x1p-80, 0.0};
    CHECK((sum + DoubleDouble{-1.0, 0.0}).hi == 0x1p-80);
    DoubleDouble large;
    for (int k = 0; k < 1000; ++k) large += 0.1;
    CHECK_NEAR((large + DoubleDouble{-1000 * 0.1, 0.0}).hi, 0.0, 1e-13);
}

TEST(sets_without_a_variable_are_numbered_without_gaps) {
    for (int v = 0; v < 5; ++v) {
        for (std::size_t place = 0; place < 16; ++place) {
            CHECK((set_at(place, v) & just(v)) == 0);
            CHECK_EQUAL(place_without(set_at(place, v), v), place);
        }
    }
}

TEST(parent_sums_are_sums_within_each_set_whatever_their_size) {
    for (double spread : {1.0, 5000.0}) {
        Rows rows = random_rows(5, 3, spread, 0.3);
        WeightedFamilies families = families_of(rows);
        for (int v = 0; v < 5; ++v) {
            ParentRule rule{just((v + 1) % 5), just((v + 2) % 5)};
            auto all = parent_sums<DoubleDouble>(families, v, Weights::posterior);
            auto some = parent_sums<double>(families, v, Weights::posterior, rule);
            double best = minus_infinity;
            for (const Row& row : rows[at(v)]) best = std::max(best, row.score);
            for (std::size_t place = 0; place < 16; ++place) {
                VariableSet within = set_at(place, v);
                double most = minus_infinity, sum = 0.0, ruled = 0.0;
                for (const Row& row : rows[at(v)])
                    if ((row.parents & ~within) == 0) most = std::max(most, row.score);
                for (const Row& row : rows[at(v)]) {
                    if (row.parents & ~within) continue;
                    sum += std::exp(row.score - most);
                    if (rule.allows(row.parents)) ruled += std::exp(row.score - most);
                }
                CHECK_NEAR(all.at_place(place).log(), most - best + std::log(sum), 1e-9);
                CHECK_NEAR(some.at_place(place).over(all.at_place(place)), ruled / sum, 1e-9);
            }
        }
    }
}

TEST(the_posterior_is_the_sum_over_every_dag) {
    int n = 4;
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
        Rows rows = random_rows(n, seed, seed == 3 ? 400.0 : 4.0, seed % 2 ? 0.4 : 0.0);
        double best = minus_infinity, whole = 0.0, ruled = 0.0, prior_sum = 0.0;
        std::vector<double> arcs(16, 0.0), ancestors(16, 0.0);
        ParentRules rules{{0, just(1)}, {just(2), 0}, {}, {}};
        each_dag(rows, [&](const auto&, double score, double) { best = std::max(best, score); });
        each_dag(rows, [&](const std::vector<VariableSet>& parents, double score, double prior) {
            double weight = std::exp(score - best);
            whole += weight;
            prior_sum += std::exp(prior);
            bool allowed = true;
            for (int v = 0; v < n; ++v) {
                allowed = allowed && rules[at(v)].allows(parents[at(v)]);
                for (int u = 0; u < n; ++u) {
                    if (parents[at(v)] & just(u)) arcs[at(u, v, n)] += weight;
                    if (descendants(parents, u) & just(v)) ancestors[at(u, v, n)] += weight;
                }
            }
            if (allowed) ruled += weight;
        });
        for (int threads : {1, 3}) {
            Progress nobody;
            ExactPosterior found(families_of(rows), Counted::dags, threads, nobody);
            CHECK(found.finished());
            CHECK(found.residual() < 1e-15);
            CHECK_NEAR(found.log_sum(), best + std::log(whole), 1e-10);
            CHECK_NEAR(found.log_prior_sum(threads, nobody), std::log(prior_sum), 1e-10);
            CHECK_NEAR(found.probability(rules, threads, nobody), ruled / whole, 1e-12);
            std::vector<double> own_arcs = found.arcs(threads), own_ancestors = found.ancestors();
            for (std::size_t k = 0; k < arcs.size(); ++k) {
                CHECK_NEAR(own_arcs[k], arcs[k] / whole, 1e-12);
                CHECK_NEAR(own_ancestors[k], ancestors[k] / whole, 1e-12);
            }
        }
    }
}

TEST(many_variables_of_equal_weight_give_the_number_of_dags) {
    int n = 10;  // 4175098976430598143 DAGs (Robinson 1973)
    Rows rows = random_rows(n, 0, 0.0, 0.0);
    Progress nobody;
    ExactPosterior found(families_of(rows), Counted::dags, 2, nobody);
    CHECK_NEAR(found.log_sum(), std::log(4175098976430598143.0), 1e-12);
    CHECK(found.residual() < 1e-15);
    std::vector<double> arcs = found.arcs(1), ancestors = found.ancestors();
    for (int u = 0; u < n; ++u) {
        for (int v = 0; v < n; ++v) {
            if (u == v) continue;
            CHECK_NEAR(arcs[at(u, v, n)], arcs[1], 1e-13);
            CHECK_NEAR(ancestors[at(u, v, n)], ancestors[1], 1e-13);
        }
    }
}

TEST(the_posterior_does_not_depend_on_threads) {
    Rows rows = random_rows(8, 7, 10.0, 0.2);
    Progress nobody;
    ExactPosterior one(families_of(rows), Counted::dags, 1, nobody), three(families_of(rows), Counted::dags, 3, nobody);
    CHECK(one.log_sum() == three.log_sum());
    CHECK(one.arcs(1) == three.arcs(3));
    CHECK(one.ancestors() == three.ancestors());
}

TEST(sums_over_orders_count_a_dag_once_for_each_order) {
    int n = 4;
    Rows rows = random_rows(n, 11, 3.0, 0.2);
    double whole = 0.0;
    std::vector<double> arcs(16, 0.0);
    each_dag(rows, [&](const std::vector<VariableSet>& parents, double score, double) {
        std::vector<int> order{0, 1, 2, 3};
        double orders = 0.0;
        do {
            VariableSet before = 0;
            bool fits = true;
            for (int v : order) {
                fits = fits && (parents[at(v)] & ~before) == 0;
                before |= just(v);
            }
            orders += fits;
        } while (std::next_permutation(order.begin(), order.end()));
        double weight = orders * std::exp(score);
        whole += weight;
        for (int v = 0; v < n; ++v) {
            for (int u = 0; u < n; ++u) {
                if (parents[at(v)] & just(u)) arcs[at(u, v, n)] += weight;
            }
        }
    });
    Progress nobody;
    ExactPosterior found(families_of(rows), Counted::orders, 2, nobody);
    CHECK(found.finished() && found.residual() < 1e-14);
    CHECK_NEAR(found.log_sum(), std::log(whole), 1e-12);
    std::vector<double> own = found.arcs(2);
    for (std::size_t k = 0; k < arcs.size(); ++k) CHECK_NEAR(own[k], arcs[k] / whole, 1e-13);
    CHECK_THROWS(found.ancestors(), std::logic_error);
}

TEST(a_table_without_a_dag_has_no_weight) {
    Rows rows{{{just(1), 0.0, 0.0}}, {{just(0), 0.0, 0.0}}};
    Progress nobody;
    for (Counted counted : {Counted::dags, Counted::orders}) {
        ExactPosterior found(families_of(rows), counted, 1, nobody);
        CHECK(found.finished() && found.log_sum() == minus_infinity);
    }
}

TEST(a_posterior_that_is_stopped_is_not_finished) {
    Rows rows = random_rows(9, 0, 1.0, 0.0);
    Progress stopping([](std::int64_t, double, double) { return true; });
    CHECK(!ExactPosterior(families_of(rows), Counted::dags, 1, stopping).finished());
}

TEST(scores_too_far_apart_for_exponents_are_refused) {
    Rows rows{{{0, -1e9, 0.0}, {just(1), 0.0, 0.0}}, {{0, 0.0, 0.0}}};
    Progress nobody;
    CHECK_THROWS(ExactPosterior(families_of(rows), Counted::dags, 1, nobody), std::range_error);
}
