#include <algorithm>
#include <cmath>
#include <limits>

#include "check.hpp"
#include "inference/batch.hpp"
#include "inference/triangulation.hpp"
#include "random.hpp"

using namespace veridag::inference;
using veridag::Progress;
using veridag::Stream;

namespace {

constexpr Limits no_limits{1e9, 1e9};
constexpr double infinity = std::numeric_limits<double>::infinity();

// A network whose probabilities are multiples of a quarter: A -> C <- B, C -> D, and E apart, with 2, 2, 3, 2 and 1
// states.
struct Small {
    std::vector<int> arities{2, 2, 3, 2, 1};
    std::vector<std::vector<int>> parents{{}, {}, {0, 1}, {2}, {}};
    std::vector<double> a{0.25, 0.75}, b{0.5, 0.5};
    std::vector<double> c{0.25, 0.25, 0.5, 0.0, 0.5, 0.5, 0.75, 0.0, 0.25, 1.0, 0.0, 0.0};
    std::vector<double> d{0.25, 0.75, 0.5, 0.5, 0.0, 1.0};
    std::vector<double> e{1.0};
    JunctionTree tree{arities, parents};

    Tables tables() const { return {a.data(), b.data(), c.data(), d.data(), e.data()}; }

    double probability(const std::vector<int>& x) const {
        auto at = [](int i) { return static_cast<std::size_t>(i); };
        return a[at(x[0])] * b[at(x[1])] * c[at((x[0] * 2 + x[1]) * 3 + x[2])] * d[at(x[2] * 2 + x[3])];
    }

    // Every configuration that agrees with a row.
    std::vector<std::vector<int>> configurations(const std::vector<std::int32_t>& row) const {
        std::vector<std::vector<int>> all{{}};
        for (std::size_t v = 0; v < arities.size(); ++v) {
            std::vector<std::vector<int>> longer;
            for (const std::vector<int>& start : all) {
                for (int k = 0; k < arities[v]; ++k) {
                    if (row[v] >= 0 && row[v] != k) continue;
                    longer.push_back(start);
                    longer.back().push_back(k);
                }
            }
            all = std::move(longer);
        }
        return all;
    }
};

std::vector<char> free_of(const Small& net, const std::vector<std::int32_t>& row) {
    std::vector<char> free;
    for (std::size_t v = 0; v < row.size(); ++v) free.push_back(row[v] < 0 && net.arities[v] > 1);
    return free;
}

const std::vector<std::vector<std::int32_t>> rows{
    {-1, -1, -1, -1, -1}, {0, -1, -1, 1, -1}, {-1, -1, -1, 0, 0}, {-1, 1, 1, -1, -1},
    {0, 1, -1, -1, -1},   {-1, -1, 2, 0, -1}, {1, 0, 2, 1, 0},    {1, 0, 1, -1, -1},
};

std::vector<std::int32_t> flat() {
    std::vector<std::int32_t> all;
    for (const auto& row : rows) all.insert(all.end(), row.begin(), row.end());
    return all;
}

}  // namespace

TEST(a_cycle_is_triangulated_by_one_chord_and_heavy_variables_are_kept_apart) {
    // The chord of a square joins 0 and 2 or 1 and 3: the lighter pair of tables is the one without 3 twice.
    Triangulation found = triangulate({2, 2, 2, 9}, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}, true);
    CHECK_EQUAL(found.entries, 2.0 * 2 * 2 + 2 * 2 * 9);
    CHECK_EQUAL(found.order.size(), std::size_t{4});
}

TEST(the_cliques_of_a_chain_are_its_arcs) {
    JunctionTree tree(std::vector<int>(30, 2), [] {
        std::vector<std::vector<int>> parents(30);
        for (int v = 1; v < 30; ++v) parents[static_cast<std::size_t>(v)] = {v - 1};
        return parents;
    }());
    CHECK_EQUAL(tree.cliques().size(), std::size_t{29});
    CHECK_EQUAL(tree.entries(), 29.0 * 4);
    CHECK(tree.covering({3, 4}) >= 0);
    CHECK_EQUAL(tree.covering({3, 5}), -1);
}

TEST(variables_that_are_asked_for_together_share_a_clique) {
    JunctionTree tree({2, 2, 2, 2}, {{}, {0}, {1}, {2}}, {{0, 3}}, false);
    CHECK(tree.covering({0, 3}) >= 0);
    CHECK_EQUAL(tree.cliques().size(), std::size_t{2});
}

TEST(families_and_log_probabilities_are_those_of_brute_force) {
    Small net;
    std::vector<std::vector<int>> scopes;
    for (const Family& family : net.tree.families()) scopes.push_back(family.scope);
    std::size_t width = 2 + 2 + 12 + 6 + 1;
    std::vector<std::int32_t> evidence = flat();
    std::vector<double> out(rows.size() * width), log_p(rows.size());
    Progress progress;
    Batch batch(net.tree, net.tables(), {evidence.data(), rows.size()}, no_limits, 2);
    batch.posteriors(progress, scopes, out.data(), log_p.data());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        std::vector<double> expected(width);
        double total = 0.0;
        for (const std::vector<int>& x : net.configurations(rows[i])) {
            double p = net.probability(x);
            total += p;
            std::size_t start = 0;
            for (std::size_t v = 0; v < scopes.size(); ++v) {
                std::size_t place = 0;
                for (int u : scopes[v])
                    place = place * static_cast<std::size_t>(net.arities[static_cast<std::size_t>(u)]) +
                            static_cast<std::size_t>(x[static_cast<std::size_t>(u)]);
                expected[start + place] += p;
                start += net.tree.families()[v].entries;
            }
        }
        if (total == 0.0) {
            CHECK_EQUAL(log_p[i], -infinity);
            total = 1.0;
        } else {
            CHECK_NEAR(log_p[i], std::log(total), 1e-14);
        }
        for (std::size_t k = 0; k < width; ++k) CHECK_NEAR(out[i * width + k], expected[k] / total, 1e-14);
    }
    CHECK_EQUAL(log_p[7], -infinity);
}

// The chance of a completion is the product of its shares of the weights that are drawn from, part by part.
TEST(draws_follow_the_conditional_distribution_exactly) {
    Small net;
    Tables tables = net.tables();
    for (const auto& row : rows) {
        Restriction restriction(net.tree, free_of(net, row));
        Propagation propagation(restriction, tables);
        double whole = std::exp(propagation.collect(row.data(), Reduction::sum));
        if (whole == 0.0) continue;
        double all = 0.0;
        for (const std::vector<int>& x : net.configurations(row)) {
            if (net.probability(x) == 0.0) continue;  // no part draws a weight of zero
            std::vector<std::int32_t> completed = row;
            std::int32_t* place = completed.data();
            double chance = 1.0;
            propagation.complete(
                std::span(&place, 1), [&](const Part& part, std::size_t, std::span<const double> weights) {
                    std::size_t chosen = 0;
                    for (std::size_t k = part.shared; k < part.variables.size(); ++k) {
                        auto v = static_cast<std::size_t>(part.variables[k]);
                        chosen = chosen * static_cast<std::size_t>(net.arities[v]) + static_cast<std::size_t>(x[v]);
                    }
                    double sum = 0.0;
                    for (double weight : weights) sum += weight;
                    chance *= weights[chosen] / sum;
                    return chosen;
                });
            CHECK(std::equal(x.begin(), x.end() - 1, completed.begin()));
            CHECK_NEAR(chance, net.probability(x) / whole, 1e-14);
            all += chance;
        }
        CHECK_NEAR(all, 1.0, 1e-14);
    }
}

TEST(each_weight_is_drawn_for_its_share_of_the_unit_interval) {
    std::vector<double> weights{3.0, 0.0, 1.0, 8.0, 4.0};
    std::vector<int> counts(5);
    for (int i = 0; i < 160; ++i) ++counts[draw_weighted(weights, i / 160.0)];
    CHECK_EQUAL(counts, (std::vector<int>{30, 0, 10, 80, 40}));
}

TEST(a_row_is_drawn_by_its_own_stream) {
    Small net;
    std::vector<std::int32_t> row{-1, 0, 0, 1, -1}, evidence, out(500 * 5);
    for (int i = 0; i < 500; ++i) evidence.insert(evidence.end(), row.begin(), row.end());
    std::vector<double> log_p(500);
    Progress progress;
    Batch batch(net.tree, net.tables(), {evidence.data(), 500}, no_limits, 3);
    batch.sample(progress, 11, out.data(), log_p.data());
    Restriction restriction(net.tree, free_of(net, row));
    auto drawn = std::find_if(restriction.parts().begin(), restriction.parts().end(),
                              [](const Part& part) { return part.rest > 1; });
    double first = 0.25 * 0.25, second = 0.75 * 0.75;  // P(a) P(c = 0 | a, b = 0)
    for (std::size_t i = 0; i < 500; ++i) {
        double u = Stream(11, i, static_cast<std::uint64_t>(drawn->clique)).uniform();
        CHECK_EQUAL(out[i * 5], u < first / (first + second) ? 0 : 1);
        CHECK_EQUAL(out[i * 5 + 4], 0);
    }
}

TEST(no_weight_of_zero_is_ever_drawn) {
    std::vector<double> weights{0.0, 0.25, 0.0, 0.75, 0.0};
    CHECK_EQUAL(draw_weighted(weights, 0.0), std::size_t{1});
    CHECK_EQUAL(draw_weighted(weights, 0.25), std::size_t{3});
    CHECK_EQUAL(draw_weighted(weights, 1.0), std::size_t{3});
}

TEST(rows_after_each_other_reuse_messages_without_a_trace) {
    Small net;
    Tables tables = net.tables();
    std::vector<char> free{1, 0, 1, 0, 0};
    Restriction restriction(net.tree, free);
    Propagation kept(restriction, tables);
    for (int round = 0; round < 2; ++round) {
        for (std::int32_t b = 0; b < 2; ++b) {
            for (std::int32_t d = 0; d < 2; ++d) {
                std::vector<std::int32_t> row{-1, b, -1, d, -1};
                for (Reduction reduction : {Reduction::sum, Reduction::maximum, Reduction::sum}) {
                    Propagation fresh(restriction, tables);
                    CHECK_EQUAL(kept.collect(row.data(), reduction), fresh.collect(row.data(), reduction));
                }
            }
        }
    }
}

TEST(tables_that_are_not_kept_are_made_again) {
    Small net;
    Tables tables = net.tables();
    for (const auto& row : rows) {
        Restriction restriction(net.tree, free_of(net, row));
        Propagation kept(restriction, tables), made_again(restriction, tables, 0);
        for (Reduction reduction : {Reduction::maximum, Reduction::sum}) {
            double log_p = kept.collect(row.data(), reduction);
            CHECK_EQUAL(made_again.collect(row.data(), reduction), log_p);
            if (log_p == -infinity) continue;
            std::vector<std::int32_t> one = row, other = row;
            std::int32_t *first = one.data(), *second = other.data();
            auto choose = [](const Part&, std::size_t, std::span<const double> weights) {
                return draw_weighted(weights, 0.7);
            };
            kept.complete(std::span(&first, 1), choose);
            made_again.complete(std::span(&second, 1), choose);
            CHECK_EQUAL(one, other);
        }
        if (kept.collect(row.data(), Reduction::sum) == -infinity) continue;
        made_again.collect(row.data(), Reduction::sum);
        std::vector<double> one(23), other(23);
        auto counts = [](std::vector<double>& all) {
            double* first = all.data();
            return std::vector<double*>{first, first + 2, first + 4, first + 16, first + 22};
        };
        kept.add_counts(2.0, counts(one));
        made_again.add_counts(2.0, counts(other));
        CHECK_EQUAL(one, other);
        CHECK_NEAR(one[0] + one[1], 2.0, 1e-14);
    }
}

TEST(what_is_too_large_is_refused_before_it_is_made) {
    Small net;
    std::vector<std::int32_t> evidence{-1, -1, -1, -1, -1};
    bool refused = false;
    try {
        Batch batch(net.tree, net.tables(), {evidence.data(), 1}, {11.0, 1e9}, 1);
    } catch (const TreeTooLarge& error) {
        refused = true;
        CHECK_EQUAL(error.size.largest, 12.0);
        CHECK_EQUAL(error.variables, (std::vector<int>{0, 1, 2}));
    }
    CHECK(refused);
    evidence[0] = 1;  // six entries are left, so it fits
    Batch batch(net.tree, net.tables(), {evidence.data(), 1}, {11.0, 1e9}, 1);
    double log_p = 0.0;
    Progress progress;
    batch.log_probabilities(progress, &log_p);
    CHECK_NEAR(log_p, std::log(0.75), 1e-14);
}

TEST(a_request_to_stop_ends_a_batch) {
    Small net;
    std::vector<std::int32_t> evidence = flat();
    std::vector<double> log_p(rows.size(), 7.0);
    Progress progress([](std::int64_t, double, double) { return true; });
    Batch batch(net.tree, net.tables(), {evidence.data(), rows.size()}, no_limits, 1);
    batch.log_probabilities(progress, log_p.data());
    CHECK_EQUAL(log_p, std::vector<double>(rows.size(), 7.0));
}
