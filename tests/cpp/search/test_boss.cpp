#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "check.hpp"
#include "index.hpp"
#include "random.hpp"
#include "search/boss/boss.hpp"
#include "search/boss/grow_shrink_tree.hpp"
#include "search/boss/iterate.hpp"
#include "search/boss/list_order.hpp"
#include "search/boss/parent_lists.hpp"
#include "search/boss/watch.hpp"

using namespace veridag;
using namespace veridag::boss_search;

namespace {

using Formula = std::function<double(int, const std::vector<int>&)>;

// The same for the same family: anything from -20 to 0, less a little for each parent.
Formula random_table(std::uint64_t table) {
    return [table](int child, const std::vector<int>& parents) {
        std::uint64_t hash = mix(table * 1000 + static_cast<std::uint64_t>(child));
        for (int p : parents) hash = mix(hash ^ static_cast<std::uint64_t>(p + 1));
        return -20.0 * static_cast<double>(hash >> 11) * 0x1.0p-53 - 0.5 * static_cast<double>(parents.size());
    };
}

class FormulaScorer : public LocalScorer {
   public:
    explicit FormulaScorer(const Formula& formula) : formula_(formula) {}
    double local(int child, std::span<const int> parents) override {
        return formula_(child, {parents.begin(), parents.end()});
    }

   private:
    Formula formula_;
};

// A criterion over a formula, with all that it needs; half of them with required and forbidden arcs.
struct Problem {
    int n;
    Formula formula;
    BatchScorer scorer;
    Criterion criterion;
    Constraints constraints;

    Problem(int variables, std::uint64_t table, int max_indegree, int threads = 1)
        : n(variables),
          formula(random_table(table)),
          scorer(variables, [this] { return std::make_unique<FormulaScorer>(formula); }),
          criterion(scorer, {}, threads),
          constraints(n, max_indegree) {
        Stream random(table, 7, 7);
        std::vector<int> order = shuffled(random);
        for (int j = 0; j < n && table % 2; ++j) {
            for (int i = 0, required = 0; i < n; ++i) {
                int u = order[at(i)], v = order[at(j)];
                double kind = random.uniform();
                if (i != j && kind < 0.2) constraints.forbidden.set(u, v);
                if (i < j && kind > 0.9 && required++ < std::min(2, max_indegree)) constraints.required.set(u, v);
            }
        }
    }

    std::vector<int> shuffled(Stream& random) const {
        std::vector<int> order(at(n));
        std::iota(order.begin(), order.end(), 0);
        for (int i = n - 1; i > 0; --i)
            std::swap(order[at(i)], order[at(static_cast<int>(random.uniform() * (i + 1)))]);
        return order;
    }

    BossResult run(const BossSettings& settings) {
        Progress nobody;
        return boss(criterion, constraints, settings, constraints.required, nullptr, nobody);
    }

    double score(const Matrix& dag) const {
        double sum = 0.0;
        for (int v = 0; v < n; ++v) sum += formula(v, dag.parents_of(v));
        return sum;
    }

    bool allows(int v, const std::vector<int>& parents) const {
        auto is_there = [&](int u) { return std::find(parents.begin(), parents.end(), u) != parents.end(); };
        for (int u = 0; u < n; ++u) {
            if (is_there(u) ? constraints.is_forbidden(u, v) : constraints.is_required(u, v)) return false;
        }
        return static_cast<int>(parents.size()) <= constraints.limit(v);
    }

    // Over all sets of these variables.
    double best_local(int v, const std::vector<int>& before) const {
        double best = minus_infinity;
        for (unsigned chosen = 0; chosen < 1U << before.size(); ++chosen) {
            std::vector<int> parents;
            for (std::size_t i = 0; i < before.size(); ++i) {
                if (chosen >> i & 1) parents.push_back(before[i]);
            }
            std::sort(parents.begin(), parents.end());
            if (allows(v, parents)) best = std::max(best, formula(v, parents));
        }
        return best;
    }

    double optimum() const {
        std::vector<int> order(at(n));
        std::iota(order.begin(), order.end(), 0);
        double best = minus_infinity;
        do {
            double sum = 0.0;
            for (int j = 0; j < n; ++j) sum += best_local(order[at(j)], {order.begin(), order.begin() + j});
            best = std::max(best, sum);
        } while (std::next_permutation(order.begin(), order.end()));
        return best;
    }
};

// Grow-shrink as it is defined, from the required parents.
std::vector<int> plain_grow_shrink(const Problem& problem, int v, const std::vector<int>& before) {
    std::vector<int> required = problem.constraints.required.parents_of(v), parents = required;
    auto best_change = [&](const std::vector<int>& variables, auto change) {
        std::vector<int> best = parents;
        for (int u : variables) {
            std::vector<int> changed = parents;
            change(changed, u);
            std::sort(changed.begin(), changed.end());
            if (problem.formula(v, changed) > problem.formula(v, best)) best = changed;
        }
        bool gained = best != parents;
        parents = best;
        return gained;
    };
    auto has = [](const std::vector<int>& set, int u) { return std::find(set.begin(), set.end(), u) != set.end(); };
    for (bool gained = true; gained && static_cast<int>(parents.size()) < problem.constraints.limit(v);) {
        std::vector<int> open;
        for (int u : before) {
            if (!has(parents, u) && !problem.constraints.is_forbidden(u, v)) open.push_back(u);
        }
        gained = best_change(open, [](std::vector<int>& set, int u) { set.push_back(u); });
    }
    for (bool gained = true; gained;) {
        std::vector<int> free;
        for (int u : parents) {
            if (!has(required, u)) free.push_back(u);
        }
        gained = best_change(free, [](std::vector<int>& set, int u) { std::erase(set, u); });
    }
    return parents;
}

bool is_acyclic(const Matrix& dag, const Constraints& constraints) {
    ParentSets parents(at(dag.size()));
    for (int v = 0; v < dag.size(); ++v) parents[at(v)] = dag.parents_of(v);
    return order_of(parents, constraints).size() == at(dag.size());  // throws if it is not
}

}  // namespace

TEST(grow_shrink_trees_find_what_grow_shrink_finds_for_any_predecessors) {
    for (std::uint64_t table = 0; table < 10; ++table) {
        int n = 8;
        Problem problem(n, table, table % 3 == 0 ? 2 : n - 1);
        Stream random(table, 3, 3);
        for (int v = 0; v < n; ++v) {
            GrowShrinkTree tree(problem.criterion, problem.constraints, v);
            for (int repeat = 0; repeat < 40; ++repeat) {
                std::vector<int> before;
                Bits bits(words_for(n), 0);
                for (int u = 0; u < n; ++u) {
                    if (u == v || (random.uniform() < 0.5 && !problem.constraints.is_required(u, v))) continue;
                    before.push_back(u);
                    set_bit(bits.data(), u);
                }
                std::size_t node = tree.trace(bits.data());
                CHECK_EQUAL(tree.parents(node), plain_grow_shrink(problem, v, before));
                CHECK_EQUAL(tree.score(node), problem.formula(v, tree.parents(node)));
            }
        }
    }
}

TEST(ranking_takes_scores_that_differ_by_rounding_by_index) {
    std::vector<double> scores{-5.0, -3.0 - 1e-12, minus_infinity, -3.0, -4.0, minus_infinity};
    CHECK_EQUAL(ranked(scores), (std::vector<std::size_t>{1, 3, 4, 0, 2, 5}));
}

TEST(lists_have_the_best_set_for_any_predecessors_where_there_are_few) {
    for (std::uint64_t table = 0; table < 10; ++table) {
        int n = 7;
        Problem problem(n, table, table % 3 == 0 ? 3 : n - 1);
        Progress nobody;
        Watch watch(nobody, -1.0);
        for (int v = 0; v < n; ++v) {
            Hints hints;
            for (int u = 0; u < n; ++u) {
                if (u != v && !problem.constraints.is_forbidden(u, v)) hints.candidates.push_back(u);
            }
            Choices list = list_parent_sets(problem.criterion, problem.constraints, v, hints, {n, 1000, true}, watch);
            CHECK(std::is_sorted(list.scores.rbegin(), list.scores.rend()));
            for (Mask before = 0; before < Mask{1} << list.candidates.size(); ++before) {
                double best = list.best(before);
                CHECK(std::abs(best - problem.best_local(v, list.members(before))) < 1e-9 || (list.required & ~before));
            }
        }
    }
}

TEST(an_order_disturbed_and_improved_keeps_its_score_and_the_required_arcs) {
    for (std::uint64_t table = 0; table < 10; ++table) {
        int n = 9;
        Problem problem(n, table, 3);
        Progress nobody;
        Watch watch(nobody, -1.0);
        std::vector<Choices> lists;
        for (int v = 0; v < n; ++v) {
            Hints hints;
            for (int u = 0; u < n; ++u) {
                if (u != v && !problem.constraints.is_forbidden(u, v)) hints.candidates.push_back(u);
            }
            lists.push_back(list_parent_sets(problem.criterion, problem.constraints, v, hints, {n, 1000, true}, watch));
        }
        ListTable lookup(std::move(lists));
        ListOrder order(lookup, order_of({}, problem.constraints));
        Stream random(table, 5, 5);
        for (int repeat = 0; repeat < 50; ++repeat) {
            order.disturb(3, random);
            order.climb(watch);
            ListOrder same(lookup, order.order());
            CHECK(std::abs(same.score() - order.score()) < 1e-9);
            for (int v = 0; v < n; ++v) {
                std::vector<int> before(order.order().begin(),
                                        std::find(order.order().begin(), order.order().end(), v));
                std::sort(before.begin(), before.end());
                for (int u : problem.constraints.required.parents_of(v))
                    CHECK(std::binary_search(before.begin(), before.end(), u));
                CHECK(std::abs(problem.formula(v, order.parents(v)) - problem.best_local(v, before)) < 1e-9);
            }
            same.climb(watch);
            CHECK(std::abs(same.score() - order.score()) < 1e-9);  // no move of one variable gains
        }
    }
}

TEST(best_order_search_reaches_the_optimum_of_small_networks) {
    for (int n = 1; n <= 6; ++n) {
        for (std::uint64_t table = 0; table < 8; ++table) {
            int max_indegree = table < 4 ? n - 1 : std::min(n - 1, 2);
            Problem problem(n, table, max_indegree);
            BossResult result = problem.run({.seed = table});
            CHECK(std::abs(result.score - problem.optimum()) < 1e-9);
            CHECK(std::abs(result.score - problem.score(result.dag)) < 1e-9);
            for (int v = 0; v < n; ++v) CHECK(problem.allows(v, result.dag.parents_of(v)));
            CHECK(is_acyclic(result.dag, problem.constraints));
            CHECK(!result.interrupted && !result.late);
        }
    }
}

TEST(best_order_search_depends_on_the_seed_and_not_on_threads) {
    Problem one(14, 3, 3), three(14, 3, 3, 3);
    BossResult first = one.run({.seed = 4}), other = three.run({.seed = 4});
    CHECK(first.dag == other.dag);
    CHECK_EQUAL(first.score, other.score);
    CHECK_EQUAL(first.steps, other.steps);
    CHECK_EQUAL(one.criterion.calls(), three.criterion.calls());
}

TEST(best_order_search_that_is_stopped_returns_the_best_so_far) {
    for (int calls = 0; calls < 6; ++calls) {
        for (bool by_deadline : {false, true}) {
            Problem problem(12, 5, 3);
            int left = calls;
            Progress progress([&](std::int64_t, double, double) { return !by_deadline && left-- <= 0; });
            BossSettings settings{.restarts = 1'000'000, .time_limit = by_deadline ? 0.001 * calls : -1.0};
            BossResult result =
                boss(problem.criterion, problem.constraints, settings, problem.constraints.required, nullptr, progress);
            CHECK_EQUAL(result.interrupted, !by_deadline);
            CHECK_EQUAL(result.late, by_deadline);
            CHECK(result.score >= problem.score(problem.constraints.required));
            CHECK(std::abs(result.score - problem.score(result.dag)) < 1e-9);
            for (int v = 0; v < 12; ++v) CHECK(problem.allows(v, result.dag.parents_of(v)));
            CHECK(is_acyclic(result.dag, problem.constraints));
        }
    }
}

TEST(best_order_search_can_be_stopped_after_any_number_of_families) {
    Problem whole(9, 5, 3);
    Formula formula = whole.formula;
    whole.run({.restarts = 2});
    for (std::int64_t most = 1; most < whole.criterion.distinct_calls(); most += 7) {
        Problem problem(9, 5, 3);
        Progress progress;
        std::int64_t scored = 0;
        problem.formula = [&](int child, const std::vector<int>& parents) {
            if (++scored == most) progress.request_stop();
            return formula(child, parents);
        };
        BossResult result = boss(problem.criterion, problem.constraints, {.restarts = 2}, problem.constraints.required,
                                 nullptr, progress);
        CHECK(result.interrupted);
        CHECK(std::abs(result.score - problem.score(result.dag)) < 1e-9);
        for (int v = 0; v < 9; ++v) CHECK(problem.allows(v, result.dag.parents_of(v)));
        CHECK(is_acyclic(result.dag, problem.constraints));
    }
}
