#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <thread>

#include "check.hpp"
#include "index.hpp"
#include "random.hpp"
#include "search/order/order.hpp"
#include "search/order/walk.hpp"

using namespace veridag;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

using VariableSet = std::uint64_t;

// Scores out of thin air, the same for the same family: anything from -20 to 0, less a little for each parent.
double random_local(std::uint64_t table, int child, std::span<const int> parents) {
    std::uint64_t hash = mix(table * 1000 + static_cast<std::uint64_t>(child));
    for (int p : parents) hash = mix(hash ^ static_cast<std::uint64_t>(p + 1));
    return -20.0 * static_cast<double>(hash >> 11) * 0x1.0p-53 - 0.5 * static_cast<double>(parents.size());
}

using Formula = std::function<double(int, std::span<const int>)>;

class FormulaScorer : public LocalScorer {
   public:
    explicit FormulaScorer(const Formula& formula) : formula_(formula) {}
    double local(int child, std::span<const int> parents) override { return formula_(child, parents); }

   private:
    Formula formula_;
};

// A criterion over a formula, with all that it needs.
struct Problem {
    int n;
    Formula formula;
    BatchScorer scorer;
    Criterion criterion;
    Constraints constraints;

    Problem(int variables, Formula f, int threads = 1)
        : n(variables),
          formula(std::move(f)),
          scorer(variables, [this] { return std::make_unique<FormulaScorer>(formula); }),
          criterion(scorer, {}, threads),
          constraints(n, std::max(0, n - 1)) {}
    Problem(const Problem&) = delete;
    Problem& operator=(const Problem&) = delete;

    Problem& limited(int max_indegree) {
        constraints.max_indegree.assign(at(n), max_indegree);
        return *this;
    }

    // Forbids one arc in five, and requires one in ten of the others that follow a random order, two a child at most.
    void constrain(std::uint64_t seed) {
        Stream random(seed, 7, 7);
        std::vector<int> order = shuffled(n, random);
        for (int j = 0; j < n; ++j) {
            int required = 0;
            for (int i = 0; i < n; ++i) {
                if (i == j) continue;
                int u = order[at(i)], v = order[at(j)];
                if (random.uniform() < 0.2) {
                    constraints.forbidden.set(u, v);
                } else if (i < j && required < 2 && random.uniform() < 0.1) {
                    constraints.required.set(u, v);
                    ++required;
                }
            }
        }
    }

    static std::vector<int> shuffled(int size, Stream& random) {
        std::vector<int> order(at(size));
        std::iota(order.begin(), order.end(), 0);
        for (int i = size - 1; i > 0; --i)
            std::swap(order[at(i)], order[at(static_cast<int>(random.uniform() * (i + 1)))]);
        return order;
    }

    OrderResult run(const OrderSettings& settings, const Matrix* start = nullptr) {
        Progress nobody;
        return anneal_orders(criterion, constraints, settings, start, nobody);
    }

    // Without the criterion's cache.
    double score(const Matrix& dag) const {
        double sum = 0.0;
        for (int v = 0; v < n; ++v) sum += formula(v, dag.parents_of(v));
        return sum;
    }

    bool allowed(const Matrix& dag, int max_indegree) const {
        for (int v = 0; v < n; ++v) {
            if (static_cast<int>(dag.parents_of(v).size()) > max_indegree) return false;
            for (int u = 0; u < n; ++u) {
                if (dag.has(u, v) && constraints.forbidden.has(u, v)) return false;
                if (!dag.has(u, v) && constraints.required.has(u, v)) return false;
            }
        }
        return true;
    }

    // The scores of all allowed DAGs whose arcs follow the order: every subset of the forward arcs.
    std::vector<double> compatible_scores(const std::vector<int>& order, int max_indegree) const {
        std::vector<std::pair<int, int>> forward;
        for (int j = 0; j < n; ++j) {
            for (int i = 0; i < j; ++i) forward.emplace_back(order[at(i)], order[at(j)]);
        }
        std::vector<double> scores;
        for (VariableSet chosen = 0; chosen < VariableSet{1} << forward.size(); ++chosen) {
            Matrix dag(n);
            for (std::size_t k = 0; k < forward.size(); ++k)
                dag.set(forward[k].first, forward[k].second, chosen >> k & 1);
            if (allowed(dag, max_indegree)) scores.push_back(score(dag));
        }
        return scores;
    }

    // The best score of any allowed DAG: over all orders the best set of predecessors for each.
    double optimum(int max_indegree) const {
        std::vector<int> order(at(n));
        std::iota(order.begin(), order.end(), 0);
        double best = -infinity;
        do {
            double sum = 0.0;
            for (int j = 0; j < n; ++j) sum += best_local(order, j, max_indegree);
            best = std::max(best, sum);
        } while (std::next_permutation(order.begin(), order.end()));
        return best;
    }

    double best_local(const std::vector<int>& order, int j, int max_indegree) const {
        int v = order[at(j)];
        double best = -infinity;
        for (VariableSet chosen = 0; chosen < VariableSet{1} << j; ++chosen) {
            if (std::popcount(chosen) > max_indegree) continue;
            Matrix column(n);
            for (int i = 0; i < j; ++i) column.set(order[at(i)], v, chosen >> i & 1);
            bool good = true;
            for (int u = 0; u < n; ++u) {
                if (column.has(u, v) ? constraints.forbidden.has(u, v) : constraints.required.has(u, v)) good = false;
            }
            if (good) best = std::max(best, formula(v, column.parents_of(v)));
        }
        return best;
    }
};

Formula random_table(std::uint64_t table) {
    return [table](int child, std::span<const int> parents) { return random_local(table, child, parents); };
}

bool near(double a, double b) { return a == b || std::abs(a - b) <= 1e-8 * std::max(1.0, std::abs(b)); }

double log_sum_exp(const std::vector<double>& values) {
    if (values.empty()) return -infinity;
    double largest = *std::max_element(values.begin(), values.end()), sum = 0.0;
    for (double value : values) sum += std::exp(value - largest);
    return largest + std::log(sum);
}

// The order is a permutation and every arc follows it: so there is no cycle.
bool follows(const Matrix& dag, const std::vector<int>& order, int n) {
    std::vector<int> place(at(n), -1);
    if (order.size() != at(n)) return false;
    for (int i = 0; i < n; ++i) {
        if (order[at(i)] < 0 || order[at(i)] >= n || place[at(order[at(i)])] != -1) return false;
        place[at(order[at(i)])] = i;
    }
    for (int u = 0; u < n; ++u) {
        for (int v = 0; v < n; ++v) {
            if (dag.has(u, v) && place[at(u)] >= place[at(v)]) return false;
        }
    }
    return true;
}

bool same(const OrderResult& a, const OrderResult& b) {
    return a.dag == b.dag && a.order == b.order && a.score == b.score && a.steps == b.steps;
}

}  // namespace

TEST(order_annealing_reaches_the_optimum_of_small_networks) {
    for (int n = 2; n <= 6; ++n) {
        for (std::uint64_t table = 0; table < 6; ++table) {
            Problem problem(n, random_table(table));
            if (table % 2) problem.constrain(table);
            int max_indegree = table < 3 ? n - 1 : 2;
            OrderResult result =
                problem.limited(max_indegree).run({.candidates = n - 1, .steps = 20'000, .seed = table});
            CHECK(near(result.score, problem.optimum(max_indegree)));
            CHECK(near(result.score, problem.score(result.dag)));
            CHECK(problem.allowed(result.dag, max_indegree));
            CHECK(follows(result.dag, result.order, n));
            CHECK(result.steps == 20'000 && !result.interrupted);
        }
    }
}

TEST(the_score_of_an_order_is_the_best_or_the_log_sum_over_all_dags_compatible_with_it) {
    for (std::uint64_t table = 0; table < 12; ++table) {
        int n = 2 + static_cast<int>(table % 4);
        Problem problem(n, random_table(table));
        if (table % 3) problem.constrain(table);
        Stream random(table, 1, 1);
        for (int max_indegree : {2, n - 1}) {
            std::vector<int> order = Problem::shuffled(n, random);
            bool enough = true;
            for (int v = 0; v < n; ++v)
                enough &= static_cast<int>(problem.constraints.required.parents_of(v).size()) <= max_indegree;
            if (!enough) continue;
            std::vector<double> all = problem.compatible_scores(order, max_indegree);
            problem.limited(max_indegree);
            OrderSettings settings{.candidates = n - 1};
            CHECK(near(order_score(problem.criterion, problem.constraints, settings, order),
                       all.empty() ? -infinity : *std::max_element(all.begin(), all.end())));
            settings.average = true;
            CHECK(near(order_score(problem.criterion, problem.constraints, settings, order), log_sum_exp(all)));
        }
    }
}

TEST(the_average_over_an_order_survives_scores_far_below_those_of_other_orders) {
    // Without its parent the child scores less by more than any floating-point number is small.
    Problem problem(
        2, [](int child, std::span<const int> parents) { return child == 1 && parents.empty() ? -5000.0 : -1.0; });
    std::vector<int> forwards{0, 1}, backwards{1, 0};
    OrderSettings settings{.candidates = 1, .average = true};
    CHECK(near(order_score(problem.criterion, problem.constraints, settings, forwards), -2.0));
    CHECK(near(order_score(problem.criterion, problem.constraints, settings, backwards), -5001.0 + std::log(2.0)));
}

TEST(an_order_against_a_required_arc_has_no_dag) {
    Problem problem(3, random_table(1));
    problem.constraints.required.set(2, 0);
    std::vector<int> against{0, 1, 2}, along{2, 1, 0};
    for (bool average : {false, true}) {
        OrderSettings settings{.candidates = 2, .average = average};
        CHECK_EQUAL(order_score(problem.criterion, problem.constraints, settings, against), -infinity);
        CHECK(order_score(problem.criterion, problem.constraints, settings, along) > -infinity);
    }
}

TEST(order_annealing_keeps_to_the_constraints_and_to_its_own_order) {
    for (std::uint64_t table = 0; table < 8; ++table) {
        int n = 16;
        Problem problem(n, random_table(table));
        problem.limited(3).constrain(table);
        for (bool average : {false, true}) {
            OrderSettings settings{.candidates = 5, .steps = 5'000, .average = average, .seed = table};
            OrderResult result = problem.run(settings);
            CHECK(problem.allowed(result.dag, 3));
            CHECK(follows(result.dag, result.order, n));
            CHECK(near(result.score, problem.score(result.dag)));
            settings.average = false;
            CHECK(near(result.score, order_score(problem.criterion, problem.constraints, settings, result.order)));
        }
        CHECK(problem.allowed(problem.limited(2).run({.candidates = 5, .steps = 1'000}).dag, 2));
    }
}

TEST(no_variable_can_gain_by_another_place_in_the_order_found) {
    for (bool average : {false, true}) {
        int n = 9;
        Problem problem(n, random_table(3));
        problem.limited(3).constrain(3);
        for (std::int64_t steps : {0, 3'000}) {
            OrderSettings settings{.candidates = 6, .steps = steps, .average = average};
            OrderResult result = problem.run(settings);
            double reached = order_score(problem.criterion, problem.constraints, settings, result.order);
            for (int from = 0; from < n; ++from) {
                for (int to = 0; to < n; ++to) {
                    std::vector<int> moved = result.order;
                    moved.erase(moved.begin() + from);
                    moved.insert(moved.begin() + to, result.order[at(from)]);
                    CHECK(order_score(problem.criterion, problem.constraints, settings, moved) <= reached + 1e-6);
                }
            }
        }
    }
}

TEST(the_best_place_for_a_variable_is_the_best_that_it_can_move_to) {
    int n = 9;
    for (std::uint64_t table = 0; table < 5; ++table) {
        Problem problem(n, random_table(table));
        Progress nobody;
        auto choices = order_search::score_choices(problem.criterion, problem.limited(3).constraints,
                                                   {.candidates = n - 1}, nullptr, nobody);
        order_search::Walk walk(choices, false);
        Stream random(table, 1, 1);
        walk.set(Problem::shuffled(n, random));
        for (int from = 0; from < n; ++from) {
            auto gain = [&](int to) { return to == from ? 0.0 : walk.propose({false, from, to})->score(); };
            double most = 0.0;
            for (int to = 0; to < n; ++to) most = std::max(most, gain(to));
            CHECK_NEAR(gain(walk.best_place(from)), most, 1e-9);
        }
    }
}

TEST(order_annealing_without_steps_and_descent_ends_where_it_starts) {
    Problem problem(10, random_table(3));
    problem.limited(3);
    OrderSettings settings{.candidates = 9, .steps = 0, .descent = false, .seed = 4};
    OrderResult plain = problem.run(settings);
    CHECK_NEAR(plain.score, order_score(problem.criterion, problem.constraints, settings, plain.order), 1e-9);
    settings.descent = true;
    OrderResult descended = problem.run(settings);
    CHECK(descended.score > plain.score);
    settings.seed = 5;
    settings.descent = false;
    CHECK(problem.run(settings).order != plain.order);
}

TEST(order_annealing_depends_on_the_seed_and_not_on_threads) {
    OrderSettings settings{.candidates = 6, .steps = 3'000, .seed = 5};
    Problem one(14, random_table(9)), again(14, random_table(9)), threaded(14, random_table(9), 2);
    for (Problem* problem : {&one, &again, &threaded}) problem->limited(3);
    OrderResult result = one.run(settings);
    CHECK(same(result, one.run(settings)));
    CHECK(same(result, again.run(settings)));
    CHECK(same(result, threaded.run(settings)));
    settings.seed = 6;
    CHECK(!same(result, again.run(settings)));
}

TEST(candidates_are_the_best_parents_alone_and_those_of_the_start) {
    // Every child gains most from the variable before it, then from the one two before; from others it loses.
    Formula chain = [](int child, std::span<const int> parents) {
        double sum = 0.0;
        for (int p : parents) sum += p == child - 1 ? 3.0 : p == child - 2 ? 2.0 : -1.0;
        return sum;
    };
    int n = 8;
    Problem problem(n, chain);
    Matrix one_each(n), both(n);
    for (int v = 0; v < n; ++v) {
        if (v > 0) one_each.set(v - 1, v), both.set(v - 1, v);
        if (v > 1) both.set(v - 2, v);
    }
    CHECK_EQUAL(problem.run({.candidates = 1, .steps = 20'000}).dag, one_each);
    CHECK_EQUAL(problem.run({.candidates = 1, .steps = 20'000}, &both).dag, both);
    CHECK_EQUAL(problem.run({.candidates = 0, .steps = 100}, &both).dag, both);
    CHECK_EQUAL(problem.run({.candidates = 2, .steps = 20'000}).dag, both);
    // So are those of a start that has too many.
    CHECK_EQUAL(problem.limited(1).run({.candidates = 0, .steps = 100}, &both).dag, one_each);
    CHECK_EQUAL(problem.limited(n - 1).run({.candidates = 0, .steps = 100}).dag, Matrix(n));
    // A forbidden arc takes up no place among the candidates.
    problem.constraints.forbidden.set(3, 4);
    Matrix without = one_each;
    without.clear(3, 4);
    without.set(2, 4);
    CHECK_EQUAL(problem.run({.candidates = 1, .steps = 20'000}).dag, without);
}

TEST(order_annealing_is_never_worse_than_its_start) {
    for (std::uint64_t table = 0; table < 10; ++table) {
        int n = 12;
        Problem problem(n, random_table(table));
        OrderSettings settings{.candidates = 4, .steps = 3'000};
        OrderResult better = problem.limited(3).run(settings);
        settings = {.candidates = 1, .steps = 0, .seed = table};
        CHECK(problem.run(settings, &better.dag).score >= better.score - 1e-6);
        settings.steps = 2'000;
        CHECK(problem.run(settings, &better.dag).score >= better.score - 1e-6);
    }
}

TEST(order_annealing_stopped_while_scoring_returns_the_start_or_better) {
    int n = 10;
    Problem problem(n, random_table(4));
    problem.limited(3).constrain(4);
    OrderSettings settings{.candidates = 5, .steps = 2'000};
    OrderResult start = problem.run(settings);
    // Once so many families have been scored the next one takes long enough for a report, which says stop: in the
    // middle of ranking candidates, then of scoring the sets of this child or that.
    for (int enough : {5, 50, 100, 150}) {
        for (const Matrix* from : {static_cast<const Matrix*>(nullptr), static_cast<const Matrix*>(&start.dag)}) {
            int scored = 0;
            Problem slow(n, [&](int child, std::span<const int> parents) {
                if (++scored == enough) std::this_thread::sleep_for(std::chrono::milliseconds(50));
                return random_local(4, child, parents);
            });
            slow.constraints = problem.constraints;
            Progress progress([&](std::int64_t, double best, double) {
                CHECK(!from || near(best, start.score));
                return scored >= enough;
            });
            OrderResult result = anneal_orders(slow.criterion, slow.constraints, settings, from, progress);
            CHECK(result.interrupted && result.steps == 0);
            CHECK(problem.allowed(result.dag, 3));
            CHECK(follows(result.dag, result.order, n));
            CHECK(near(result.score, problem.score(result.dag)));
            if (from) CHECK(result.score >= start.score - 1e-6);
        }
    }
}

TEST(order_annealing_stopped_on_the_way_returns_the_best_so_far) {
    int n = 20;
    Problem problem(n, random_table(8));
    double reported = -infinity;
    Progress progress([&](std::int64_t steps, double best, double) {
        reported = best;
        return steps > 0;
    });
    OrderResult result = anneal_orders(problem.criterion, problem.limited(3).constraints,
                                       {.candidates = 6, .steps = std::int64_t{1} << 60}, nullptr, progress);
    CHECK(result.interrupted && result.steps > 0);
    CHECK(follows(result.dag, result.order, n));
    CHECK(near(result.score, reported));
    CHECK(near(result.score, problem.score(result.dag)));
}

TEST(order_annealing_avoids_singular_families) {
    // No more than one root is possible: a child without parents is singular unless it is variable 2.
    Formula one_root = [](int child, std::span<const int> parents) {
        return parents.empty() && child != 2 ? infinity : random_local(2, child, parents);
    };
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
        Problem problem(7, one_root);
        OrderResult result = problem.run({.candidates = 6, .steps = 5'000, .seed = seed});
        CHECK_EQUAL(result.order.front(), 2);
        CHECK(std::isfinite(result.score) && near(result.score, problem.score(result.dag)));
    }
}

TEST(a_variable_that_no_family_fits_leaves_the_others_to_be_learned) {
    int n = 5;
    Formula formula = [](int child, std::span<const int> parents) {
        return child == 3 ? infinity : random_local(6, child, parents);
    };
    Formula anything = [](int child, std::span<const int> parents) {
        return child == 3 ? -10.0 * static_cast<double>(parents.size()) : random_local(6, child, parents);
    };
    Problem problem(n, formula), without(n, anything);
    for (Problem* one : {&problem, &without}) one->constraints.required.set(0, 3);
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        OrderSettings settings{.candidates = n - 1, .steps = 10'000, .seed = seed};
        OrderResult result = problem.run(settings), expected = without.run(settings);
        CHECK_EQUAL(result.score, -infinity);
        CHECK_EQUAL(result.dag, expected.dag);
        CHECK(follows(result.dag, result.order, n));
    }
}

TEST(required_arcs_hold_even_for_a_variable_that_no_family_fits) {
    // 0 -> 2 -> 1 are required, no family fits 2, and 0 would like to come after 1.
    Problem problem(3, [](int child, std::span<const int> parents) {
        return child == 2 ? infinity : child == 0 && !parents.empty() ? 10.0 : 0.0;
    });
    problem.constraints.required.set(0, 2);
    problem.constraints.required.set(2, 1);
    for (std::int64_t steps : {0, 1'000})
        CHECK_EQUAL(problem.run({.candidates = 2, .steps = steps}).order, std::vector<int>{0, 2, 1});
}

TEST(order_annealing_of_no_variable_and_of_one) {
    for (int n : {0, 1}) {
        Problem problem(n, random_table(0));
        OrderResult result = problem.run({});
        CHECK(result.order.size() == at(n) && result.dag == Matrix(n) && result.steps == 0);
        CHECK(near(result.score, n ? random_local(0, 0, {}) : 0.0));
    }
}

TEST(order_annealing_refuses_what_makes_no_sense) {
    Problem problem(40, random_table(0));
    problem.limited(5);
    CHECK_THROWS(problem.run({.candidates = 64}), std::invalid_argument);
    CHECK_THROWS(problem.limited(-1).run({}), std::invalid_argument);
    problem.limited(5);
    CHECK_THROWS(problem.run({.steps = -1}), std::invalid_argument);
    CHECK_THROWS(problem.run({.final_temperature = 0.0}), std::invalid_argument);
    CHECK_THROWS(problem.run({.initial_temperature = 0.01, .final_temperature = 0.1}), std::invalid_argument);
    CHECK_THROWS(problem.run({.initial_temperature = std::nan("")}), std::invalid_argument);
    CHECK_THROWS(problem.limited(39).run({.candidates = 39}), std::invalid_argument);  // 2^39 sets a child
    problem.constraints.required.set(0, 1);
    CHECK_THROWS(problem.limited(0).run({}), std::invalid_argument);
    problem.limited(5);
    Matrix against(40);
    against.set(1, 0);
    CHECK_THROWS(problem.run({}, &against), std::invalid_argument);
    problem.constraints.forbidden.set(0, 1);
    CHECK_THROWS(problem.run({}), std::invalid_argument);
}
