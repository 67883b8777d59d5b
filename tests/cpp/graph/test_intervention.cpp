#include <random>

#include "check.hpp"
#include "graph/equivalence.hpp"
#include "graph/intervention.hpp"

using veridag::Byte;
using veridag::Matrix;

namespace {

using Pairs = std::vector<std::pair<int, int>>;

Matrix arcs(int n, const Pairs& pairs) {
    Matrix a(static_cast<std::size_t>(n * n), 0);
    for (auto [i, j] : pairs) a[static_cast<std::size_t>(i * n + j)] = 1;
    return a;
}

Matrix random_arcs(int n, double density, unsigned seed) {
    std::mt19937 random(seed);
    std::bernoulli_distribution there(density);
    Matrix a(static_cast<std::size_t>(n * n), 0);
    for (int i = 0; i < n; ++i) {
        for (int j = i + 1; j < n; ++j) a[static_cast<std::size_t>(i * n + j)] = there(random);
    }
    return a;
}

std::int64_t distance(int n, const Matrix& truth, const Matrix& estimate) {
    std::int64_t sum = 0;
    for (Byte b : veridag::wrong_effects(n, truth.data(), estimate.data())) sum += b;
    return sum;
}

}  // namespace

TEST(a_graph_is_at_no_distance_from_itself_or_from_one_with_more_arcs_in_the_same_order) {
    for (unsigned seed = 0; seed < 100; ++seed) {
        int n = 1 + static_cast<int>(seed % 20);
        Matrix truth = random_arcs(n, 0.3, seed), more = random_arcs(n, 0.3, seed + 1000);
        for (std::size_t k = 0; k < more.size(); ++k) more[k] = more[k] | truth[k];
        CHECK(distance(n, truth, truth) == 0);
        CHECK(distance(n, truth, more) == 0);
    }
}

TEST(a_reversed_arc_is_wrong_in_both_directions) {
    // Adjusting 1 for nothing takes the association for an effect; 0 is said to have none on its parent 1.
    CHECK(veridag::wrong_effects(2, arcs(2, {{0, 1}}).data(), arcs(2, {{1, 0}}).data()) == arcs(2, {{0, 1}, {1, 0}}));
}

TEST(what_lies_between_must_not_be_adjusted_for) {
    // 0 -> 1 -> 2, and the estimate makes 1 a parent of 0: the effects of 0 on both are lost.
    Matrix wrong = veridag::wrong_effects(3, arcs(3, {{0, 1}, {1, 2}}).data(), arcs(3, {{1, 0}, {1, 2}}).data());
    CHECK(wrong == arcs(3, {{0, 1}, {0, 2}, {1, 0}}));
}

TEST(the_empty_estimate_is_wrong_wherever_something_is_confounded) {
    CHECK(veridag::wrong_effects(3, arcs(3, {{0, 1}, {0, 2}}).data(), arcs(3, {}).data()) == arcs(3, {{1, 0}, {1, 2}, {2, 0}, {2, 1}}));
}

TEST(bounds_of_an_edge_are_those_of_its_two_directions) {
    Matrix truth = arcs(2, {{0, 1}}), edge = arcs(2, {{0, 1}, {1, 0}});
    auto found = veridag::intervention_bounds(2, truth.data(), edge.data(), 100);
    CHECK(found.lower == 0 && found.upper == 2 && found.too_large.empty());
}

TEST(the_bounds_hold_every_extension_between_them) {
    for (unsigned seed = 0; seed < 200; ++seed) {
        int n = 2 + static_cast<int>(seed % 12);
        Matrix truth = random_arcs(n, 0.3, seed), estimate = random_arcs(n, 0.5, seed + 500);
        Matrix completed = veridag::cpdag(n, estimate.data());
        auto found = veridag::intervention_bounds(n, truth.data(), completed.data(), 1'000'000);
        CHECK(found.too_large.empty());
        CHECK(found.lower <= distance(n, truth, estimate) && distance(n, truth, estimate) <= found.upper);
        std::int64_t other = distance(n, truth, veridag::extend(n, completed.data()).dag);
        CHECK(found.lower <= other && other <= found.upper);
    }
}

TEST(too_much_work_is_refused_with_the_component) {
    Matrix edge = arcs(4, {{0, 1}, {1, 0}, {2, 3}, {3, 2}}), truth = arcs(4, {});
    CHECK(veridag::intervention_bounds(4, truth.data(), edge.data(), 5).too_large == (std::vector<int>{2, 3}));
    CHECK(veridag::intervention_bounds(4, truth.data(), edge.data(), 8).too_large.empty());
}

TEST(graphs_without_variables_have_distance_zero) {
    CHECK(veridag::wrong_effects(0, nullptr, nullptr).empty());
    CHECK(veridag::intervention_bounds(0, nullptr, nullptr, 0).too_large.empty());
}
