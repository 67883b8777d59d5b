#include <algorithm>
#include <cmath>

#include "check.hpp"
#include "graph/equivalence.hpp"
#include "random.hpp"
#include "search/greedy/greedy.hpp"

using namespace veridag;

namespace {

// A score that is any number, the same for a family whenever it is asked.
class RandomScorer : public LocalScorer {
   public:
    double local(int child, std::span<const int> parents) override {
        std::uint64_t hash = mix(static_cast<std::uint64_t>(child));
        for (int p : parents) hash = mix(hash ^ static_cast<std::uint64_t>(p + 1000));
        return -10.0 * static_cast<double>(hash >> 11) * 0x1.0p-53 - static_cast<double>(parents.size());
    }
};

constexpr int n = 7;

Constraints free_constraints(int max_indegree) { return Constraints(n, max_indegree); }

double score_of(const Matrix& dag) {
    RandomScorer scorer;
    double sum = 0.0;
    for (int v = 0; v < n; ++v) sum += scorer.local(v, dag.parents_of(v));
    return sum;
}

GreedyResult search(const Constraints& constraints, const GreedySettings& settings, const Matrix& start,
                    Progress::Callback callback = nullptr) {
    BatchScorer batch(n, [] { return std::make_unique<RandomScorer>(); });
    Criterion criterion(batch, {}, 2);
    Progress progress(std::move(callback));
    return greedy(criterion, constraints, start, settings, progress);
}

}  // namespace

TEST(toggling_gives_the_scores_of_the_changed_families) {
    BatchScorer batch(n, [] { return std::make_unique<RandomScorer>(); });
    Criterion criterion(batch, {}, 1);
    RandomScorer direct;
    std::vector<int> parents{1, 4}, candidates{0, 1, 3, 4, 6};
    std::vector<double> out(candidates.size());
    criterion.toggled(2, parents, candidates, out.data());
    CHECK_EQUAL(out[0], direct.local(2, std::vector<int>{0, 1, 4}));
    CHECK_EQUAL(out[1], direct.local(2, std::vector<int>{4}));
    CHECK_EQUAL(out[2], direct.local(2, std::vector<int>{1, 3, 4}));
    CHECK_EQUAL(out[4], direct.local(2, std::vector<int>{1, 4, 6}));
    CHECK(criterion.calls() == 5 && criterion.distinct_calls() == 5);
    CHECK_EQUAL(criterion.local(2, std::vector<int>{4}), out[1]);
    CHECK(criterion.calls() == 6 && criterion.distinct_calls() == 5);
}

TEST(a_prior_is_added_and_can_rule_a_family_out) {
    BatchScorer batch(n, [] { return std::make_unique<RandomScorer>(); });
    std::vector<double> size(n * n, 0.0), arc(n * n, 0.0);
    for (int v = 0; v < n; ++v) size[static_cast<std::size_t>(v * n + 2)] = minus_infinity;
    arc[1 * n + 0] = -3.0;
    Criterion criterion(batch, {n, size.data(), arc.data()}, 1);
    CHECK_NEAR(criterion.local(0, std::vector<int>{1}), RandomScorer().local(0, std::vector<int>{1}) - 3.0, 1e-12);
    CHECK_EQUAL(criterion.local(0, std::vector<int>{1, 2}), minus_infinity);
}

TEST(greedy_search_returns_an_acyclic_graph_with_the_score_it_claims) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        GreedySettings settings{static_cast<int>(seed % 2) * 10, 10, 5, 6, -1, seed, true};
        GreedyResult found = search(free_constraints(3), settings, Matrix(n));
        CHECK_NEAR(found.score, score_of(found.dag), 1e-9);
        CHECK_EQUAL(cpdag(found.dag).size(), n);  // which throws on a cycle
        for (int v = 0; v < n; ++v) CHECK(found.dag.parents_of(v).size() <= 3);
        CHECK_EQUAL(found.trace.size(), static_cast<std::size_t>(found.steps));
        CHECK(!found.interrupted);
    }
}

TEST(constraints_hold_through_reversals_and_restarts) {
    Constraints constraints = free_constraints(4);
    constraints.required.set(0, 5);
    constraints.required.set(6, 2);
    for (int u = 0; u < n; ++u) constraints.forbidden.set(u, 3);
    Matrix start = constraints.required;
    GreedyResult found = search(constraints, {10, 20, 30, 8, -1, 1, false}, start);
    CHECK(found.dag.has(0, 5) && found.dag.has(6, 2));
    CHECK(found.dag.parents_of(3).empty());
}

TEST(a_report_can_stop_the_search_and_the_best_so_far_is_kept) {
    int heard = 0;
    GreedyResult found = search(free_constraints(3), {10, 10, 100000000, 5, -1, 1, false}, Matrix(n),
                                [&](std::int64_t, double, double) { return ++heard > 2; });
    CHECK(found.interrupted);
    CHECK_NEAR(found.score, score_of(found.dag), 1e-9);
}

TEST(a_limit_on_steps_is_kept) {
    CHECK_EQUAL(search(free_constraints(3), {10, 10, 0, 5, 2, 1, false}, Matrix(n)).steps, 2);
    CHECK_EQUAL(search(free_constraints(3), {10, 10, 0, 5, 0, 1, false}, Matrix(n)).steps, 0);
}
