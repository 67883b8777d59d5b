#include <random>

#include "check.hpp"
#include "graph/equivalence.hpp"
#include "graph/intervention.hpp"

using veridag::Byte;
using veridag::Matrix;

namespace {

using Pairs = std::vector<std::pair<int, int>>;

Matrix arcs(int n, const Pairs& pairs) {
    Matrix a(n);
    for (auto [i, j] : pairs) a.set(i, j);
    return a;
}

Matrix random_arcs(int n, double density, unsigned seed) {
    std::mt19937 random(seed);
    std::bernoulli_distribution there(density);
    Matrix a(n);
    for (int i = 0; i < n; ++i) {
        for (int j = i + 1; j < n; ++j) a.set(i, j, there(random));
    }
    return a;
}

std::int64_t distance(const Matrix& truth, const Matrix& estimate) {
    std::int64_t sum = 0;
    Matrix wrong = veridag::wrong_effects(truth, estimate);
    for (veridag::Byte b : wrong.entries()) sum += b;
    return sum;
}

}  // namespace

TEST(a_graph_is_at_no_distance_from_itself_or_from_one_with_more_arcs_in_the_same_order) {
    for (unsigned seed = 0; seed < 100; ++seed) {
        int n = 1 + static_cast<int>(seed % 20);
        Matrix truth = random_arcs(n, 0.3, seed), more = random_arcs(n, 0.3, seed + 1000);
        for (int j = 0; j < n; ++j) {
            for (int i : truth.parents_of(j)) more.set(i, j);
        }
        CHECK_EQUAL(distance(truth, truth), 0);
        CHECK_EQUAL(distance(truth, more), 0);
    }
}

TEST(a_reversed_arc_is_wrong_in_both_directions) {
    // Adjusting 1 for nothing takes the association for an effect; 0 is said to have none on its parent 1.
    CHECK_EQUAL(veridag::wrong_effects(arcs(2, {{0, 1}}), arcs(2, {{1, 0}})), arcs(2, {{0, 1}, {1, 0}}));
}

TEST(what_lies_between_must_not_be_adjusted_for) {
    // 0 -> 1 -> 2, and the estimate makes 1 a parent of 0: the effects of 0 on both are lost.
    Matrix wrong = veridag::wrong_effects(arcs(3, {{0, 1}, {1, 2}}), arcs(3, {{1, 0}, {1, 2}}));
    CHECK_EQUAL(wrong, arcs(3, {{0, 1}, {0, 2}, {1, 0}}));
}

TEST(the_empty_estimate_is_wrong_wherever_something_is_confounded) {
    CHECK_EQUAL(veridag::wrong_effects(arcs(3, {{0, 1}, {0, 2}}), arcs(3, {})),
                arcs(3, {{1, 0}, {1, 2}, {2, 0}, {2, 1}}));
}

TEST(bounds_of_an_edge_are_those_of_its_two_directions) {
    Matrix truth = arcs(2, {{0, 1}}), edge = arcs(2, {{0, 1}, {1, 0}});
    auto found = veridag::intervention_bounds(truth, edge, 100);
    CHECK(found.lower == 0 && found.upper == 2 && found.too_large.empty());
}

TEST(the_bounds_hold_every_extension_between_them) {
    for (unsigned seed = 0; seed < 200; ++seed) {
        int n = 2 + static_cast<int>(seed % 12);
        Matrix truth = random_arcs(n, 0.3, seed), estimate = random_arcs(n, 0.5, seed + 500);
        Matrix completed = veridag::cpdag(estimate);
        auto found = veridag::intervention_bounds(truth, completed, 1'000'000);
        CHECK(found.too_large.empty());
        CHECK(found.lower <= distance(truth, estimate) && distance(truth, estimate) <= found.upper);
        std::int64_t other = distance(truth, veridag::extend(completed).dag);
        CHECK(found.lower <= other && other <= found.upper);
    }
}

TEST(too_much_work_is_refused_with_the_component) {
    Matrix edge = arcs(4, {{0, 1}, {1, 0}, {2, 3}, {3, 2}}), truth = arcs(4, {});
    CHECK_EQUAL(veridag::intervention_bounds(truth, edge, 5).too_large, std::vector<int>{2, 3});
    CHECK(veridag::intervention_bounds(truth, edge, 8).too_large.empty());
}

TEST(graphs_without_variables_have_distance_zero) {
    CHECK_EQUAL(veridag::wrong_effects(Matrix(), Matrix()).size(), 0);
    CHECK(veridag::intervention_bounds(Matrix(), Matrix(), 0).too_large.empty());
}
