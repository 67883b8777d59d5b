#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <set>
#include <thread>

#include "check.hpp"
#include "graph/equivalence.hpp"
#include "independence/tails.hpp"
#include "index.hpp"
#include "random.hpp"
#include "search/constraint/local.hpp"
#include "search/constraint/orient.hpp"
#include "search/constraint/skeleton.hpp"
#include "search/constraint/test_bench.hpp"

using namespace veridag;

namespace {

constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();
constexpr LocalMethod all_methods[] = {LocalMethod::grow_shrink, LocalMethod::inter_iamb, LocalMethod::mmpc,
                                       LocalMethod::si_hiton_pc, LocalMethod::hpc};

struct Dag {
    int n;
    Matrix a;

    bool arc(int i, int j) const { return a.has(i, j); }
};

// A DAG in a random order with about `degree` neighbours a variable.
Dag random_dag(int n, double degree, std::uint64_t seed) {
    Stream random(seed, 0, 0);
    std::vector<int> order(at(n));
    for (int i = 0; i < n; ++i) order[at(i)] = i;
    for (int i = n - 1; i > 0; --i) std::swap(order[at(i)], order[static_cast<std::size_t>(random.bits() % at(i + 1))]);
    Dag dag{n, Matrix(n)};
    for (int i = 0; i < n; ++i) {
        for (int j = i + 1; j < n; ++j) dag.a.set(order[at(i)], order[at(j)], random.uniform() < degree / (n - 1));
    }
    return dag;
}

// d-separation from its definition by moral graphs (Lauritzen et al. 1990): in the graph of x, y, z and their
// ancestors, parents of a common child are married, and z must cut all paths from x to y. The closer two variables are
// in the graph, the more evidence there is for dependence: without such a hint the sets that MMPC and HITON-PC go
// through would be too many.
class Oracle : public PairTest {
   public:
    explicit Oracle(const Dag& dag) : dag_(dag), distance_(at(dag.n) * at(dag.n), 1e6) {
        for (int i = 0; i < dag.n; ++i) {
            for (int j = 0; j < dag.n; ++j) {
                if (dag.arc(i, j) || dag.arc(j, i)) distance_[at(i, j, dag.n)] = 1.0;
            }
        }
        parents_.assign(at(dag.n), 0);
        children_ = ancestors_ = parents_;
        for (int i = 0; i < dag.n; ++i) {
            ancestors_[at(i)] |= bit(i);
            for (int j = 0; j < dag.n; ++j) {
                if (dag.arc(i, j)) children_[at(i)] |= bit(j), parents_[at(j)] |= bit(i);
            }
        }
        for (int round = 0; round < dag.n; ++round) {
            for (int v = 0; v < dag.n; ++v) {
                for (std::uint64_t p = parents_[at(v)]; p; p &= p - 1)
                    ancestors_[at(v)] |= ancestors_[at(std::countr_zero(p))];
            }
        }
        for (int k = 0; k < dag.n; ++k) {
            for (int i = 0; i < dag.n; ++i) {
                for (int j = 0; j < dag.n; ++j) {
                    double& d = distance_[at(i, j, dag.n)];
                    d = std::min(d, distance_[at(i, k, dag.n)] + distance_[at(k, j, dag.n)]);
                }
            }
        }
    }

    Decision of(int x, int y, std::span<const int> given) override {
        std::uint64_t kept = ancestors_[at(x)] | ancestors_[at(y)], blocked = 0;
        for (int z : given) {
            kept |= ancestors_[at(z)];
            blocked |= bit(z);
        }
        std::uint64_t reached = 0, next = bit(x);
        while (next) {
            int v = std::countr_zero(next);
            if (v == y) return {1.0 / distance_[at(x, y, dag_.n)], false};
            reached |= bit(v);
            std::uint64_t beside = parents_[at(v)] | children_[at(v)];
            for (std::uint64_t c = children_[at(v)] & kept; c; c &= c - 1) beside |= parents_[at(std::countr_zero(c))];
            next = (next | (beside & kept & ~blocked)) & ~reached;
        }
        return {0.0, true};
    }

   private:
    static std::uint64_t bit(int v) { return std::uint64_t{1} << v; }

    const Dag& dag_;
    std::vector<double> distance_;
    std::vector<std::uint64_t> parents_, children_, ancestors_;  // as bits; a variable is an ancestor of itself
};

// Decisions out of thin air: always the same for a test, and contradicting each other.
class Nonsense : public PairTest {
   public:
    Nonsense(std::uint64_t seed, double dependent) : seed_(seed), dependent_(dependent) {}

    Decision of(int x, int y, std::span<const int> given) override {
        std::uint64_t hash = mix(seed_ ^ mix(at(x) * 1000 + at(y)));
        for (int z : given) hash = mix(hash ^ at(z));
        double u = static_cast<double>(hash >> 11) * 0x1.0p-53;
        return {1.0 - u, u > dependent_};
    }

   private:
    std::uint64_t seed_;
    double dependent_;
};

Constraints unconstrained(int n) {
    Constraints constraints(n);
    for (int v = 0; v < n; ++v) constraints.forbidden.set(v, v);
    return constraints;
}

Matrix learned_by_pc(const Constraints& constraints, const TestFactory& make, int threads, bool cached = false) {
    Progress silent;
    TestBench tests(constraints.variables(), make, threads, cached, silent);
    Skeleton skeleton = pc_stable(tests, constraints, no_limit);
    return orient(tests, constraints, skeleton, no_limit).pdag;
}

Matrix learned_locally(const Constraints& constraints, LocalMethod method, const TestFactory& make, int threads) {
    Progress silent;
    TestBench tests(constraints.variables(), make, threads, true, silent);
    LocalSkeleton found = local_skeleton(tests, {method, constraints, no_limit});
    return orient(tests, constraints, found.skeleton, no_limit).pdag;
}

std::vector<int> true_neighbours(const Dag& dag, int v) {
    std::vector<int> found;
    for (int u = 0; u < dag.n; ++u) {
        if (dag.arc(u, v) || dag.arc(v, u)) found.push_back(u);
    }
    return found;
}

std::vector<int> true_blanket(const Dag& dag, int v) {
    std::set<int> found;
    for (int u : true_neighbours(dag, v)) {
        found.insert(u);
        for (int w = 0; w < dag.n && dag.arc(v, u); ++w) {
            if (dag.arc(w, u) && w != v) found.insert(w);
        }
    }
    return {found.begin(), found.end()};
}

}  // namespace

TEST(subsets_come_once_each_in_order) {
    std::vector<int> from{7, 3, 9, 4, 1};
    std::vector<std::vector<int>> seen;
    any_subset(from, 3, [&](std::span<const int> set) {
        seen.emplace_back(set.begin(), set.end());
        return false;
    });
    CHECK_EQUAL(seen.size(), 10);
    CHECK_EQUAL(seen.front(), std::vector<int>{7, 3, 9});
    CHECK_EQUAL(seen.back(), std::vector<int>{9, 4, 1});
    CHECK_EQUAL(std::set<std::vector<int>>(seen.begin(), seen.end()).size(), 10);
    int calls = 0;
    CHECK(any_subset(from, 0, [&](std::span<const int> set) { return ++calls == 1 && set.empty(); }));
    CHECK(!any_subset(from, 6, [&](std::span<const int>) { return true; }));
    CHECK(any_subset(from, 5, [&](std::span<const int> set) { return set.size() == 5; }));
}

TEST(with_an_oracle_every_search_finds_the_true_class) {
    for (std::uint64_t seed = 0; seed < 540; ++seed) {
        int n = 4 + static_cast<int>(seed % 27);
        Dag dag = random_dag(n, 1.0 + static_cast<double>(seed % 4) * 0.5, seed);
        Matrix truth = cpdag(dag.a);
        Constraints constraints = unconstrained(n);
        TestFactory make = [&] { return std::make_unique<Oracle>(dag); };
        CHECK_EQUAL(learned_by_pc(constraints, make, 1), truth);
        for (LocalMethod method : all_methods) CHECK_EQUAL(learned_locally(constraints, method, make, 1), truth);
    }
}

TEST(with_an_oracle_every_local_search_finds_the_true_neighbours_and_blanket) {
    for (std::uint64_t seed = 0; seed < 135; ++seed) {
        int n = 4 + static_cast<int>(seed % 27), target = static_cast<int>(mix(seed) % at(n));
        Dag dag = random_dag(n, 1.0 + static_cast<double>(seed % 3) * 0.75, seed + 10'000);
        Constraints constraints = unconstrained(n);
        for (LocalMethod method : all_methods) {
            Progress silent;
            TestBench tests(n, [&] { return std::make_unique<Oracle>(dag); }, 1, true, silent);
            LocalSettings settings{method, constraints, no_limit};
            CHECK_EQUAL(neighbours_of(tests, settings, target).members, true_neighbours(dag, target));
            CHECK_EQUAL(blanket_of(tests, settings, target).members, true_blanket(dag, target));
        }
    }
}

TEST(edges_go_at_the_end_of_a_level) {
    // Each of three variables separates the other two: an edge that went at once would keep the last one in place.
    class AnyOther : public PairTest {
       public:
        Decision of(int, int, std::span<const int> given) override { return {1.0, !given.empty()}; }
    };
    CHECK_EQUAL(learned_by_pc(unconstrained(3), [] { return std::make_unique<AnyOther>(); }, 1), Matrix(3));
}

TEST(what_gains_nothing_is_independent) {
    class Nothing : public LocalScorer {
       public:
        double local(int, std::span<const int>) override { return -3.0; }
    };
    std::unique_ptr<PairTest> test =
        score_test([] { return std::make_unique<Nothing>(); }, {100.0, {1, 1}}, {}, false)();
    CHECK(test->of(0, 1, {}).independent);
}

TEST(a_condition_that_is_a_linear_function_of_others_takes_no_degree_of_freedom) {
    // 3 is 2, but for rounding.
    std::vector<double> scatter{1.0, 0.6, 0.5, 0.5, 0.6, 1.0, 0.5, 0.5, 0.5, 0.5, 1.0, 1.0, 0.5, 0.5, 1.0, 1.0 + 1e-15};
    std::unique_ptr<PairTest> test = correlation_test(scatter.data(), 4, 10.0, CorrelationTest::student_t, 0.05)();
    std::vector<int> once{2}, twice{2, 3};
    CHECK_EQUAL(test->of(0, 1, twice).evidence, test->of(0, 1, once).evidence);
}

TEST(the_max_min_heuristic_goes_by_the_least_evidence_over_all_sets) {
    // 1 enters first. Then 3 depends on 0 more than 2 does, but by itself it depends less. Either of 2 and 3 separates
    // the other one from 0, so that the one stays that enters next.
    class Evidence : public PairTest {
       public:
        Decision of(int x, int y, std::span<const int> given) override {
            int v = std::max(x, y);
            bool is_separated = v > 1 && std::find(given.begin(), given.end(), 5 - v) != given.end();
            if (is_separated) return {0.0, true};
            double alone[] = {0.0, 10.0, 5.0, 2.0}, with_1[] = {0.0, 10.0, 3.0, 9.0};
            return {(given.empty() ? alone : with_1)[v], false};
        }
    };
    Constraints constraints = unconstrained(4);
    Progress silent;
    TestBench tests(4, [] { return std::make_unique<Evidence>(); }, 1, false, silent);
    TestBench::Worker worker(tests, std::make_unique<Evidence>(), false);
    Local found = mmpc(worker, {LocalMethod::mmpc, constraints, no_limit}, 0);
    CHECK_EQUAL(found.members, std::vector<int>{1, 2});
    CHECK_EQUAL(*found.separator(3), std::vector<int>{2});
}

TEST(what_is_known_and_true_does_no_harm) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        int n = 5 + static_cast<int>(seed % 8);
        Dag dag = random_dag(n, 2.0, seed + 20'000);
        Constraints constraints = unconstrained(n);
        Stream random(seed, 1, 1);
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) {
                bool there = dag.arc(i, j);
                if (there && random.uniform() < 0.3) constraints.required.set(i, j);
                if (!there && random.uniform() < 0.4) constraints.forbidden.set(i, j);
            }
        }
        Skeleton skeleton(n);
        for (int i = 0; i < n; ++i) {
            for (int j : true_neighbours(dag, i)) skeleton.join(i, j);
        }
        // What the class and the knowledge leave open, closed under Meek's rules.
        Matrix truth = cpdag(dag.a), known_directions = directed_by_constraints(constraints, skeleton);
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) truth.set(i, j, truth.has(i, j) && known_directions.has(i, j));
        }
        truth = meek(truth);
        TestFactory make = [&] { return std::make_unique<Oracle>(dag); };
        CHECK_EQUAL(learned_by_pc(constraints, make, 1, true), truth);
        for (LocalMethod method : all_methods) CHECK_EQUAL(learned_locally(constraints, method, make, 1), truth);
    }
}

TEST(searches_end_whatever_the_tests_say_and_threads_change_nothing) {
    int looped = 0;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        int n = 4 + static_cast<int>(seed % 6);
        Constraints constraints = unconstrained(n);
        TestFactory make = [&] { return std::make_unique<Nonsense>(seed, 0.2 + 0.1 * static_cast<double>(seed % 7)); };
        CHECK_EQUAL(learned_by_pc(constraints, make, 1), learned_by_pc(constraints, make, 3));
        for (LocalMethod method : all_methods) {
            CHECK_EQUAL(learned_locally(constraints, method, make, 1), learned_locally(constraints, method, make, 3));
            Progress silent;
            TestBench one(n, make, 1, true, silent), three(n, make, 3, true, silent);
            LocalSkeleton first = local_skeleton(one, {method, constraints, no_limit}),
                          second = local_skeleton(three, {method, constraints, no_limit});
            CHECK_EQUAL(first.looped, second.looped);
            CHECK(one.calls() == three.calls() && one.distinct_calls() == three.distinct_calls());
            looped += !first.looped.empty();
        }
    }
    CHECK(looped > 5);  // Inter-IAMB, and HPC by it
}

TEST(a_search_that_is_told_to_stop_does) {
    int n = 30;
    Dag dag = random_dag(n, 3.0, 1);
    Constraints constraints = unconstrained(n);
    int asked = 0;
    struct Slow : Oracle {
        using Oracle::Oracle;
        Decision of(int x, int y, std::span<const int> given) override {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            return Oracle::of(x, y, given);
        }
    };
    for (int threads : {1, 3}) {
        Progress progress([&](std::int64_t, double, double) { return ++asked > 0; });
        TestBench tests(n, [&] { return std::make_unique<Slow>(dag); }, threads, false, progress);
        Skeleton skeleton = pc_stable(tests, constraints, no_limit);
        CHECK(tests.stopped());
        CHECK(tests.calls() < 435);  // pairs
        CHECK(skeleton.joined(0, 1) || skeleton.separation(0, 1).known);
        CHECK_EQUAL(orient(tests, constraints, skeleton, no_limit).pdag,
                    skeleton.matrix());  // as far as it came, without directions
    }
}

TEST(an_error_in_a_test_reaches_the_caller) {
    struct Broken : PairTest {
        Decision of(int, int, std::span<const int>) override { throw std::runtime_error("broken"); }
    };
    Constraints constraints = unconstrained(5);
    for (int threads : {1, 3})
        CHECK_THROWS(
            learned_by_pc(constraints, [] { return std::make_unique<Broken>(); }, threads), std::runtime_error);
}

TEST(evidence_that_differs_by_rounding_ties_and_is_left_in_its_order) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    std::vector<double> evidence{5.0 - 1e-12, 7.0, 5.0, infinity, 0.0, 5.0 + 1e-12, infinity, 1e-11, 900.0};
    CHECK_EQUAL(most_evidence_first(evidence), (std::vector<std::size_t>{3, 6, 8, 1, 0, 2, 5, 4, 7}));
    CHECK(is_more(5.001, 5.0) && is_more(infinity, 1e300) && is_more(1e6 + 0.1, 1e6));
    CHECK(!is_more(5.0 + 1e-12, 5.0) && !is_more(infinity, infinity) && !is_more(1e6 + 1e-5, 1e6));
    CHECK(most_evidence_first({}).empty());
}

TEST(tails_agree_with_closed_forms) {
    auto near = [](double a, double b) { return std::fabs(a - b) <= 1e-12 * std::max(1.0, std::fabs(b)); };
    for (double x : {1e-3, 0.5, 3.0, 40.0, 700.0, 1e5}) {
        CHECK(near(log_chi_square_tail(x, 2.0), -0.5 * x));  // exponential
        CHECK(near(log_chi_square_tail(x, 4.0), std::log1p(0.5 * x) - 0.5 * x));
        if (x < 700.0) CHECK(near(log_chi_square_tail(x, 1.0), std::log(std::erfc(std::sqrt(0.5 * x)))));
        double t = std::sqrt(x);
        CHECK(near(log_student_tail(t, 1.0), std::log(2.0 * std::atan(1.0 / t) / std::acos(-1.0))));  // Cauchy
        CHECK(near(log_student_tail(-t, 2.0), std::log(2.0 / (std::sqrt(2.0 + x) * (std::sqrt(2.0 + x) + t)))));
    }
    CHECK(log_chi_square_tail(0.0, 3.0) == 0.0 && log_chi_square_tail(5.0, 0.0) == 0.0);
    CHECK(std::isinf(log_student_tail(std::numeric_limits<double>::infinity(), 3.0)));
}
