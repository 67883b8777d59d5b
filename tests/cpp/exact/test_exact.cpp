#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>

#include "check.hpp"
#include "exact/candidates.hpp"
#include "exact/clusters.hpp"
#include "exact/dynamic_programming.hpp"
#include "exact/facets.hpp"
#include "exact/k_best.hpp"
#include "exact/order_climb.hpp"
#include "exact/reduction.hpp"
#include "random.hpp"

using namespace veridag;

namespace {

using Rows =
    std::vector<std::vector<std::pair<double, std::vector<std::int32_t>>>>;  // of each variable: score and parents

Rows random_rows(int n, std::uint64_t seed, std::size_t sets, int most) {
    Stream random(seed, 7, 7);
    Rows all;
    for (int v = 0; v < n; ++v) {
        std::map<std::vector<std::int32_t>, double> own{{{}, -20.0 - 3.0 * random.uniform()}};
        while (own.size() < sets) {
            std::vector<std::int32_t> parents;
            int size = 1 + static_cast<int>(random.uniform() * most);
            for (int k = 0; k < size; ++k) {
                int u = static_cast<int>(random.uniform() * n);
                if (u != v && std::find(parents.begin(), parents.end(), u) == parents.end()) parents.push_back(u);
            }
            std::sort(parents.begin(), parents.end());
            if (!parents.empty())
                own[parents] = -20.0 + 4.0 * static_cast<double>(parents.size()) + 5.0 * random.uniform();
        }
        all.emplace_back();
        for (auto& [parents, score] : own) all.back().emplace_back(score, parents);
        std::stable_sort(all.back().begin(), all.back().end(),
                         [](const auto& a, const auto& b) { return a.first > b.first; });
    }
    return all;
}

Candidates to_candidates(const Rows& rows) {
    std::vector<std::int64_t> offsets{0}, parent_offsets{0};
    std::vector<double> scores;
    std::vector<std::int32_t> parents;
    for (const auto& own : rows) {
        for (const auto& [score, set] : own) {
            scores.push_back(score);
            parents.insert(parents.end(), set.begin(), set.end());
            parent_offsets.push_back(static_cast<std::int64_t>(parents.size()));
        }
        offsets.push_back(static_cast<std::int64_t>(scores.size()));
    }
    return Candidates(static_cast<int>(rows.size()), offsets, scores, parent_offsets, parents);
}

double best_of(const Candidates& candidates) {
    Progress nobody;
    return solve_dp(candidates, {}, nobody).score;
}

double score_of(const Candidates& candidates, const std::vector<std::size_t>& choice) {
    return std::accumulate(choice.begin(), choice.end(), 0.0,
                           [&](double sum, std::size_t row) { return sum + candidates.score(row); });
}

// All choices of one row a variable.
template <class Act>
void each_choice(const Candidates& candidates, Act act) {
    std::vector<std::size_t> choice;
    for (int v = 0; v < candidates.variables(); ++v) choice.push_back(candidates.begin(v));
    for (;;) {
        act(choice);
        int v = 0;
        for (; v < candidates.variables(); ++v) {
            auto& row = choice[static_cast<std::size_t>(v)];
            if (++row < candidates.end(v)) break;
            row = candidates.begin(v);
        }
        if (v == candidates.variables()) return;
    }
}

double sum_of(const Candidates& candidates, const std::vector<double>& x, const Bits& cluster) {
    double sum = 0.0;
    for (std::int64_t row : cluster_rows(candidates, cluster, true)) sum += x[static_cast<std::size_t>(row)];
    return sum;
}

}  // namespace

TEST(dynamic_programming_finds_the_best_acyclic_choice) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        Candidates candidates = to_candidates(random_rows(4, seed, 5, 3));
        double best = minus_infinity;
        each_choice(candidates, [&](const std::vector<std::size_t>& choice) {
            if (candidates.acyclic(choice)) best = std::max(best, score_of(candidates, choice));
        });
        Progress nobody;
        ExactResult found = solve_dp(candidates, {}, nobody);
        CHECK(found.finished && candidates.acyclic(found.choice));
        CHECK_NEAR(found.score, best, 1e-9);
        CHECK_NEAR(score_of(candidates, found.choice), best, 1e-9);
    }
}

// The scores of all acyclic choices, best first.
std::vector<double> all_scores(const Candidates& candidates) {
    std::vector<double> scores;
    each_choice(candidates, [&](const std::vector<std::size_t>& choice) {
        if (candidates.acyclic(choice)) scores.push_back(score_of(candidates, choice));
    });
    std::sort(scores.rbegin(), scores.rend());
    return scores;
}

TEST(the_k_best_networks_are_the_first_of_all_acyclic_choices_each_once) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        int n = 1 + static_cast<int>(seed % 5);
        Candidates candidates = to_candidates(random_rows(n, seed, n == 1 ? 1 : n == 2 ? 2 : 4, n == 5 ? 4 : 2));
        std::vector<double> expected = all_scores(candidates);
        for (std::size_t k : {std::size_t{1}, std::size_t{2}, std::size_t{7}, expected.size(), expected.size() + 5}) {
            Progress nobody;
            KBestResult found = k_best(candidates, k, nobody);
            CHECK(found.finished && found.scores.size() == std::min(k, expected.size()) &&
                  found.choices.size() == found.scores.size());
            for (std::size_t i = 0; i < found.scores.size(); ++i) {
                CHECK_NEAR(found.scores[i], expected[i], 1e-9);
                CHECK(candidates.acyclic(found.choices[i]) &&
                      found.scores[i] == score_of(candidates, found.choices[i]));
            }
            std::vector<std::vector<std::size_t>> different = found.choices;
            std::sort(different.begin(), different.end());
            CHECK_EQUAL(std::adjacent_find(different.begin(), different.end()), different.end());
        }
    }
}

TEST(equal_scores_make_no_network_come_twice_or_stay_out) {
    Rows rows(4);
    for (std::int32_t v = 0; v < 4; ++v) {  // all sets of parents, worth nothing
        for (std::uint32_t set = 0; set < 16; ++set) {
            std::vector<std::int32_t> parents;
            for (std::int32_t u = 0; u < 4; ++u) {
                if (set >> u & 1) parents.push_back(u);
            }
            if (!(set >> v & 1)) rows[static_cast<std::size_t>(v)].emplace_back(0.0, parents);
        }
    }
    Candidates candidates = to_candidates(rows);
    for (std::size_t k : {1, 10, 542, 543, 1000}) {
        Progress nobody;
        std::vector<std::vector<std::size_t>> found = k_best(candidates, k, nobody).choices;
        CHECK_EQUAL(found.size(), std::min(k, std::size_t{543}));  // so many there are
        std::sort(found.begin(), found.end());
        CHECK_EQUAL(std::adjacent_find(found.begin(), found.end()), found.end());
    }
}

TEST(the_best_of_the_k_best_is_the_best) {
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
        Candidates candidates =
            to_candidates(random_rows(9, seed, 100, 4));  // small sets list their subsets, large ones their rows
        Progress nobody;
        KBestResult few = k_best(candidates, 3, nobody), many = k_best(candidates, 300, nobody);
        CHECK_NEAR(few.scores[0], best_of(candidates), 1e-9);
        for (std::size_t i = 0; i < 3; ++i) CHECK_NEAR(few.scores[i], many.scores[i], 1e-9);
        CHECK(many.scores.size() == 300 && std::is_sorted(many.scores.rbegin(), many.scores.rend()));
    }
}

TEST(the_k_best_are_none_where_no_network_is_allowed_or_the_search_is_stopped) {
    Progress nobody;
    KBestResult found = k_best(to_candidates({{{1.0, {1}}}, {{2.0, {0}}}}), 5, nobody);
    CHECK(found.finished && found.choices.empty());
    Progress impatient([](std::int64_t, double, double) { return true; });
    found = k_best(to_candidates(random_rows(15, 1, 30, 3)), 300, impatient);
    CHECK(!found.finished && found.choices.empty());
}

TEST(the_k_best_of_too_much_are_refused) {
    Progress nobody;
    CHECK_THROWS(k_best(to_candidates(random_rows(21, 1, 3, 2)), 1, nobody), std::invalid_argument);
    CHECK_THROWS(k_best(to_candidates(random_rows(3, 1, 3, 2)), 0, nobody), std::invalid_argument);
    CHECK_THROWS(k_best(to_candidates({{{1.0, {}}, {0.0, {}}}}), 1, nobody), std::invalid_argument);
    CHECK_EQUAL(k_best_bytes(3, 1000), 16.0 * (1 + 3 * 1 + 3 * 3 + 25) + 8 * (8 + 8 * 3));
    CHECK(k_best_bytes(15, 100) < 2 * 16.0 * 100 * 32768);
}

TEST(cycles_are_found_if_and_only_if_a_choice_is_cyclic_and_have_sum_zero) {
    Candidates candidates = to_candidates(random_rows(4, 3, 6, 2));
    each_choice(candidates, [&](const std::vector<std::size_t>& choice) {
        std::vector<double> x(candidates.rows(), 0.0);
        for (std::size_t row : choice) x[row] = 1.0;
        std::vector<Bits> found = cycles(candidates, choice);
        CHECK_EQUAL(found.empty(), candidates.acyclic(choice));
        for (const Bits& cycle : found) CHECK_EQUAL(sum_of(candidates, x, cycle), 0.0);
    });
}

TEST(an_acyclic_choice_violates_no_cluster_and_what_is_found_is_violated) {
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
        Candidates candidates = to_candidates(random_rows(70, seed, 8, 3));  // two words a set
        Stream random(seed, 1, 2);
        std::vector<double> x(candidates.rows(), 0.0);
        for (int v = 0; v < candidates.variables(); ++v) {  // two rows of each variable share the weight
            double weight = random.uniform();
            auto pick = [&] {
                return candidates.begin(v) +
                       static_cast<std::size_t>(random.uniform() *
                                                static_cast<double>(candidates.end(v) - candidates.begin(v)));
            };
            x[pick()] += weight;
            x[pick()] += 1.0 - weight;
        }
        std::vector<Bits> found = violated_clusters(candidates, x, 0.01, 1000);
        CHECK(!found.empty());
        for (const Bits& cluster : found) CHECK(sum_of(candidates, x, cluster) < 0.99 + 1e-9);
        for (std::size_t i = 1; i < found.size(); ++i) CHECK(found[i] != found[i - 1]);
        CHECK(violated_clusters(candidates, x, 0.01, 3).size() <= 3);
    }
    Candidates candidates = to_candidates(random_rows(6, 5, 6, 3));
    each_choice(candidates, [&](const std::vector<std::size_t>& choice) {
        std::vector<double> x(candidates.rows(), 0.0);
        for (std::size_t row : choice) x[row] = 1.0;
        if (candidates.acyclic(choice)) CHECK(violated_clusters(candidates, x, 1e-6, 10).empty());
    });
}

TEST(rows_outside_and_inside_a_cluster_are_all_rows_of_its_members) {
    Candidates candidates = to_candidates(random_rows(9, 2, 7, 3));
    Bits cluster{0b100101};
    auto outside = cluster_rows(candidates, cluster, true), inside = cluster_rows(candidates, cluster, false);
    CHECK_EQUAL(outside.size() + inside.size(), 3 * 7);
    for (std::int64_t row : outside) CHECK(!(candidates.set(static_cast<std::size_t>(row))[0] & cluster[0]));
    for (std::int64_t row : inside) CHECK(candidates.set(static_cast<std::size_t>(row))[0] & cluster[0]);
}

TEST(an_ascent_bounds_every_network_and_every_network_with_a_row) {
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
        Rows rows = random_rows(7, seed, 6, 3);
        Candidates candidates = to_candidates(rows);
        Bound bound = dual_ascent(candidates, seed);
        CHECK(bound.score >= best_of(candidates) - 1e-9);
        CHECK(bound.score < score_of(candidates, {0, 6, 12, 18, 24, 30, 36}));  // better than the best of each variable
        for (std::size_t row = 0; row < candidates.rows(); ++row) {
            CHECK(bound.loss[row] >= -1e-9);
            Rows forced = rows;
            auto v = static_cast<std::size_t>(candidates.child(row));
            forced[v] = {rows[v][row - candidates.begin(candidates.child(row))]};
            CHECK(best_of(to_candidates(forced)) <= bound.score - bound.loss[row] + 1e-9);
        }
    }
}

TEST(an_ascent_ends_in_an_order_of_candidates_without_loss_and_names_its_clusters) {
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
        Candidates candidates = to_candidates(random_rows(8, seed, 6, 3));
        Bound bound = dual_ascent(candidates, seed);
        CHECK_EQUAL(bound.order.size(), 8);
        Bits before(1, 0);
        for (int v : bound.order) {
            bool free = false;
            for (std::size_t row = candidates.begin(v); row < candidates.end(v); ++row)
                free |= bound.loss[row] <= 1e-9 && candidates.within(row, before.data());
            CHECK(free && !has_bit(before.data(), v));
            set_bit(before.data(), v);
        }
        CHECK(!bound.clusters.empty());
        for (const Bits& cluster : bound.clusters) CHECK(std::popcount(cluster[0]) >= 2);
    }
}

TEST(an_ascent_tells_that_no_network_is_allowed) {
    Candidates candidates = to_candidates({{{1.0, {1}}}, {{2.0, {0}}}});
    CHECK_EQUAL(dual_ascent(candidates, 0).score, minus_infinity);
    CHECK_EQUAL(best_of(candidates), minus_infinity);
}

TEST(the_best_networks_of_the_parts_make_the_best_network) {
    std::size_t several = 0;
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
        Candidates candidates = to_candidates(random_rows(9, seed, 2, 2));
        std::vector<Part> parts = split(candidates, std::vector<char>(candidates.rows(), 1));
        several += parts.size() > 1;
        double sum = 0.0;
        std::vector<std::size_t> choice(9);
        for (const Part& part : parts) {
            Progress nobody;
            ExactResult found = solve_dp(part.candidates, {}, nobody);
            sum += found.score;
            for (std::size_t k = 0; k < part.variables.size(); ++k)
                choice[static_cast<std::size_t>(part.variables[k])] = part.rows[found.choice[k]];
        }
        CHECK_NEAR(sum, best_of(candidates), 1e-9);
        CHECK(candidates.acyclic(choice) && std::abs(score_of(candidates, choice) - sum) < 1e-9);
    }
    CHECK(several > 10);
}

TEST(climbing_gives_an_acyclic_choice_that_is_often_the_best) {
    int best = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        Candidates candidates = to_candidates(random_rows(10, seed, 10, 3));
        std::vector<int> order(10);
        std::iota(order.begin(), order.end(), 0);
        Progress nobody;
        ClimbResult found = climb_orders(candidates, order, {50, seed}, nobody);
        CHECK(candidates.acyclic(found.choice));
        CHECK_NEAR(found.score, score_of(candidates, found.choice), 1e-9);
        CHECK(found.score <= best_of(candidates) + 1e-9);
        best += found.score > best_of(candidates) - 1e-9;
    }
    CHECK(best >= 18);
}

// All graphs on four variables, each as the bits of every variable's parents.
template <class Act>
void each_acyclic_four(Act act) {
    for (int code = 0; code < 1 << 16; ++code) {
        std::array<int, 4> parents{code & 15, code >> 4 & 15, code >> 8 & 15, code >> 12};
        int placed = 0;
        for (int round = 0; round < 4; ++round) {
            for (int v = 0; v < 4; ++v) {
                if (!(parents[static_cast<std::size_t>(v)] & ~placed)) placed |= 1 << v;
            }
        }
        if (placed == 15) act(parents);
    }
}

TEST(facets_hold_in_every_acyclic_graph_on_four_variables_and_are_reached_by_many) {
    CHECK_EQUAL(four_variable_facets().size(), 6 + 12 + 4);
    for (const Facet& facet : four_variable_facets()) {
        int graphs = 0, reached = 0;
        each_acyclic_four([&](const std::array<int, 4>& parents) {
            int sum = 0;
            for (std::size_t v = 0; v < 4; ++v) sum += facet.coefficient[v][parents[v]];
            CHECK(sum <= facet.most);
            ++graphs;
            reached += sum == facet.most;
        });
        CHECK(graphs == 543 && reached >= 28);  // as many as the polytope has dimensions
    }
}

TEST(cuts_that_are_found_are_violated_and_hold_in_every_network) {
    std::size_t found = 0, with_four = 0;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        Rows rows = random_rows(6, seed, 9, 3);
        Candidates candidates = to_candidates(rows);
        Stream random(seed, 3, 3);
        std::vector<double> x(candidates.rows(), 0.0);
        for (int v = 0; v < 6; ++v) {  // two of the sets with most parents, one half each
            for (int k = 0; k < 2; ++k) x[candidates.begin(v) + static_cast<std::size_t>(random.uniform() * 5)] += 0.5;
        }
        for (const Cut& cut : violated_facets(candidates, x, 1e-3, 1000)) {
            double sum = 0.0;
            Rows counted = rows;
            for (auto& own : counted) {
                for (auto& row : own) row.first = 0.0;
            }
            int variables = 0, last = -1;
            for (std::size_t k = 0; k < cut.rows.size(); ++k) {
                auto row = static_cast<std::size_t>(cut.rows[k]);
                int v = candidates.child(row);
                sum += cut.coefficients[k] * x[row];
                counted[static_cast<std::size_t>(v)][row - candidates.begin(v)].first = cut.coefficients[k];
                variables += v != last;
                last = v;
            }
            for (auto& own : counted)
                std::stable_sort(own.begin(), own.end(),
                                 [](const auto& a, const auto& b) { return a.first > b.first; });
            CHECK(sum > cut.most + 1e-3);
            CHECK(best_of(to_candidates(counted)) <= cut.most + 1e-9);
            ++found;
            with_four += variables == 4;
        }
    }
    CHECK(found > 100 && with_four > 10);
}

TEST(a_table_that_makes_no_sense_is_refused) {
    CHECK_THROWS(to_candidates({{{1.0, {0}}}}), std::invalid_argument);
    CHECK_THROWS(to_candidates({{{1.0, {5}}}}), std::invalid_argument);
    CHECK_THROWS(to_candidates({{{1.0, {}}, {2.0, {1}}}, {{1.0, {}}}}), std::invalid_argument);
    CHECK_THROWS(to_candidates({{{std::nan(""), {}}}}), std::invalid_argument);
}

TEST(mutual_pairs_are_candidate_parents_of_each_other) {
    Candidates candidates = to_candidates({{{1.0, {1, 2}}, {0.0, {}}}, {{1.0, {0}}}, {{2.0, {1}}, {1.0, {}}}});
    std::vector<Bits> pairs = mutual_pairs(candidates);
    CHECK(pairs.size() == 1 && pairs[0][0] == 0b011);
}
